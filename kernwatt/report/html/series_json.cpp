// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/series_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/report/html/delta_code.hpp"
#include "kernwatt/report/html/reading_buckets.hpp"
#include "kernwatt/report/json/json_writer.hpp"
#include "kernwatt/report/rows.hpp"
#include "kernwatt/report/text/row_label.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

/// Readings that the page holds in all; beyond that each series is reduced to its share of them.
constexpr std::size_t most_readings = std::size_t{1} << 20U;
constexpr std::size_t fewest_per_series = 4096;
constexpr std::int64_t time_step_ns = 10'000;
constexpr double value_steps_per_unit = 1000;
constexpr std::size_t most_reason_spans = 4000;

struct SensorSeries {
  std::string_view name;
  const run::Series<double>* readings = nullptr;
};

/// The mean power between two steps of the energy counter, at the time of the first: for logs with nothing else.
run::Series<double> counter_power(const run::Series<std::int64_t>& energy_mj) {
  run::Series<double> power;
  std::size_t last = 0;
  for (std::size_t i = 1; i < energy_mj.size(); ++i) {
    if (energy_mj.value[i] == energy_mj.value[last]) continue;
    const double seconds = static_cast<double>(energy_mj.time_ns[i] - energy_mj.time_ns[last]) * 1e-9;
    const double joules = (static_cast<double>(energy_mj.value[i]) - static_cast<double>(energy_mj.value[last])) * 1e-3;
    if (seconds > 0 && joules >= 0) power.push(energy_mj.time_ns[last], joules / seconds);
    last = i;
  }
  return power;
}

/// Which account of the attribution these readings belong to: by identity, or because there is only one.
std::optional<std::size_t> account_of(const run::Run& run, const run::GpuIdentity& gpu) {
  const std::vector<run::GpuIdentity>& devices = run.devices;
  for (std::size_t i = 0; i < std::min(devices.size(), run.attribution.gpus.size()); ++i) {
    const run::GpuIdentity& device = devices[i];
    if (!gpu.uuid.empty() && !device.uuid.empty()) {
      if (gpu.uuid == device.uuid) return i;
    } else if (!gpu.pci_bus_id.empty() && !device.pci_bus_id.empty()) {
      if (gpu.pci_bus_id == device.pci_bus_id) return i;
    } else if (gpu.index && gpu.index == device.index && gpu.host == device.host) {
      return i;
    }
  }
  std::size_t logged = 0;
  for (const run::PowerLog& log : run.power) logged = std::max(logged, log.gpus.size());
  if (run.attribution.gpus.size() == 1 && logged == 1) return 0;
  return std::nullopt;
}

class SeriesWriter {
 public:
  explicit SeriesWriter(const run::Run& run) : run_(run) {}

  std::string write() {
    find_origin();
    json_.begin_object();
    json_.member("kind", "series");
    json_.member("schema", 1);
    json_.member("origin_ns", origin_ns_);
    json_.member("time_step_ns", time_step_ns);
    json_.member("value_steps_per_unit", value_steps_per_unit);
    json_.key("gpus").begin_array();
    for (const run::PowerLog& log : run_.power)
      for (const run::GpuPower& gpu : log.gpus) write_gpu(log, gpu);
    json_.end_array();
    write_spans();
    write_labels();
    json_.end_object();
    return json_.take();
  }

 private:
  static std::vector<SensorSeries> sensors(const run::GpuPower& gpu) {
    std::vector<SensorSeries> all{{"power_instant_w", &gpu.power_instant_w},
                                  {"power_samples_w", &gpu.power_samples_w},
                                  {"power_draw_w", &gpu.power_draw_w},
                                  {"power_average_w", &gpu.power_average_w},
                                  {"sm_mhz", &gpu.sm_mhz},
                                  {"mem_mhz", &gpu.mem_mhz},
                                  {"temperature_c", &gpu.temperature_c}};
    std::erase_if(all, [](const SensorSeries& sensor) { return sensor.readings->empty(); });
    return all;
  }

  void find_origin() {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_span = none;
    for (const run::RowSpan& span : run_.attribution.breakdown.spans) first_span = std::min(first_span, span.start_ns);
    std::int64_t first = none;
    std::size_t count = 0;
    for (const run::PowerLog& log : run_.power)
      for (const run::GpuPower& gpu : log.gpus)
        for (const SensorSeries& sensor : sensors(gpu)) {
          first = std::min(first, sensor.readings->time_ns.front());
          ++count;
        }
    if (first_span != none) first = first_span;  // the trace's start is what people count from
    origin_ns_ = first == none ? 0 : first;
    most_per_series_ = std::max(fewest_per_series, most_readings / std::max<std::size_t>(count, 1));
  }

  std::int64_t steps(std::int64_t time_ns) const { return (time_ns - origin_ns_) / time_step_ns; }

