// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/log_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/power_math.hpp"
#include "kernwatt/readers/power/power_repairs.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t most_gpus = 4096;
constexpr std::size_t most_means = 16;
constexpr std::size_t most_sources = 8;

std::string key_of(const run::GpuIdentity& gpu) {
  if (!gpu.uuid.empty()) return "uuid " + gpu.uuid;
  std::string key = gpu.host + "|";
  if (!gpu.pci_bus_id.empty()) return key + gpu.pci_bus_id;
  if (gpu.index) return key + std::to_string(*gpu.index);
  return key + gpu.name;
}

// What one record says of a GPU another may leave out.
void complete(run::GpuIdentity& known, const run::GpuIdentity& more) {
  if (!known.index) known.index = more.index;
  if (known.uuid.empty()) known.uuid = more.uuid;
  if (known.pci_bus_id.empty()) known.pci_bus_id = more.pci_bus_id;
  if (known.name.empty()) known.name = more.name;
  if (known.host.empty()) known.host = more.host;
}

// The values of a log without times are worth their mean, no more.
void note_no_times(const std::vector<GpuRows>& gpus, QualityLedger& quality) {
  std::string means;
  std::size_t shown = 0;
  std::uint64_t readings = 0;
  for (const GpuRows& rows : gpus) {
    const PowerSensor sensor = sensor_for_energy(rows.power);
    if (sensor.series == nullptr) continue;
    const auto& watts = sensor.series->value;
    readings += watts.size();
    if (++shown > most_means) continue;
    const double mean = std::accumulate(watts.begin(), watts.end(), 0.0) / static_cast<double>(watts.size());
    means += fmt::format("{}{}: {} reading(s), mean {:.2f} W", means.empty() ? "" : "; ", label_of(rows.power.gpu),
                         watts.size(), mean);
  }
  if (shown > most_means) means += fmt::format("; and {} more", shown - most_means);
  quality.add("power.no-times", Severity::error,
              fmt::format("the file has no times, so no energy follows from its powers and it cannot be laid beside a "
                          "trace ({})",
                          means.empty() ? "no power either" : means),
              std::max<std::uint64_t>(readings, 1));
}

}  // namespace

bool names_nothing(std::string_view text) {
  if (text.empty() || text == "-" || text == "N/A" || text.front() == '[') return true;
  return text.starts_with("GPU-00000000") && text.find_first_not_of("0-", 4) == std::string_view::npos;
}

std::size_t LogCollector::gpu(const run::GpuIdentity& identity) {
  std::string key = key_of(identity);
  // No machine has so many; a file of noise must not fill the memory with them.
  if (gpus_.size() >= most_gpus && !index_of_key_.contains(key)) key = "more";
  const auto [found, inserted] = index_of_key_.try_emplace(std::move(key), gpus_.size());
  if (inserted) gpus_.emplace_back();
  complete(gpus_[found->second].power.gpu, identity);
  return found->second;
}

void LogCollector::add(std::size_t gpu, const std::optional<Timestamp>& stamp, std::span<const Reading> readings) {
  GpuRows& rows = gpus_[gpu];
  ++rows_;
  if (stamp) {
    time_.note(*stamp);
  } else {
    ++time_.none;
  }
  const std::int64_t ns = stamp ? place_in_time(rows, *stamp) : 0;
  const auto powers =
      std::count_if(readings.begin(), readings.end(), [](const Reading& r) { return is_power(r.column->role); });
  RowOutcome outcome;
  bool any_counter = false;
  for (const Reading& reading : readings) {
    const Column& column = *reading.column;
    any_counter |= column.role == ColumnRole::energy;
    take_cell(rows, column, reading.value, ns, is_power(column.role) && powers == 1, outcome);
    if (is_power(column.role) || column.role == ColumnRole::energy) note_source(column.header);
  }
  close_row(rows, ns, powers > 0, powers > 0 || any_counter, outcome);
}

void LogCollector::note_source(const std::string& header) {
  if (sources_.size() >= most_sources || std::find(sources_.begin(), sources_.end(), header) != sources_.end()) return;
  sources_.push_back(header);
}

// Where most readings have a time, the others cannot be placed among them.
void LogCollector::drop_rows_without_time() {
  if (time_.none == 0 || time_.absolute + time_.civil + time_.relative == 0) return;
  for (GpuRows& rows : gpus_) remove_readings_at(rows, 0);
  quality_.add("power.bad-rows", Severity::warning,
               "readings without a time, among others that have one, were left out", time_.none);
}

Result<run::PowerLog> LogCollector::finish(std::string file, bool format_was_given, ByteSource& source,
                                           std::string_view nothing) {
  std::erase_if(gpus_, [](const GpuRows& rows) { return rows.power.rows == 0; });
  if (gpus_.empty() && clocks_.empty()) return Error{ErrorCode::bad_data, std::string(nothing), file};
  run::PowerLog log;
  log.file = std::move(file);
  log.format = format_;
  const std::string packed =
      source.compression() == Compression::none ? "" : fmt::format(", {}", to_string(source.compression()));
  log.quality.add("power.format", Severity::info,
                  fmt::format("read as {} ({}{}); power and energy from: {}", format_,
                              format_was_given ? "as asked" : "told by its content", packed,
                              sources_.empty() ? "none" : visible_text(fmt::format("{}", fmt::join(sources_, ", ")))));
  drop_rows_without_time();
  log.quality.merge(quality_);
  note_times(time_, log.quality);
  const bool timed = time_.absolute + time_.civil + time_.relative > 0;
  log.basis = basis_of(time_);
  if (gpus_.empty()) log.basis = run::TimeBasis::absolute;
  RepairContext context;
  context.power_unit_known = true;
  context.exchange_day_and_month = time_.month_first > 0 && time_.day_first == 0;
  if (!timed && !gpus_.empty()) note_no_times(gpus_, log.quality);
  for (GpuRows& rows : gpus_) {
    repair(rows, context, log.quality);
    write_gpu_notes(rows, log.quality);
    log.gpus.push_back(finished(std::move(rows)));
  }
  log.supported_clocks = std::move(clocks_);
  log.totals = std::move(totals_);
  source.report_damage(log.quality);
  return log;
}

}  // namespace kernwatt::readers
