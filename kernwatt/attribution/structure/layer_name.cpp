// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/layer_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {
namespace {

constexpr std::string_view module_prefix = "nn.Module: ";
constexpr std::string_view separators = "._ [/:#-";

constexpr auto layer_words = std::to_array<std::string_view>(
    {"layer", "layers", "block", "blocks", "decoder", "encoder", "stage", "bottleneck"});
constexpr auto other_words = std::to_array<std::string_view>({"layernorm", "layer_norm", "embedding"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool speaks_of_layers(std::string_view family) {
  const std::string text = prepare_kernel_name(family).whole;
  for (const std::string_view word : other_words) {
    if (text.ends_with(word)) return false;
  }
  if (text == "h" || text.ends_with(".h") || text.ends_with("/h")) return true;  // GPT-2 of Hugging Face
  return std::any_of(layer_words.begin(), layer_words.end(),
                     [&](std::string_view word) { return text.ends_with(word); });
}

// The number that starts at `at`, if it is a whole word of its own.
std::optional<std::uint64_t> number_at(std::string_view text, std::size_t at, std::size_t& end) {
  end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, number);
  if (error != std::errc() || stop != text.data() + end) return std::nullopt;
  const bool free_behind = end == text.size() || separators.find(text[end]) != std::string_view::npos ||
                           text[end] == ']' || text[end] == ')' || text[end] == ',';
  return free_behind ? std::optional(number) : std::nullopt;
}

// By range name; families with one number only are left out.
using LayersOfNames = std::vector<std::optional<NumberedLayer>>;

LayersOfNames layers_of_range_names(const run::Trace& trace) {
  std::vector<bool> asked(trace.names.size(), false);
  LayersOfNames layers(trace.names.size());
  std::unordered_map<std::string, std::set<std::uint64_t>> numbers;
  for (const run::Site& site : trace.sites) {
    for (const run::NameId range : site.ranges) {
      if (asked[range]) continue;
      asked[range] = true;
      layers[range] = numbered_layer(trace.names.at(range));
      if (layers[range]) numbers[layers[range]->family].insert(layers[range]->number);
    }
  }
  for (auto& layer : layers) {
    if (layer && numbers[layer->family].size() < 2) layer.reset();
  }
  return layers;
}

// Program order: families as they appear, then by number.
struct RankedLayer {
  std::size_t family_rank = 0;
  std::uint64_t number = 0;
  std::string name;  // the first of those that mean the same layer
  bool operator<(const RankedLayer& other) const {
    return std::tie(family_rank, number) < std::tie(other.family_rank, other.number);
  }
};

}  // namespace

std::optional<NumberedLayer> numbered_layer(std::string_view range) {
  std::string_view text = range;
  if (text.starts_with(module_prefix)) text.remove_prefix(module_prefix.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && is_digit(text[i - 1]))) continue;
    std::size_t end = i;
    const auto number = number_at(text, i, end);
    std::size_t family_end = i;
    while (family_end > 0 && separators.find(text[family_end - 1]) != std::string_view::npos) --family_end;
    const std::string_view family = text.substr(0, family_end);
    if (number && !family.empty() && speaks_of_layers(family)) {
      if (end < text.size() && text[end] == ']') ++end;
      return NumberedLayer{std::string(family), *number, std::string(text.substr(0, end))};
    }
    i = end > i ? end - 1 : i;
  }
  return std::nullopt;
}

NamedLayers named_layers(const run::Trace& trace) {
  const LayersOfNames layers_of_names = layers_of_range_names(trace);
  std::unordered_map<std::string, std::size_t> family_rank;
  std::set<RankedLayer> found;
  std::vector<std::optional<RankedLayer>> of_site(trace.sites.size());
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    for (const run::NameId range : trace.sites[s].ranges) {
      const auto& layer = layers_of_names[range];
      if (!layer) continue;
      const std::size_t rank = family_rank.try_emplace(layer->family, family_rank.size()).first->second;
      of_site[s] = RankedLayer{rank, layer->number, layer->name};
      found.insert(*of_site[s]);
      break;
    }
  }

  NamedLayers layers;
  for (const RankedLayer& layer : found) layers.names.push_back(layer.name);
  layers.layer_of_site.assign(trace.sites.size(), run::none);
  std::map<RankedLayer, std::uint32_t> index;
  for (const RankedLayer& layer : found) index.emplace(layer, static_cast<std::uint32_t>(index.size()));
  for (std::size_t s = 0; s < trace.sites.size(); ++s) {
    if (of_site[s]) layers.layer_of_site[s] = index.at(*of_site[s]);
  }
  return layers;
}

}  // namespace kernwatt::attribution
