// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// The tables of a Run file, word for word as docs/run-file.md documents them (a test compares).
namespace kernwatt::run {

/// "KWRN": PRAGMA application_id, by which file(1) and load_run know a Run.
inline constexpr std::int32_t run_application_id = 0x4b57524e;

struct TableDefinition {
  std::string_view name;
  std::string_view sql;
  int since = 1;  ///< the format version that brought the table
};

/// What version 2 added to tables of version 1: the host of a GPU, the waiting in collectives and whose they are.
inline constexpr std::array<std::string_view, 3> added_by_version_2{
    ",\n  host TEXT NOT NULL", ",\n  comm_waiting_ns INTEGER", ",\n  process_group INTEGER"};

/// The statement as a file of that version holds it.
inline std::string sql_in_version(const TableDefinition& table, int version) {
  std::string sql(table.sql);
  if (version >= 2 || table.since >= 2) return sql;
  for (const std::string_view added : added_by_version_2)
    if (const std::size_t at = sql.find(added); at != std::string::npos) sql.erase(at, added.size());
  return sql;
}

inline constexpr std::array run_tables{
    TableDefinition{"run", R"(CREATE TABLE run (
  tool_version TEXT NOT NULL,
  command_line TEXT NOT NULL,
  created_ns INTEGER NOT NULL
))"},
    TableDefinition{"seal", R"(CREATE TABLE seal (
  checksum INTEGER NOT NULL
))"},
    TableDefinition{"quality", R"(CREATE TABLE quality (
  owner_table TEXT NOT NULL,
  owner INTEGER NOT NULL,
  id TEXT NOT NULL,
  severity TEXT NOT NULL,
  count INTEGER NOT NULL,
  message TEXT NOT NULL
))"},
    TableDefinition{"column_part", R"(CREATE TABLE column_part (
  owner_table TEXT NOT NULL,
  owner INTEGER NOT NULL,
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (owner_table, owner, name, part)
))"},
    TableDefinition{"device", R"(CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  gpu_index INTEGER,
  uuid TEXT NOT NULL,
  pci_bus_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sm_count INTEGER,
  host TEXT NOT NULL
))"},
    TableDefinition{"power_log", R"(CREATE TABLE power_log (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  basis TEXT NOT NULL
))"},
    TableDefinition{"power_gpu", R"(CREATE TABLE power_gpu (
  id INTEGER PRIMARY KEY,
  power_log INTEGER NOT NULL,
  gpu_index INTEGER,
  uuid TEXT NOT NULL,
  pci_bus_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sm_count INTEGER,
  host TEXT NOT NULL,
  power_limit_w REAL,
  rows INTEGER NOT NULL,
  missing_power INTEGER NOT NULL
))"},
    TableDefinition{"missing_token", R"(CREATE TABLE missing_token (
  id INTEGER PRIMARY KEY,
  power_gpu INTEGER NOT NULL,
  token TEXT NOT NULL,
  count INTEGER NOT NULL
))",
                    2},
    TableDefinition{"recorded_total", R"(CREATE TABLE recorded_total (
  id INTEGER PRIMARY KEY,
  power_log INTEGER NOT NULL,
  name TEXT NOT NULL,
  gpu_index INTEGER,
  uuid TEXT NOT NULL,
  pci_bus_id TEXT NOT NULL,
  gpu_name TEXT NOT NULL,
  sm_count INTEGER,
  host TEXT NOT NULL,
  gpu_count INTEGER,
  start_ns INTEGER,
  duration_s REAL,
  energy_j REAL,
  power_w REAL
))",
                    2},
    TableDefinition{"supported_clocks", R"(CREATE TABLE supported_clocks (
  id INTEGER PRIMARY KEY,
  power_log INTEGER NOT NULL,
  gpu_index INTEGER,
  uuid TEXT NOT NULL,
  pci_bus_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sm_count INTEGER,
  host TEXT NOT NULL
))",
                    2},
    TableDefinition{"supported_memory_clock", R"(CREATE TABLE supported_memory_clock (
  id INTEGER PRIMARY KEY,
  supported_clocks INTEGER NOT NULL,
  memory_mhz REAL NOT NULL
))",
                    2},
    TableDefinition{"kernel_class", R"(CREATE TABLE kernel_class (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  grid_x INTEGER,
  grid_y INTEGER,
  grid_z INTEGER,
  block_x INTEGER,
  block_y INTEGER,
  block_z INTEGER,
  registers_per_thread INTEGER,
  shared_memory_bytes INTEGER,
  category TEXT NOT NULL,
  flops_per_launch REAL,
  attribution_row INTEGER
))"},
    TableDefinition{"iteration", R"(CREATE TABLE iteration (
  period_ns INTEGER NOT NULL,
  observed INTEGER NOT NULL
))"},
    TableDefinition{"iteration_layer", R"(CREATE TABLE iteration_layer (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
))"},
    TableDefinition{"iteration_phase", R"(CREATE TABLE iteration_phase (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
))"},
    TableDefinition{"observation", R"(CREATE TABLE observation (
  id INTEGER PRIMARY KEY,
  kernel_class INTEGER,
  core_mhz REAL,
  memory_mhz REAL,
  power_limit_w REAL,
  count INTEGER NOT NULL,
  time_mean_s REAL NOT NULL,
  time_variance_s2 REAL NOT NULL,
  power_mean_w REAL,
  power_variance_w2 REAL
))"},
    TableDefinition{"trace_summary", R"(CREATE TABLE trace_summary (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  rank INTEGER,
  kernels INTEGER NOT NULL,
  distinct_names INTEGER NOT NULL,
  busy_sum_ns INTEGER NOT NULL,
  busy_union_ns INTEGER NOT NULL,
  memcpy_count INTEGER NOT NULL,
  memset_count INTEGER NOT NULL,
  comm_ns INTEGER NOT NULL,
  comm_overlapped_ns INTEGER NOT NULL,
  start_ns INTEGER,
  end_ns INTEGER,
  comm_waiting_ns INTEGER
))"},
    TableDefinition{"power_summary", R"(CREATE TABLE power_summary (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  gpu TEXT NOT NULL,
  samples INTEGER NOT NULL,
  missing INTEGER NOT NULL,
  start_ns INTEGER,
  end_ns INTEGER,
  energy_j REAL,
  energy_counter_j REAL,
  max_gap_s REAL
))"},
    TableDefinition{"energy_account", R"(CREATE TABLE energy_account (
  id INTEGER PRIMARY KEY,
  gpu TEXT NOT NULL,
  source TEXT NOT NULL,
  start_ns INTEGER,
  end_ns INTEGER,
  total_j REAL,
  attributed_j REAL,
  idle_j REAL,
  unattributed_j REAL,
  lag_ms REAL,
  delay_ms REAL,
  execution_idle_w REAL,
  execution_idle_low_w REAL,
  execution_idle_high_w REAL,
  reference_mhz REAL
))"},
    TableDefinition{"iteration_summary", R"(CREATE TABLE iteration_summary (
  count INTEGER NOT NULL,
  found_by TEXT NOT NULL,
  period_s REAL,
  energy_j REAL,
  energy_low_j REAL,
  energy_high_j REAL,
  tokens_per_joule REAL
))"},
    TableDefinition{"attribution_row", R"(CREATE TABLE attribution_row (
  position INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  parent INTEGER,
  view TEXT NOT NULL,
  gpu INTEGER,
  rank INTEGER,
  name TEXT NOT NULL,
  detail TEXT NOT NULL,
  launches INTEGER NOT NULL,
  time_s REAL NOT NULL,
  energy_j REAL,
  energy_low_j REAL,
  energy_high_j REAL,
  power_w REAL,
  power_low_w REAL,
  power_high_w REAL,
  power_at_reference_w REAL,
  power_at_reference_low_w REAL,
  power_at_reference_high_w REAL,
  share_of_total REAL,
  flops REAL,
  j_per_flop REAL,
  flags TEXT NOT NULL
))"},
    TableDefinition{"tied_group", R"(CREATE TABLE tied_group (
  position INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  energy_j REAL NOT NULL,
  energy_low_j REAL NOT NULL,
  energy_high_j REAL NOT NULL
))"},
    TableDefinition{"explanation", R"(CREATE TABLE explanation (
  position INTEGER PRIMARY KEY,
  row_id INTEGER NOT NULL,
  time_share_energy_j REAL,
  how TEXT NOT NULL
))"},
    TableDefinition{"trace", R"(CREATE TABLE trace (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  rank INTEGER,
  world_size INTEGER,
  time_is_absolute INTEGER NOT NULL
))"},
    TableDefinition{"trace_name", R"(CREATE TABLE trace_name (
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL
))"},
    TableDefinition{"trace_gpu", R"(CREATE TABLE trace_gpu (
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  gpu_index INTEGER,
  uuid TEXT NOT NULL,
  pci_bus_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sm_count INTEGER,
  host TEXT NOT NULL
))"},
    TableDefinition{"trace_stream", R"(CREATE TABLE trace_stream (
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  gpu INTEGER NOT NULL,
  name INTEGER,
  process_group INTEGER
))"},
    TableDefinition{"trace_class", R"(CREATE TABLE trace_class (
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name INTEGER,
  kind TEXT NOT NULL,
  grid_x INTEGER,
  grid_y INTEGER,
  grid_z INTEGER,
  block_x INTEGER,
  block_y INTEGER,
  block_z INTEGER,
  registers_per_thread INTEGER,
  shared_memory_bytes INTEGER
))"},
    TableDefinition{"trace_site", R"(CREATE TABLE trace_site (
  trace INTEGER NOT NULL,
  position INTEGER NOT NULL,
  op INTEGER,
  outer_op INTEGER,
  shapes INTEGER,
  types INTEGER,
  ranges BLOB NOT NULL,
  on_backward_thread INTEGER NOT NULL,
  graph INTEGER
))"},
};

}  // namespace kernwatt::run
