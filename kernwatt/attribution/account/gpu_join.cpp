// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_join.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace kernwatt::attribution {
namespace {

bool starts_with_without_case(const std::string& text, const std::string& prefix) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return prefix.size() <= text.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

std::string name_of(const run::GpuIdentity& gpu) {
  if (!gpu.uuid.empty()) return gpu.uuid;
  if (!gpu.pci_bus_id.empty()) return gpu.pci_bus_id;
  if (gpu.index) return fmt::format("GPU {}", *gpu.index);
  return "the log's GPU";
}

bool anonymous(const run::GpuIdentity& gpu) { return gpu.uuid.empty() && gpu.pci_bus_id.empty() && !gpu.index; }

/// Identity by the strongest name that both have.
bool same_gpu(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  if (!a.uuid.empty() && !b.uuid.empty()) return starts_with_without_case(a.uuid, b.uuid);
  if (!a.pci_bus_id.empty() && !b.pci_bus_id.empty()) return starts_with_without_case(a.pci_bus_id, b.pci_bus_id);
  return false;
}

template <class T>
void take_denser(run::Series<T>& into, const run::Series<T>& from, bool& both) {
  if (from.empty()) return;
  const bool after = !into.empty() && into.time_ns.back() < from.time_ns.front();
  if (after) {
    into.time_ns.insert(into.time_ns.end(), from.time_ns.begin(), from.time_ns.end());
    into.value.insert(into.value.end(), from.value.begin(), from.value.end());
    return;
  }
  both = both || !into.empty();
  if (from.size() > into.size()) into = from;
}

void merge_into(LoggedGpu& into, const run::GpuPower& from, QualityLedger& quality) {
  bool both = false;
  run::GpuPower& p = into.power;
  take_denser(p.energy_mj, from.energy_mj, both);
  take_denser(p.power_instant_w, from.power_instant_w, both);
  take_denser(p.power_average_w, from.power_average_w, both);
  take_denser(p.power_draw_w, from.power_draw_w, both);
  take_denser(p.power_samples_w, from.power_samples_w, both);
  bool ignored = false;
  take_denser(p.sm_mhz, from.sm_mhz, ignored);
  take_denser(p.mem_mhz, from.mem_mhz, ignored);
  take_denser(p.temperature_c, from.temperature_c, ignored);
  take_denser(p.event_reasons, from.event_reasons, ignored);
  if (!p.power_limit_w) p.power_limit_w = from.power_limit_w;
  p.rows += from.rows;
  p.missing_power += from.missing_power;
  if (both)
    quality.add(
        "join.sensor-twice", Severity::warning,
        fmt::format("two logs hold the same sensor of {} over the same time; the denser one was used", into.name));
}

LoggedGpu* find_logged(std::vector<LoggedGpu>& gpus, const run::GpuIdentity& gpu, bool only_one_in_all) {
  if (only_one_in_all && !gpus.empty()) return &gpus.front();
  for (LoggedGpu& have : gpus) {
    if (same_gpu(have.power.gpu, gpu)) return &have;
    const bool by_index =
        have.power.gpu.index && have.power.gpu.index == gpu.index && have.power.gpu.uuid.empty() && gpu.uuid.empty();
    if (by_index) return &have;
  }
  return nullptr;
}

std::string list_of(const std::vector<LoggedGpu>& logged) {
  std::string text;
  for (const LoggedGpu& gpu : logged) text += (text.empty() ? "" : ", ") + gpu.name;
  return text;
}

Result<std::uint32_t> select_logged(const std::vector<LoggedGpu>& logged, const std::string& word) {
  std::vector<std::uint32_t> found;
  int index = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool number = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
  for (std::uint32_t i = 0; i < logged.size(); ++i) {
    const run::GpuIdentity& gpu = logged[i].power.gpu;
    const bool match = number
                           ? gpu.index == index || (anonymous(gpu) && logged.size() == 1 && index == 0)
                           : starts_with_without_case(gpu.uuid, word) || starts_with_without_case(gpu.pci_bus_id, word);
    if (match) found.push_back(i);
  }
  if (found.size() == 1) return found[0];
  return Error{ErrorCode::invalid_argument,
               fmt::format("'{}' names {} of the logs' GPUs; they are: {}", word, found.empty() ? "none" : "several",
                           list_of(logged)),
               "--gpu"};
}

std::optional<int> trace_number(const run::Trace& trace, std::uint32_t gpu) { return trace.gpus[gpu].index; }

/// "0=GPU-af7b,1=3": the user's word for each device of the trace; "3": for the only one.
Result<bool> join_by_user(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                          const std::string& select, std::vector<TracedGpu>& gpus) {
  if (select.empty()) return false;
  for (std::size_t at = 0; at <= select.size();) {
    const std::size_t comma = std::min(select.find(',', at), select.size());
    const std::string item = select.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = item.find('=');
    const std::string word = equals == std::string::npos ? item : item.substr(equals + 1);
    KERNWATT_TRY(const std::uint32_t log, select_logged(logged, word));
    if (equals == std::string::npos) {
      if (gpus.size() != 1)
        return Error{
            ErrorCode::invalid_argument,
            fmt::format("the traces have {} GPUs with launches; say which is which, as in 0={},1=…", gpus.size(), word),
            "--gpu"};
      gpus[0].logged = log;
      continue;
    }
    const std::string device = item.substr(0, equals);
    bool known = false;
    for (TracedGpu& gpu : gpus)
      if (const auto number = trace_number(traces[gpu.trace], gpu.gpu); number && std::to_string(*number) == device)
        gpu.logged = log, known = true;
    if (!known)
      return Error{ErrorCode::invalid_argument, fmt::format("no trace has launches on device '{}'", device), "--gpu"};
  }
  return true;
}

std::vector<TracedGpu> gpus_with_launches(const std::vector<run::Trace>& traces) {
  std::vector<TracedGpu> gpus;
  for (std::uint32_t t = 0; t < traces.size(); ++t) {
    std::vector<bool> used(traces[t].gpus.size(), false);
    for (const run::Launch& launch : traces[t].launches) used[traces[t].streams[launch.stream].gpu] = true;
    for (std::uint32_t g = 0; g < used.size(); ++g)
      if (used[g]) gpus.push_back({t, g, run::none});
  }
  return gpus;
}

void join_by_identity(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                      std::vector<TracedGpu>& gpus) {
  for (TracedGpu& gpu : gpus)
    for (std::uint32_t l = 0; l < logged.size(); ++l)
      if (same_gpu(logged[l].power.gpu, traces[gpu.trace].gpus[gpu.gpu])) gpu.logged = l;
}

Status check_join(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                  const std::vector<TracedGpu>& gpus) {
  for (std::size_t a = 0; a < gpus.size(); ++a)
    for (std::size_t b = a + 1; b < gpus.size(); ++b)
      if (gpus[a].logged != run::none && gpus[a].logged == gpus[b].logged)
        return Error{
            ErrorCode::invalid_argument,
            fmt::format("{} is claimed by two traces ({} and {}); its energy would be counted twice. Attribute "
                        "them one by one, or say which is which with --gpu TRACE=LOG",
                        logged[gpus[a].logged].name, traces[gpus[a].trace].file, traces[gpus[b].trace].file),
            "--gpu"};
  return {};
}

}  // namespace

