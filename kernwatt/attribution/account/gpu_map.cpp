// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernwatt/attribution/account/gpu_names.hpp"

namespace kernwatt::attribution {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                           : std::nullopt;
}

bool names_file(std::string_view word, std::string_view file) {
  return !word.empty() && (word == file || word == file_name(file));
}

/// "WHERE:3": what stands before the last colon, and the number behind it. Without such a number, all of it is WHERE.
struct Place {
  std::string_view where;
  std::optional<int> index;
};

Place take_apart(std::string_view word) {
  if (const auto alone = number(word)) return {"", alone};
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return {word, std::nullopt};
  const auto index = number(word.substr(colon + 1));
  return index ? Place{word.substr(0, colon), index} : Place{word, std::nullopt};
}

bool is_traced(const run::Trace& trace, const TracedGpu& gpu, const Place& place) {
  if (place.index && trace.gpus[gpu.gpu].index.value_or(static_cast<int>(gpu.gpu)) != *place.index) return false;
  if (place.where.empty() || names_file(place.where, trace.file)) return true;
  const auto rank = place.where.starts_with("rank") ? number(place.where.substr(4)) : std::nullopt;
  return rank && trace.rank == rank;
}

bool is_logged(const LoggedGpu& gpu, std::string_view word) {
  const run::GpuIdentity& id = gpu.power.gpu;
  if (!id.uuid.empty() && starts_with_without_case(id.uuid, word)) return true;
  if (const auto pci = parse_pci(word)) return parse_pci(id.pci_bus_id) == pci;
  const Place place = take_apart(word);
  const bool only_place = is_anonymous(id) && place.index == 0;  // the file has one GPU and does not say which
  if (place.index && id.index != place.index && !only_place) return false;
  if (place.where.empty()) return id.index == place.index;
  if (!id.host.empty() && equal_without_case(id.host, place.where)) return true;
  return std::any_of(gpu.files.begin(), gpu.files.end(),
                     [&](const std::string& file) { return names_file(place.where, file); });
}

std::string list_of(const std::vector<LoggedGpu>& logged) {
  constexpr std::size_t most = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(logged.size(), most); ++i) text += (i == 0 ? "" : ", ") + logged[i].name;
  return logged.size() > most ? text + fmt::format(" and {} more", logged.size() - most) : text;
}

Result<std::uint32_t> find_logged(const std::vector<LoggedGpu>& logged, std::string_view word, const char* option) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < logged.size(); ++i) {
    const bool only_one = logged.size() == 1 && is_anonymous(logged[i].power.gpu) && word == "0";
    if (only_one || is_logged(logged[i], word)) found.push_back(i);
  }
  if (found.size() == 1) return found[0];
  return Error{ErrorCode::invalid_argument,
               fmt::format("'{}' names {} of the logs' GPUs; they are: {}", word, found.empty() ? "none" : "several",
                           list_of(logged)),
               option};
}

Status apply_pair(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged, std::string_view pair,
                  const char* option, std::vector<TracedGpu>& gpus) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size())
    return Error{
        ErrorCode::invalid_argument,
        fmt::format("'{}' is not a pair; write which GPU of the traces is which of the logs, as in rank0:0=3", pair),
        option};
  KERNWATT_TRY(const std::uint32_t log, find_logged(logged, pair.substr(equals + 1), option));
  const std::string_view traced = pair.substr(0, equals);
  std::vector<TracedGpu*> found;
  for (TracedGpu& gpu : gpus)
    if (is_traced(traces[gpu.trace], gpu, take_apart(traced))) found.push_back(&gpu);
  if (found.size() == 1) {
    if (found[0]->logged != run::none && found[0]->logged != log)
      return Error{
          ErrorCode::invalid_argument,
          fmt::format("'{}' is mapped twice, to {} and to {}", traced, logged[found[0]->logged].name, logged[log].name),
          option};
    found[0]->logged = log;
    return {};
  }
  std::string known;
  for (const TracedGpu& gpu : gpus) known += (known.empty() ? "" : ", ") + traced_word(traces, gpus, gpu);
  return Error{ErrorCode::invalid_argument,
               found.empty() ? fmt::format("'{}' names no GPU with launches in the traces; they are: {}", traced, known)
                             : fmt::format("'{}' names several GPUs of the traces; they are: {}", traced, known),
               option};
}

