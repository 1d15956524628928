// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/assembly/records.hpp"
#include "kernwatt/readers/nsys/event_keys.hpp"
#include "kernwatt/readers/nsys/nsys_database.hpp"
#include "kernwatt/readers/nsys/session_time.hpp"
#include "kernwatt/readers/nsys/string_ids.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers::nsys {

/// What was found while the tables were read, for the quality ledger and for what has to wait for the last row.
struct EventFacts {
  std::uint64_t graph_records = 0;          ///< launches of whole graphs, without their kernels
  std::uint64_t graph_records_doubled = 0;  ///< of graphs whose kernels are there as well: left out
  std::uint64_t open_ranges = 0;            ///< ranges that were not closed
  std::uint64_t ranges_without_text = 0;
  std::uint64_t ranges_across_threads = 0;
  std::optional<TimeSpan> device_time;
};

/// A range whose name counts iterations, and may become a mark of them.
struct IterationCandidate {
  std::uint32_t span = 0;
  std::uint32_t family = 0;
};

/// Reads the tables of events into Records, one pass over each: in bounded memory, and without a join in SQL.
class EventTables {
 public:
  EventTables(NsysDatabase& database, assembly::Records& records, const Progress& progress);
  void read();

  const EventFacts& facts() const { return facts_; }
  const EventKeys& keys() const { return keys_; }
  const std::vector<IterationCandidate>& candidates() const { return candidates_; }
  const std::vector<std::string>& families() const { return families_; }
  std::uint64_t repaired_names() const { return kernel_names_.repaired() + call_names_.repaired() + texts_.repaired(); }

 private:
  struct ClassKey {
    std::uint32_t name = 0;
    run::LaunchKind kind = run::LaunchKind::kernel;
    run::Dim3 grid{};
    run::Dim3 block{};
    bool operator==(const ClassKey&) const = default;
  };
  struct ClassKeyHash {
    std::size_t operator()(const ClassKey& key) const;
  };
  /// The columns that every device event has, by their positions in a scan.
  struct DeviceColumns;

  void read_kernels();
  void read_copies();
  void read_sets();
  void read_graphs();
  void read_calls(std::string_view table);
  void read_ranges();
  void add_range(const TableScan& scan, std::string_view text);
  void add_user_range(assembly::HostSpan span, std::string_view name);
  std::uint32_t kernel_name(const TableScan& scan);
  std::uint32_t call_name(std::optional<std::int64_t> id);
  std::uint32_t kernel_class(const TableScan& scan, std::uint32_t name);
  std::uint32_t class_of(const ClassKey& key, const assembly::ClassRecord& record);
  std::uint32_t family_of(const std::string& family);
  bool add_device_event(const TableScan& scan, std::uint32_t kernel_class, assembly::DeviceEvent event);
  std::optional<TimeSpan> host_times(const TableScan& scan);
  void advance();
  template <class T>
  void reserve(std::vector<T>& column, const Table* table);

  NsysDatabase& database_;
  assembly::Records& records_;
  const Progress& progress_;
  StringIds ids_;
  NameColumn kernel_names_;
  NameColumn call_names_;
  NameColumn texts_;
  EventKeys keys_;
  EventFacts facts_;
  std::unordered_map<ClassKey, std::uint32_t, ClassKeyHash> classes_;
  ClassKey last_class_key_;
  std::uint32_t last_class_ = run::none;
  std::unordered_map<std::int64_t, std::uint32_t> call_name_of_id_;
  std::vector<std::uint64_t> graph_node_launches_;  // process and correlation; sorted before it is used
  std::vector<IterationCandidate> candidates_;
  std::vector<std::string> families_;
  std::uint64_t rows_done_ = 0;
  std::uint64_t rows_expected_ = 0;
};

}  // namespace kernwatt::readers::nsys