std::vector<LoggedGpu> merge_logs(const std::vector<run::PowerLog>& logs, QualityLedger& quality) {
  bool one_each = !logs.empty();
  std::size_t named = 0;
  for (const run::PowerLog& log : logs) {
    one_each = one_each && log.gpus.size() == 1;
    named += !log.gpus.empty() && !anonymous(log.gpus[0].gpu) ? 1 : 0;
  }
  std::vector<LoggedGpu> gpus;
  for (const run::PowerLog& log : logs) {
    for (const run::GpuPower& power : log.gpus) {
      // A file of samples has no name of its GPU; beside one other log of one GPU it can only be that one.
      const bool must_be_same = one_each && (named <= 1 || anonymous(power.gpu));
      LoggedGpu* have = find_logged(gpus, power.gpu, must_be_same);
      if (have == nullptr) {
        gpus.push_back({power, log.basis, name_of(power.gpu)});
        continue;
      }
      if (anonymous(have->power.gpu) && !anonymous(power.gpu)) {
        have->power.gpu = power.gpu;
        have->name = name_of(power.gpu);
      }
      merge_into(*have, power, quality);
    }
  }
  return gpus;
}

Result<std::vector<TracedGpu>> join_gpus(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                                         const std::string& select, QualityLedger& quality) {
  std::vector<TracedGpu> gpus = gpus_with_launches(traces);
  if (logged.empty()) return gpus;
  KERNWATT_TRY(const bool by_user, join_by_user(traces, logged, select, gpus));
  if (!by_user) join_by_identity(traces, logged, gpus);
  const bool one_of_each = gpus.size() == 1 && logged.size() == 1;
  for (TracedGpu& gpu : gpus) {
    if (gpu.logged != run::none) continue;
    const run::GpuIdentity& traced = traces[gpu.trace].gpus[gpu.gpu];
    const bool contradicts = !traced.uuid.empty() && !logged[0].power.gpu.uuid.empty();
    if (one_of_each && !contradicts && !by_user) {
      gpu.logged = 0;
      quality.add("join.only-one", Severity::info,
                  fmt::format("the trace has one GPU and so has the log ({}): taken for the same", logged[0].name));
    } else if (!by_user) {
      return Error{
          ErrorCode::invalid_argument,
          fmt::format("device {} of {} cannot be told among the logs' GPUs ({}): the trace names no UUID that the "
                      "logs know, and the two count devices differently. Say which it is, as in --gpu {}={}",
                      traced.index ? std::to_string(*traced.index) : "?", traces[gpu.trace].file, list_of(logged),
                      traced.index.value_or(0),
                      logged.back().power.gpu.index ? std::to_string(*logged.back().power.gpu.index) : "GPU-…"),
          "--gpu"};
    }
  }
  KERNWATT_CHECK(check_join(traces, logged, gpus));
  for (std::uint32_t l = 0; l < logged.size(); ++l)
    if (std::none_of(gpus.begin(), gpus.end(), [&](const TracedGpu& g) { return g.logged == l; }))
      quality.add("join.unused-gpu", Severity::info,
                  fmt::format("{} is in the log but not in the traces: its energy is not counted", logged[l].name));
  return gpus;
}

}  // namespace kernwatt::attribution
