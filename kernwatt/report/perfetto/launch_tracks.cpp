// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/perfetto/launch_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

std::string_view kind_name(run::LaunchKind kind) {
  switch (kind) {
    case run::LaunchKind::memcpy:
      return "gpu_memcpy";
    case run::LaunchKind::memset:
      return "gpu_memset";
    case run::LaunchKind::kernel:
      break;
  }
  return "kernel";
}

/// A Run file may hold any number: a time beyond the end of time is the end of time.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::string dim_text(const run::Dim3& dim) { return fmt::format("[{},{},{}]", dim[0], dim[1], dim[2]); }

/// What is written of every launch of a class.
struct ClassText {
  std::string name;
  run::LaunchKind kind = run::LaunchKind::kernel;
  std::string class_name;  ///< category
  std::string grid;
  std::string block;
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> shared_memory;
  std::optional<double> power_w;
};

std::map<std::uint32_t, double> powers_of_rows(const run::Attribution& result) {
  std::map<std::uint32_t, double> powers;
  for (const run::Row& row : result.rows)
    if (row.view == run::View::kernel_class && row.power_w) powers[row.id] = *row.power_w;
  return powers;
}

ClassText text_of(const run::ClassFacts& facts, const std::map<std::uint32_t, double>& powers) {
  ClassText text{facts.name, facts.kind, facts.category, {}, {}, {}, {}, {}};
  if (facts.grid) text.grid = dim_text(*facts.grid);
  if (facts.block) text.block = dim_text(*facts.block);
  if (facts.registers_per_thread) text.registers = *facts.registers_per_thread;
  if (facts.shared_memory_bytes) text.shared_memory = *facts.shared_memory_bytes;
  if (const auto power = powers.find(facts.attribution_row); power != powers.end()) text.power_w = power->second;
  return text;
}

std::vector<ClassText> texts_of_facts(const run::Run& run) {
  const std::map<std::uint32_t, double> powers = powers_of_rows(run.attribution);
  std::vector<ClassText> texts;
  texts.reserve(run.classes.size());
  for (const run::ClassFacts& facts : run.classes) texts.push_back(text_of(facts, powers));
  return texts;
}

