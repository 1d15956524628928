// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/power_log/analyse_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/log_merge.hpp"
#include "kernwatt/attribution/power_log/gpu_analysis.hpp"
#include "kernwatt/attribution/power_log/power_total.hpp"

namespace kernwatt::attribution {
namespace {

/// One physical GPU with its readings, which may still belong to a log.
struct Subject {
  const run::GpuPower* power = nullptr;
  run::PowerGpu described;  ///< identity, name, files, formats
  bool timed = true;
};

/// UUID, PCI bus id or index, the index with its host; empty when the log has none.
std::string best_name(const run::GpuIdentity& gpu) {
  if (!gpu.uuid.empty()) return gpu.uuid;
  const std::string host = gpu.host.empty() ? "" : gpu.host + ":";
  if (!gpu.pci_bus_id.empty()) return host + gpu.pci_bus_id;
  if (gpu.index) return host + std::to_string(*gpu.index);
  return host + gpu.name;
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

void add_facts(Subject& subject, const run::PowerLog& log) {
  add_once(subject.described.formats, log.format);
  subject.timed = subject.timed && !log.quality.contains("power.no-times");
}

/// Where one log holds all, its readings are used where they lie.
std::vector<Subject> subjects_of(const std::vector<run::PowerLog>& logs, const std::vector<LoggedGpu>& merged) {
  std::vector<Subject> subjects;
  if (merged.empty()) {
    for (const run::PowerLog& log : logs)
      for (const run::GpuPower& gpu : log.gpus) {
        Subject& subject = subjects.emplace_back();
        subject.power = &gpu;
        subject.described.name = best_name(gpu.gpu);
        subject.described.files = {log.file};
        add_facts(subject, log);
      }
    return subjects;
  }
  subjects.reserve(merged.size());
  for (const LoggedGpu& gpu : merged) {
    Subject& subject = subjects.emplace_back();
    subject.power = &gpu.power;
    subject.described.named_by_file = gpu.name != name_of(gpu.power.gpu);
    subject.described.name = subject.described.named_by_file ? gpu.name : best_name(gpu.power.gpu);
    subject.described.files = gpu.files;
    for (const run::PowerLog& log : logs)
      if (std::find(gpu.files.begin(), gpu.files.end(), log.file) != gpu.files.end()) add_facts(subject, log);
  }
  return subjects;
}

/// As people count: by machine and index; those known by another name alone come last, in the logs' order.
void sort_by_place(std::vector<Subject>& subjects) {
  const auto place = [](const Subject& subject) {
    const run::GpuIdentity& gpu = subject.power->gpu;
    return std::tuple(!gpu.index.has_value(), std::string_view(gpu.host), gpu.index.value_or(0));
  };
  std::stable_sort(subjects.begin(), subjects.end(),
                   [&](const Subject& a, const Subject& b) { return place(a) < place(b); });
}

bool begins_with(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return word.size() <= text.size() && !word.empty() &&
         std::equal(word.begin(), word.end(), text.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

bool is_meant(const Subject& subject, std::string_view word, bool only_one) {
  const run::GpuIdentity& gpu = subject.power->gpu;
  int index = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), index);
  if (parsed.ec == std::errc() && parsed.ptr == word.data() + word.size())
    return gpu.index ? *gpu.index == index : only_one && index == 0;
  return begins_with(gpu.uuid, word) || begins_with(gpu.pci_bus_id, word) || best_name(gpu) == word ||
         subject.described.name == word;
}

Error not_among(std::string_view word, const std::vector<Subject>& subjects) {
  std::vector<std::string> names;
  names.reserve(subjects.size());
  for (const Subject& subject : subjects) {
    const std::string& name = subject.described.name;
    names.push_back(name.empty() ? "0 (the log does not say which GPU it is of)" : name);
  }
  return Error{ErrorCode::invalid_argument,
               names.empty()
                   ? fmt::format("'{}' names none of the logs' GPUs: they have none", word)
                   : fmt::format("'{}' names none of the logs' GPUs; they are: {}", word, fmt::join(names, ", ")),
               "--gpu"};
}

/// Keeps those that the words name; each word must name at least one.
Status select(std::vector<Subject>& subjects, const std::string& words) {
  if (words.empty()) return {};
  std::vector<bool> kept(subjects.size(), false);
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, comma - at);
    at = comma + 1;
    bool found = false;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (!is_meant(subjects[i], word, subjects.size() == 1)) continue;
      kept[i] = found = true;
    }
    if (!found) return not_among(word, subjects);
  }
  std::vector<Subject> chosen;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    if (kept[i]) chosen.push_back(std::move(subjects[i]));
  subjects = std::move(chosen);
  return {};
}

struct Window {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();
};

