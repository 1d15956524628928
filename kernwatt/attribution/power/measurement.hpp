// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernwatt/attribution/power/edge_grid.hpp"
#include "kernwatt/attribution/power/sensor.hpp"
#include "kernwatt/run/power_log.hpp"

/// The readings of one GPU in the form that the fit takes: counter windows between steps, and power points.
namespace kernwatt::attribution {

enum class PointSource : std::uint8_t { none, driver_samples, instant, draw, average };

struct PowerPoints {
  PointSource source = PointSource::none;
  double poll_s = 0;  ///< usual time from one poll of the log to the next; a reading may be that old. 0 where known
  std::vector<double> time_s;  ///< ascending, from the origin
  std::vector<double> late_s;  ///< how late the stamp is against the device's own sampling grid; 0 on time
  std::vector<double> watts;
  std::size_t size() const { return time_s.size(); }
};

struct Measurement {
  CounterEdges edges;             ///< all steps of the log
  PowerPoints points;             ///< those inside the span that was asked for
  std::optional<double> limit_w;  ///< the highest that a class can draw for longer than an instant
  std::optional<double> quiet_w;  ///< low percentile of the whole log's power: a first idea of idle
};

/// Seconds from the origin.
struct ReadingSpan {
  std::pair<double, double> kept;   ///< points outside are left out
  std::pair<double, double> trace;  ///< where the sensor that is chosen must have readings
};

/// Times become seconds from origin_ns after adding `offset_ns` to the log's clock. Pure.
Measurement gather_measurement(const run::GpuPower& log, std::int64_t origin_ns, std::int64_t offset_ns,
                               const ReadingSpan& span);

/// What is known of the points before the fit.
SensorResponse nominal_response(const PowerPoints& points);

/// Polls that are further apart than this leave open how old a reading is, when it comes to bursts of work.
inline constexpr double slow_poll_s = 0.030;

/// Name for reports: "driver samples", "instant power", …
std::string_view to_string(PointSource source);

}  // namespace kernwatt::attribution