  void write_gpu(const run::PowerLog& log, const run::GpuPower& gpu) {
    json_.begin_object();
    json_.member("file", log.file);
    json_.member("gpu", !gpu.gpu.uuid.empty()         ? gpu.gpu.uuid
                        : !gpu.gpu.pci_bus_id.empty() ? gpu.gpu.pci_bus_id
                        : gpu.gpu.index               ? std::to_string(*gpu.gpu.index)
                                                      : std::string());
    json_.member("account", account_of(run_, gpu.gpu));
    json_.member("power_limit_w", gpu.power_limit_w);
    json_.key("sensors").begin_array();
    bool has_power = false;
    for (const SensorSeries& sensor : sensors(gpu)) {
      write_sensor(sensor);
      has_power = has_power || sensor.name.starts_with("power_");
    }
    if (!has_power) {
      const run::Series<double> power = counter_power(gpu.energy_mj);
      if (!power.empty()) write_sensor({"power_counter_w", &power});
    }
    json_.end_array();
    write_reasons(gpu.event_reasons);
    json_.end_object();
  }

  /// For each bucket: time and low value against the ones before, and where a bucket holds several, high against low.
  void write_sensor(const SensorSeries& sensor) {
    const std::size_t per_bucket = readings_per_bucket(sensor.readings->size(), most_per_series_);
    const std::vector<ReadingBucket> buckets = reading_buckets(*sensor.readings, per_bucket);
    DeltaCode code;
    std::int64_t time = 0;
    std::int64_t pace = 0;
    std::int64_t value = 0;
    for (const ReadingBucket& bucket : buckets) {
      const std::int64_t now = steps(bucket.time_ns);
      code.add(now - time - pace);
      pace = now - time;
      time = now;
      const std::int64_t low = std::llround(std::clamp(bucket.low, -1e12, 1e12) * value_steps_per_unit);
      code.add(low - value);
      value = low;
      if (per_bucket > 1)
        code.add(std::llround((std::clamp(bucket.high, -1e12, 1e12) - std::clamp(bucket.low, -1e12, 1e12)) *
                              value_steps_per_unit));
    }
    json_.begin_object();
    json_.member("name", sensor.name);
    json_.member("readings", sensor.readings->size());
    json_.member("buckets", buckets.size());
    json_.member("readings_per_bucket", per_bucket);
    json_.member("data", code.base64());
    json_.end_object();
  }

  /// Start, length and bits of each stretch with one set of reasons; short ones join their neighbour when there are
  /// very many.
  void write_reasons(const run::Series<std::uint64_t>& reasons) {
    const std::size_t per_span = std::max<std::size_t>(1, reasons.size() / most_reason_spans);
    json_.key("reasons").begin_array();
    std::int64_t start = 0;
    std::uint64_t held = 0;
    bool open = false;
    const auto close = [&](std::int64_t end) {
      if (!open) return;
      json_.value(start);
      json_.value(end - start);
      json_.value(held);
    };
    for (std::size_t i = 0; i < reasons.size(); i += per_span) {
      std::uint64_t bits = 0;
      for (std::size_t k = i; k < std::min(i + per_span, reasons.size()); ++k) bits |= reasons.value[k];
      if (open && bits == held) continue;
      close(steps(reasons.time_ns[i]));
      start = steps(reasons.time_ns[i]);
      held = bits;
      open = true;
    }
    if (!reasons.empty()) close(steps(reasons.time_ns.back()));
    json_.end_array();
  }

  void write_spans() {
    json_.key("spans").begin_array();
    const std::vector<run::RowSpan>& spans = run_.attribution.breakdown.spans;
    for (std::size_t i = 0; i < spans.size();) {
      json_.begin_object();
      json_.member("row", spans[i].row);
      DeltaCode code;
      std::int64_t time = 0;
      std::size_t count = 0;
      const std::uint32_t row = spans[i].row;
      for (; i < spans.size() && spans[i].row == row; ++i, ++count) {
        const std::int64_t start = steps(spans[i].start_ns);
        code.add(start - time);
        code.add(std::max<std::int64_t>(0, (spans[i].end_ns - spans[i].start_ns) / time_step_ns));
        time = start;
      }
      json_.member("count", count);
      json_.member("data", code.base64());
      json_.end_object();
    }
    json_.end_array();
  }

  /// The names of the classes as the tables of the terminal shorten them, so that no two of a GPU look the same.
  void write_labels() {
    json_.key("labels").begin_object();
    std::map<int, std::vector<const run::Row*>> of_gpu;
    for (const run::Row* row : rows_of_view(run_.attribution, run::View::kernel_class))
      of_gpu[row->gpu.value_or(-1)].push_back(row);
    for (const auto& [gpu, rows] : of_gpu) {
      std::vector<NamedRow> named;
      named.reserve(rows.size());
      constexpr std::size_t columns = 56;
      for (const run::Row* row : rows)
        named.push_back({printable(readable_kernel_name(row->name)), printable(row->name), printable(row->detail),
                         row->id, columns});
      const std::vector<std::string> labels = distinct_labels(named);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (labels[i] != rows[i]->name) json_.member(std::to_string(rows[i]->id), labels[i]);
    }
    json_.end_object();
  }

  const run::Run& run_;
  JsonWriter json_;
  std::int64_t origin_ns_ = 0;
  std::size_t most_per_series_ = most_readings;
};

}  // namespace

std::string series_json(const run::Run& run) { return SeriesWriter(run).write(); }

}  // namespace kernwatt::report