/// The classes of a trace, each with the facts of the Run's class of the same name, grid and block.
std::vector<ClassText> texts_of_trace(const run::Trace& trace, const std::vector<ClassText>& facts) {
  using Key = std::tuple<std::string, run::LaunchKind, std::string, std::string>;
  std::map<Key, const ClassText*> known;
  for (const ClassText& text : facts) known.emplace(Key(text.name, text.kind, text.grid, text.block), &text);
  std::vector<ClassText> texts;
  texts.reserve(trace.classes.size());
  for (const run::KernelClass& of : trace.classes) {
    run::ClassFacts own;
    own.name = of.name < trace.names.size() ? std::string(trace.names.at(of.name)) : "?";
    own.kind = of.kind;
    own.grid = of.grid;
    own.block = of.block;
    own.registers_per_thread = of.registers_per_thread;
    own.shared_memory_bytes = of.shared_memory_bytes;
    ClassText text = text_of(own, {});
    if (const auto found = known.find(Key(text.name, text.kind, text.grid, text.block)); found != known.end()) {
      text.power_w = found->second->power_w;
      text.class_name = found->second->class_name;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

/// `counts`: the launch is in the window whose energy was accounted for.
void write_class_args(const ClassText& text, std::int64_t duration_ns, bool counts, TraceEventWriter& out) {
  if (!text.class_name.empty()) out.arg("category", std::string_view(text.class_name));
  if (!text.grid.empty()) out.arg_json("grid", text.grid);
  if (!text.block.empty()) out.arg_json("block", text.block);
  if (text.registers) out.arg("registers per thread", *text.registers);
  if (text.shared_memory) out.arg("shared memory", *text.shared_memory);
  if (!text.power_w) return;
  out.arg("power_w", *text.power_w);
  if (counts) out.arg("energy_j", *text.power_w * static_cast<double>(duration_ns) * 1e-9);
}

bool is_accounted_for(const run::Launch& launch, const run::EnergyAccount& account) {
  return account.start_ns && account.end_ns && launch.start_ns >= *account.start_ns &&
         launch.end_ns() <= *account.end_ns;
}

/// Threads of the exported trace: slices of one thread must nest or follow each other.
class Lanes {
 public:
  Lanes(TraceEventWriter& out, std::string prefix) : out_(out), prefix_(std::move(prefix)) {}

  /// Threads of this come after those of the other.
  void start_after(const Lanes& other) { next_ = other.next_; }

  /// The thread for a slice of this stream. Slices of a stream come in the order of their starts.
  std::uint32_t thread(std::uint32_t process, std::uint32_t stream, std::string_view name, std::int64_t start_ns,
                       std::int64_t end_ns) {
    std::vector<Lane>& lanes = lanes_[{process, stream}];
    for (Lane& lane : lanes) {
      while (!lane.ends.empty() && lane.ends.back() <= start_ns) lane.ends.pop_back();
      const bool nests = lane.ends.empty() || end_ns <= lane.ends.back();
      if (!nests) continue;
      lane.ends.push_back(end_ns);
      return lane.thread;
    }
    const std::uint32_t thread = next_++;
    lanes.push_back({thread, {end_ns}});
    const std::string beside = lanes.size() > 1 ? fmt::format(" (overlapping {})", lanes.size() - 1) : "";
    out_.name_of("thread_name", process, thread, fmt::format("{}{}{}", prefix_, name, beside));
    out_.sort_index("thread_sort_index", process, thread, thread);
    return thread;
  }

 private:
  struct Lane {
    std::uint32_t thread = 0;
    std::vector<std::int64_t> ends;  ///< of the open slices, innermost last
  };
  TraceEventWriter& out_;
  std::string prefix_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Lane>> lanes_;
  std::uint32_t next_ = 1;
};

/// The power of what runs on one GPU, as the fit has it: launches that overlap share the time alike.
class FittedPower {
 public:
  FittedPower(std::uint32_t process, std::optional<double> idle_w) : process_(process), idle_w_(idle_w) {}

  void launch(std::int64_t start_ns, std::int64_t end_ns, std::optional<double> watts, TraceEventWriter& out) {
    if (!watts) return;
    end_until(start_ns, out);
    running_.push({end_ns, *watts});
    sum_ += *watts;
    set(start_ns, sum_ / static_cast<double>(running_.size()), out);
  }
  void end_until(std::int64_t ns, TraceEventWriter& out) {
    while (!running_.empty() && running_.top().first <= ns) {
      const auto [end_ns, watts] = running_.top();
      running_.pop();
      sum_ -= watts;
      if (running_.empty()) sum_ = 0;
      // A launch that starts at once would overwrite it: gaps of up to 5 µs are launching, not idling.
      if (!running_.empty() || ns - end_ns > 5000) set(end_ns, running_.empty() ? idle_w_ : mean(), out);
    }
  }

 private:
  std::optional<double> mean() const { return sum_ / static_cast<double>(running_.size()); }
  void set(std::int64_t ns, std::optional<double> watts, TraceEventWriter& out) {
    if (!watts || last_ == watts) return;
    last_ = watts;
    out.begin_event('C', "fitted power", process_, 0);
    out.start(ns);
    out.arg("W", *watts);
    out.end_event();
  }

  using Running = std::pair<std::int64_t, double>;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double sum_ = 0;
  std::uint32_t process_;
  std::optional<double> idle_w_;
  std::optional<double> last_;
};

std::string_view stream_name(const run::Trace& trace, std::uint32_t stream) {
  const run::NameId name = trace.streams[stream].name;
  return name < trace.names.size() ? trace.names.at(name) : std::string_view("?");
}

void write_trace(const run::Trace& trace, std::size_t index, const GpuProcesses& gpus,
                 const std::vector<ClassText>& facts, const run::EnergyAccount& account, Lanes& lanes,
                 TraceEventWriter& out) {
  const std::vector<ClassText> texts = texts_of_trace(trace, facts);
  std::map<std::uint32_t, FittedPower> fitted;
  std::vector<int> device_of_gpu;
  device_of_gpu.reserve(trace.gpus.size());
  for (std::size_t gpu = 0; gpu < trace.gpus.size(); ++gpu)
    device_of_gpu.push_back(gpus.device_of(gpus.of_trace(index, gpu)));
  for (const run::Launch& launch : trace.launches) {
    if (launch.stream >= trace.streams.size() || launch.kernel_class >= texts.size()) continue;
    if (!out.status()) return;
    const ClassText& text = texts[launch.kernel_class];
    const std::uint32_t gpu = trace.streams[launch.stream].gpu;
    const std::uint32_t process = gpus.of_trace(index, gpu);
    const std::string_view stream = stream_name(trace, launch.stream);
    // Streams of several ranks on one GPU are apart.
    const auto key = static_cast<std::uint32_t>(index * 65'536 + launch.stream);
    const std::uint32_t thread = lanes.thread(process, key, stream, launch.start_ns, launch.end_ns());
    out.begin_event('X', text.name, process, thread);
    out.category(kind_name(text.kind));
    out.start(launch.start_ns);
    out.duration(launch.duration_ns);
    out.arg("device", std::int64_t{device_of_gpu[gpu]});
    out.arg("stream", stream);
    write_class_args(text, launch.duration_ns, is_accounted_for(launch, account), out);
    out.end_event();
    fitted.try_emplace(process, process, account.execution_idle_w)
        .first->second.launch(launch.start_ns, launch.end_ns(), text.power_w, out);
  }
  for (auto& [process, power] : fitted) power.end_until(std::numeric_limits<std::int64_t>::max(), out);
}

/// Neighbours of one phase or layer as one slice.
void write_grouped(const run::CanonicalIteration& iteration, std::uint32_t run::CanonicalLaunch::*member,
                   const std::vector<std::string>& names, std::string_view track, std::uint32_t process,
                   std::int64_t start_ns, Lanes& lanes, std::uint32_t key, TraceEventWriter& out) {
  for (std::size_t i = 0; i < iteration.launches.size();) {
    const std::uint32_t group = iteration.launches[i].*member;
    const std::int64_t from = iteration.launches[i].start_ns;
    std::int64_t to = from;
    for (; i < iteration.launches.size() && iteration.launches[i].*member == group; ++i)
      to = std::max(to, plus(iteration.launches[i].start_ns, iteration.launches[i].duration_ns));
    if (group >= names.size()) continue;
    const std::uint32_t thread = lanes.thread(process, key, track, plus(start_ns, from), plus(start_ns, to));
    out.begin_event('X', names[group], process, thread);
    out.category(track);
    out.start(plus(start_ns, from));
    out.duration(plus(to, -std::max(from, -std::numeric_limits<std::int64_t>::max())));
    out.end_event();
  }
}

}  // namespace

void write_launches(const run::Run& run, const GpuProcesses& gpus, TraceEventWriter& out) {
  const std::vector<ClassText> facts = texts_of_facts(run);
  Lanes lanes(out, "stream ");
  for (std::size_t i = 0; i < run.traces.size(); ++i)
    write_trace(run.traces[i], i, gpus, facts, run.attribution.total, lanes, out);
}

void write_iteration(const run::Run& run, const GpuProcesses& gpus, std::int64_t start_ns, TraceEventWriter& out) {
  const run::CanonicalIteration& iteration = run.iteration;
  if (iteration.launches.empty()) return;
  const std::vector<ClassText> texts = texts_of_facts(run);
  const std::uint32_t process = gpus.first();
  Lanes named(out, "iteration: ");
  constexpr std::uint32_t phases = 1'000'000;
  write_grouped(iteration, &run::CanonicalLaunch::phase, iteration.phases, "phase", process, start_ns, named, phases,
                out);
  write_grouped(iteration, &run::CanonicalLaunch::layer, iteration.layers, "layer", process, start_ns, named,
                phases + 1, out);
  Lanes lanes(out, "iteration: stream ");
  lanes.start_after(named);
  for (const run::CanonicalLaunch& launch : iteration.launches) {
    if (launch.class_index >= texts.size()) continue;
    const ClassText& text = texts[launch.class_index];
    const std::int64_t from = plus(start_ns, launch.start_ns);
    const std::uint32_t thread =
        lanes.thread(process, launch.stream, std::to_string(launch.stream), from, plus(from, launch.duration_ns));
    out.begin_event('X', text.name, process, thread);
    out.category(kind_name(text.kind));
    out.start(from);
    out.duration(launch.duration_ns);
    out.arg("device", std::int64_t{0});
    out.arg("stream", std::int64_t{launch.stream});
    write_class_args(text, launch.duration_ns, true, out);
    out.end_event();
  }
}

}  // namespace kernwatt::report
