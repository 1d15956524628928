// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/phase_rules.hpp"

#include <array>
#include <charconv>

namespace kernwatt::attribution {
namespace {

using enum NamePart;

struct WordRule {
  std::string_view word;
  Phase phase;
};

constexpr auto serving_words = std::to_array<WordRule>({
    {"prefill", Phase::prefill},
    {"extend", Phase::prefill},  // SGLang's word for prefill behind a cached prefix
    {"decode", Phase::decode},
    {"decoding", Phase::decode},
});

constexpr auto training_words = std::to_array<WordRule>({
    {"forward", Phase::forward},
    {"fwd", Phase::forward},
    {"backward", Phase::backward},
    {"bwd", Phase::backward},
    {"optimizer", Phase::optimizer},
    {"optim", Phase::optimizer},
    {"zero_grad", Phase::optimizer},
    {"clip_grad", Phase::optimizer},
    {"dataloader", Phase::data_loading},
    {"data_loading", Phase::data_loading},
    {"load_batch", Phase::data_loading},
    {"get_batch", Phase::data_loading},
    {"next_batch", Phase::data_loading},
});

constexpr auto operator_rules = std::to_array<NameRule<Phase>>({
    {whole, "*backward*", Phase::backward},
    {whole, "torch::autograd::accumulategrad", Phase::backward},
    {whole, "*::_fused_adam*", Phase::optimizer},
    {whole, "*::_fused_sgd*", Phase::optimizer},
    {whole, "*::_fused_adagrad*", Phase::optimizer},
    {whole, "*::_foreach_*", Phase::optimizer},
    {whole, "optimizer.*", Phase::optimizer},
});

constexpr auto mark_rules = std::to_array<NameRule<PassMark>>({
    {whole, "*backward*", PassMark::backward},
    {function, "*bwd*", PassMark::backward},
    {function, "*bprop*", PassMark::backward},
    {function, "*dgrad*", PassMark::backward},
    {function, "*wgrad*", PassMark::backward},
    {function, "*_wrw_*", PassMark::backward},
    {function, "*bn_bw*", PassMark::backward},
    {function, "*grad_input*", PassMark::backward},
    {function, "*updategradinput*", PassMark::backward},
    {function, "*gammabeta*", PassMark::backward},
    {function, "*compute_grad*", PassMark::backward},
    {function, "*compute_dot_do_o*", PassMark::backward},

    {function, "*nll_loss*", PassMark::loss},
    {function, "*classnllcriterion*", PassMark::loss},
    {function, "*cross_entropy*", PassMark::loss},
    {whole, "*::mse_kernel*", PassMark::loss},
    {whole, "*binary_cross_entropy*", PassMark::loss},

    {function, "*prefill*", PassMark::prefill},
    {whole, "*batchprefill*", PassMark::prefill},
    {function, "*context_attention*", PassMark::prefill},
    {function, "*context_fmha*", PassMark::prefill},
    {whole, "*batchdecode*", PassMark::decode},
    {function, "*decode*", PassMark::decode},
    {function, "*paged_attention*", PassMark::decode},
    {function, "*masked_multihead_attention*", PassMark::decode},
    {function, "*flash_fwd_splitkv*", PassMark::decode},

    {function, "*vectorized_gather*", PassMark::start},
    {function, "*indexselect*", PassMark::start},
    {function, "*index_select*", PassMark::start},
    {function, "*embedding*forward*", PassMark::start},
    {function, "*embedding_lookup*", PassMark::start},
});

constexpr auto bus_rules =
    std::to_array<std::string_view>({"*htod*", "*dtoh*", "*ptop*", "*hosttodevice*", "*devicetohost*", "*peer*",
                                     "*host -> *", "* -> host*", "* -> pinned*", "* -> pageable*"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z'); }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t behind = at + word.size();
    const bool free_before = at == 0 || !is_letter(text[at - 1]);
    const bool free_behind = behind == text.size() || !is_letter(text[behind]);
    if (free_before && free_behind) return true;
  }
  return false;
}

// The one phase whose words stand in the text; none if there are several.
template <std::size_t N>
std::optional<Phase> only_phase(std::string_view text, const std::array<WordRule, N>& words) {
  std::optional<Phase> found;
  for (const auto& [word, phase] : words) {
    if (!has_word(text, word)) continue;
    if (found && *found != phase) return std::nullopt;
    found = phase;
  }
  return found;
}

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* first = text.data() + at + label.size();
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc() || end == first) return std::nullopt;
  return value;
}

// vLLM writes how many requests of a batch are in which phase. A mixed batch spends its work on the prompts.
std::optional<Phase> phase_of_batch(std::string_view text) {
  const auto context = number_behind(text, "context_");
  const auto generation = number_behind(text, "generation_");
  if (!context || !generation) return std::nullopt;
  if (*context > 0) return Phase::prefill;
  return *generation > 0 ? std::optional(Phase::decode) : std::nullopt;
}

}  // namespace

std::optional<Phase> phase_of_range(std::string_view range) {
  const std::string text = prepare_kernel_name(range).whole;
  if (text.starts_with("nn.module")) return std::nullopt;
  if (const auto batch = phase_of_batch(text)) return batch;
  if (const auto serving = only_phase(text, serving_words)) return serving;
  return only_phase(text, training_words);
}

std::optional<Phase> phase_of_operator(std::string_view op) {
  const Phase* found = first_match<Phase>(operator_rules, prepare_kernel_name(op));
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

bool crosses_the_bus(std::string_view copy_name) {
  const std::string text = prepare_kernel_name(copy_name).whole;
  for (const std::string_view pattern : bus_rules) {
    if (matches(pattern, text)) return true;
  }
  return false;
}

PassMark pass_mark_of(const KernelName& name) {
  const PassMark* found = first_match<PassMark>(mark_rules, name);
  return found != nullptr ? *found : PassMark::none;
}

}  // namespace kernwatt::attribution
