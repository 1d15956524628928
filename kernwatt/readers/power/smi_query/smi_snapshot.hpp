// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernwatt/readers/power/log_collector.hpp"

namespace kernwatt::readers {

/// Lower case, with one '_' for whatever is neither letter nor digit: "GPU Power Readings" -> "gpu_power_readings".
/// nvidia-smi's text and XML name the same things this way.
std::string plain_name(std::string_view text);

/// Understands what nvidia-smi -q says of each GPU, whether as text or as XML, in the names of all driver generations:
/// named values inside named sections. Values of MIG devices and of processes are passed over: a MIG device is a part
/// of its GPU, not another one.
class SmiSnapshot {
 public:
  explicit SmiSnapshot(LogCollector& log) : log_(log) {}

  /// A new listing begins: what the last one said of the time no longer holds.
  void begin_listing();
  void set_time(std::string_view text);
  void set_attached(std::string_view count);
  /// A GPU begins, an open one ends. bus_id may be empty.
  void begin_gpu(std::string_view bus_id);
  /// A value inside the open GPU; names are plain_names.
  void value(std::span<const std::string> sections, std::string_view key, std::string_view text);
  void end_gpu();
  /// The last listing ends.
  void end();
  /// Forgets the open GPU: its description was torn.
  void drop_gpu();
  bool in_gpu() const { return open_; }
  std::uint64_t listings() const { return listings_; }

 private:
  void power_value(std::string_view key, std::string_view text, bool module);
  void clock_value(std::string_view key, std::string_view text);
  void reason_value(std::string_view key, std::string_view text);
  void supported_clock(std::string_view key, std::string_view text);
  void keep(const Column& column, std::string_view text);
  void keep_supported_clocks();

  LogCollector& log_;
  std::optional<Timestamp> time_;
  std::uint64_t listings_ = 0;
  std::int64_t attached_ = 0;
  std::int64_t described_ = 0;  // GPUs of this listing
  bool open_ = false;
  run::GpuIdentity gpu_;
  std::vector<std::pair<const Column*, std::string>> values_;
  std::string graphics_clock_;
  bool has_sm_clock_ = false;
  std::optional<std::uint64_t> reasons_;
  std::optional<run::SupportedClocks> supported_;
};

}  // namespace kernwatt::readers