std::string span_text(const ReadingSpan& span) {
  return fmt::format("they last {:.3f} s, from {:.3f} to {:.3f}",
                     static_cast<double>(span.end_ns - span.start_ns) * 1e-9, static_cast<double>(span.start_ns) * 1e-9,
                     static_cast<double>(span.end_ns) * 1e-9);
}

Result<Window> window_of(const std::vector<Subject>& subjects, const PowerOptions& options) {
  Window window;
  if (!options.from && !options.to) return window;
  std::optional<ReadingSpan> all;
  for (const Subject& subject : subjects) {
    const std::optional<ReadingSpan> span = span_of(*subject.power);
    if (!span || !subject.timed) continue;
    if (!all) all = span;
    all->start_ns = std::min(all->start_ns, span->start_ns);
    all->end_ns = std::max(all->end_ns, span->end_ns);
  }
  if (!all)
    return Error{ErrorCode::invalid_argument, "the logs have no reading with a time to cut a stretch out of", "--from"};
  const auto moment = [&](const LogTime& time, std::int64_t& out) {
    return !__builtin_add_overflow(time.relative ? all->start_ns : 0, time.ns, &out);
  };
  bool in_range = true;
  if (options.from) in_range = moment(*options.from, window.from_ns) && in_range;
  if (options.to) in_range = moment(*options.to, window.to_ns) && in_range;
  if (!in_range || window.from_ns >= window.to_ns)
    return Error{ErrorCode::invalid_argument, "--to is not after --from", "--to"};
  if (window.from_ns >= all->end_ns || window.to_ns <= all->start_ns)
    return Error{ErrorCode::invalid_argument, "the stretch has nothing of the logs; " + span_text(*all), "--from"};
  return window;
}

void report_cut(const std::vector<run::PowerGpu>& gpus, const Window& window, QualityLedger& quality) {
  for (const run::PowerGpu& gpu : gpus) {
    if (!gpu.start_ns || !gpu.end_ns) continue;
    double short_s = 0;
    if (window.from_ns != Window().from_ns && *gpu.start_ns > window.from_ns)
      short_s += static_cast<double>(*gpu.start_ns) * 1e-9 - static_cast<double>(window.from_ns) * 1e-9;
    if (window.to_ns != Window().to_ns && *gpu.end_ns < window.to_ns)
      short_s += static_cast<double>(window.to_ns) * 1e-9 - static_cast<double>(*gpu.end_ns) * 1e-9;
    if (short_s < 1e-3) continue;
    quality.add(
        "power.window-not-covered", Severity::warning,
        fmt::format("{}: {:.3f} s of the stretch have no readings and are not in its energy", label_of(gpu), short_s));
  }
}

/// Within one log its reader reports gaps; logs that follow each other have theirs between them.
void report_gap_between_logs(const run::PowerGpu& gpu, QualityLedger& quality) {
  if (gpu.files.size() < 2 || !gpu.gaps.longest_s || !gpu.poll_s) return;
  if (*gpu.gaps.longest_s <= 0.5 || *gpu.gaps.longest_s <= 10 * *gpu.poll_s) return;
  quality.add("power.gap-between-logs", Severity::warning,
              fmt::format("{}: its {} logs leave {:.3f} s without a reading, {:.4g} J of the integral: a straight line "
                          "that nobody saw. Give them one by one, or a stretch with --from and --to",
                          label_of(gpu), gpu.files.size(), *gpu.gaps.longest_s, gpu.gaps.bridged_j.value_or(0)));
}

}  // namespace

Result<run::PowerReport> analyse_power(const std::vector<run::PowerLog>& logs, const PowerOptions& options,
                                       QualityLedger& quality) {
  const auto with_gpus =
      std::count_if(logs.begin(), logs.end(), [](const run::PowerLog& l) { return !l.gpus.empty(); });
  std::vector<LoggedGpu> merged;
  if (with_gpus > 1) merged = merge_logs(logs, quality);
  std::vector<Subject> subjects = subjects_of(logs, merged);
  sort_by_place(subjects);
  KERNWATT_CHECK(select(subjects, options.gpu_select));
  KERNWATT_TRY(const Window window, window_of(subjects, options));
  run::PowerReport report;
  report.window_given = options.from || options.to;
  for (Subject& subject : subjects) {
    subject.described.gpu = subject.power->gpu;
    GpuAnalysis analysis =
        analyse_gpu(*subject.power, std::move(subject.described), subject.timed, window.from_ns, window.to_ns, quality);
    report_gap_between_logs(analysis.gpu, quality);
    for (run::PowerPhase& phase : analysis.phases) {
      phase.gpu = static_cast<std::uint32_t>(report.gpus.size());
      report.phases.push_back(std::move(phase));
    }
    report.gpus.push_back(std::move(analysis.gpu));
  }
  report.total = total_of(report.gpus, !options.gpu_select.empty(), quality);
  report_cut(report.gpus, window, quality);
  report_unequal_windows(report, quality);
  return report;
}

}  // namespace kernwatt::attribution