Status apply_pairs(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged, const std::string& map,
                   const char* option, std::vector<TracedGpu>& gpus) {
  for (std::size_t at = 0; at <= map.size();) {
    const std::size_t comma = std::min(map.find(',', at), map.size());
    KERNWATT_CHECK(apply_pair(traces, logged, std::string_view(map).substr(at, comma - at), option, gpus));
    at = comma + 1;
  }
  return {};
}

}  // namespace

Status apply_map(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged, const std::string& map,
                 std::vector<TracedGpu>& gpus) {
  if (map.empty()) return {};
  return apply_pairs(traces, logged, map, "--map", gpus);
}

Status apply_selection(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                       const std::string& selection, std::vector<TracedGpu>& gpus) {
  if (selection.empty()) return {};
  if (selection.find('=') != std::string::npos) return apply_pairs(traces, logged, selection, "--gpu", gpus);
  KERNWATT_TRY(const std::uint32_t log, find_logged(logged, selection, "--gpu"));
  if (gpus.size() != 1)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("the traces have {} GPUs with launches; say which is which, as in --map {}={},…",
                             gpus.size(), gpus.empty() ? "0" : traced_word(traces, gpus, gpus[0]), selection),
                 "--gpu"};
  gpus[0].logged = log;
  return {};
}

std::string traced_word(const std::vector<run::Trace>& traces, const std::vector<TracedGpu>& gpus,
                        const TracedGpu& gpu) {
  const run::Trace& trace = traces[gpu.trace];
  const std::string device = fmt::format("{}", trace.gpus[gpu.gpu].index.value_or(static_cast<int>(gpu.gpu)));
  const auto count = [&](const auto& same) { return std::count_if(gpus.begin(), gpus.end(), same); };
  if (count([&](const TracedGpu& g) { return g.trace != gpu.trace; }) == 0) return device;
  const auto same_rank = [&](const TracedGpu& g) { return traces[g.trace].rank == trace.rank && g.trace != gpu.trace; };
  if (trace.rank && count(same_rank) == 0) return fmt::format("rank{}:{}", *trace.rank, device);
  const auto same_name = [&](const TracedGpu& g) {
    return g.trace != gpu.trace && file_name(traces[g.trace].file) == file_name(trace.file);
  };
  return fmt::format("{}:{}", count(same_name) == 0 ? file_name(trace.file) : std::string_view(trace.file), device);
}

std::string logged_word(const std::vector<LoggedGpu>& logged, const LoggedGpu& gpu) {
  const run::GpuIdentity& id = gpu.power.gpu;
  constexpr std::size_t enough = 12;  // "GPU-af7b1c2d": unless others begin alike
  const auto ambiguous = [&](const std::string& word) {
    return std::count_if(logged.begin(), logged.end(), [&](const LoggedGpu& g) { return is_logged(g, word); }) != 1;
  };
  std::vector<std::string> words;
  if (!id.uuid.empty()) words = {id.uuid.substr(0, enough), id.uuid};
  if (id.index) words.push_back(fmt::format("{}", *id.index));
  if (id.index && !id.host.empty()) words.push_back(fmt::format("{}:{}", id.host, *id.index));
  if (id.index && !gpu.files.empty()) words.push_back(fmt::format("{}:{}", file_name(gpu.files.front()), *id.index));
  if (!id.pci_bus_id.empty()) words.push_back(id.pci_bus_id);
  if (!gpu.files.empty()) words.emplace_back(file_name(gpu.files.front()));
  for (const std::string& word : words)
    if (!ambiguous(word)) return word;
  return words.empty() ? "0" : words.front();
}

}  // namespace kernwatt::attribution
