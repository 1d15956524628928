// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/log_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernwatt/attribution/account/gpu_names.hpp"
#include "kernwatt/attribution/account/reading_agreement.hpp"

namespace kernwatt::attribution {
namespace {

template <class T>
void take_denser(run::Series<T>& into, const run::Series<T>& from, bool& both) {
  if (from.empty()) return;
  const auto append = [](run::Series<T>& to, const run::Series<T>& what) {
    to.time_ns.insert(to.time_ns.end(), what.time_ns.begin(), what.time_ns.end());
    to.value.insert(to.value.end(), what.value.begin(), what.value.end());
  };
  if (!into.empty() && into.time_ns.back() < from.time_ns.front()) return append(into, from);
  if (!into.empty() && from.time_ns.back() < into.time_ns.front()) {
    run::Series<T> first = from;
    append(first, into);
    into = std::move(first);
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

class LogMerger {
 public:
  LogMerger(const std::vector<run::PowerLog>& logs, QualityLedger& quality, std::string_view map)
      : logs_(logs), map_(map), quality_(quality) {
    std::size_t named = 0;
    one_each_ = !logs.empty();
    for (const run::PowerLog& log : logs) {
      if (log.gpus.empty()) continue;
      one_each_ = one_each_ && log.gpus.size() == 1;
      named += is_anonymous(log.gpus[0].gpu) ? 0 : 1;
    }
    one_named_ = named <= 1;
  }

  std::vector<LoggedGpu> merge() {
    for (const run::PowerLog& log : logs_) {
      known_before_ = gpus_.size();  // one log knows its own GPUs apart
      for (const run::GpuPower& power : log.gpus) add(log, power);
    }
    tell_apart();
    return std::move(gpus_);
  }

 private:
  void add(const run::PowerLog& log, const run::GpuPower& power) {
    LoggedGpu* have = find(log, power);
    if (have == nullptr) {
      gpus_.push_back({power, log.basis, name_in(power.gpu, log.file), {log.file}});
      return;
    }
    complete(have->power.gpu, power.gpu);
    have->name = name_in(have->power.gpu, have->files.front());
    if (have->files.back() != log.file) have->files.push_back(log.file);
    merge_into(*have, power, quality_);
  }

  static std::string name_in(const run::GpuIdentity& gpu, const std::string& file) {
    const bool nameless = is_anonymous(gpu) && gpu.host.empty() && !file.empty();
    return nameless ? fmt::format("the GPU of {}", file_name(file)) : name_of(gpu);
  }

  LoggedGpu* find(const run::PowerLog& log, const run::GpuPower& power) {
    // A file of samples has no name of its GPU; beside one other log of one GPU it can only be that one.
    const bool must_be_same = one_each_ && (one_named_ || is_anonymous(power.gpu));
    if (must_be_same && !gpus_.empty() && !contradicts(gpus_.front().power, power) && !told_apart(gpus_.front(), log))
      return &gpus_.front();
    LoggedGpu* perhaps = nullptr;
    for (std::size_t i = 0; i < known_before_; ++i) {
      LoggedGpu& have = gpus_[i];
      const Sameness sameness = compare(have.power.gpu, power.gpu);
      if (sameness == Sameness::same) return &have;
      if (sameness == Sameness::perhaps && perhaps == nullptr && !contradicts(have.power, power) &&
          !told_apart(have, log))
        perhaps = &have;
    }
    if (perhaps != nullptr && overlap(perhaps->power, power))
      quality_.add("join.same-index", Severity::info,
                   fmt::format("{} of {} and of {} was taken for the same GPU: the files have no UUID and no host in "
                               "common, and the readings do not contradict it",
                               perhaps->name, file_name(perhaps->files.front()), file_name(log.file)));
    return perhaps;
  }

  /// The user's map names both files, so they are of different GPUs.
  bool told_apart(const LoggedGpu& have, const run::PowerLog& log) const {
    const auto named = [&](const std::string& file) {
      return map_.find("=" + std::string(file_name(file))) != std::string_view::npos ||
             map_.find("=" + file) != std::string_view::npos;
    };
    return !map_.empty() && have.files.front() != log.file && named(have.files.front()) && named(log.file);
  }

  /// "GPU 0" of two machines: the file says which.
  void tell_apart() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const std::string name = gpus_[i].name;
      const auto same = [&](const LoggedGpu& other) { return other.name == name; };
      if (std::count_if(gpus_.begin(), gpus_.end(), same) < 2) continue;
      std::vector<LoggedGpu*> alike;
      for (LoggedGpu& gpu : gpus_)
        if (same(gpu)) alike.push_back(&gpu);
      for (LoggedGpu* gpu : alike)
        gpu->name = is_anonymous(gpu->power.gpu) ? fmt::format("the GPU of {}", gpu->files.front())
                                                 : fmt::format("{} of {}", name, told_by(*gpu, alike));
      quality_.add("join.same-name", Severity::info,
                   fmt::format("{} stands in several logs, each time with readings of its own: taken for GPUs of "
                               "different machines",
                               name));
    }
  }

  /// The file's name, or its whole path where another has the same name.
  static std::string_view told_by(const LoggedGpu& gpu, const std::vector<LoggedGpu*>& alike) {
    const std::string_view name = file_name(gpu.files.front());
    const auto count = std::count_if(alike.begin(), alike.end(),
                                     [&](const LoggedGpu* other) { return file_name(other->files.front()) == name; });
    return count > 1 ? std::string_view(gpu.files.front()) : name;
  }

  const std::vector<run::PowerLog>& logs_;
  std::string_view map_;
  QualityLedger& quality_;
  std::size_t known_before_ = 0;
  bool one_each_ = false;
  bool one_named_ = false;
  std::vector<LoggedGpu> gpus_;
};

}  // namespace

std::vector<LoggedGpu> merge_logs(const std::vector<run::PowerLog>& logs, QualityLedger& quality,
                                  std::string_view map) {
  return LogMerger(logs, quality, map).merge();
}

}  // namespace kernwatt::attribution
