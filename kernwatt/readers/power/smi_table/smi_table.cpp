// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/smi_table/smi_table.hpp"

#include <array>
#include <vector>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_collector.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {

Column column_for(ColumnRole role, std::string_view header) {
  Column column;
  column.role = role;
  column.header = header;
  column.unit_known = true;
  return column;
}

const std::array<Column, 3>& columns() {
  static const std::array all{column_for(ColumnRole::power_draw, "Pwr:Usage"),
                              column_for(ColumnRole::power_limit, "Cap"), column_for(ColumnRole::temperature, "Temp")};
  return all;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line.remove_prefix(1);
  while (true) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) return cells;
    cells.push_back(trim(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
}

// The name is in a column of its own width and may be cut: "NVIDIA GeForce RTX 2080 Ti     Off" ends with the state of
// persistence mode.
std::string_view without_last_word(std::string_view text) {
  const std::size_t blank = text.find_last_of(' ');
  return blank == std::string_view::npos ? text : trim(text.substr(0, blank));
}

/// A GPU takes two lines and more of the table: "|   0  NVIDIA H100 …  On | 00000000:E1:00.0 Off | …" and
/// "| N/A   29C    P0    61W /  400W | …".
class TableReading {
 public:
  explicit TableReading(LogCollector& log) : log_(log) {}
  void line(std::string_view text);
  std::uint64_t tables() const { return tables_; }

 private:
  bool first_line(const std::vector<std::string_view>& cells);
  bool second_line(std::string_view cell);

  LogCollector& log_;
  std::optional<Timestamp> time_;
  std::optional<run::GpuIdentity> gpu_;  // its second line is to come
  std::uint64_t tables_ = 0;
  bool in_gpus_ = false;
};

bool TableReading::first_line(const std::vector<std::string_view>& cells) {
  if (cells.size() < 2) return false;
  const std::size_t blank = cells[0].find(' ');
  const auto index = parse_int64(cells[0].substr(0, blank));
  if (!index || *index < 0 || *index > 4096 || blank == std::string_view::npos) return false;
  const std::string_view bus_id = cells[1].substr(0, cells[1].find(' '));
  if (bus_id.find(':') == std::string_view::npos) return false;
  gpu_.emplace();
  gpu_->index = static_cast<int>(*index);
  gpu_->pci_bus_id = visible_text(bus_id);
  gpu_->name = visible_text(without_last_word(trim(cells[0].substr(blank))));
  return true;
}

bool TableReading::second_line(std::string_view cell) {
  const std::size_t slash = cell.find('/', cell.starts_with("N/A") ? 3 : 0);
  if (slash == std::string_view::npos) return false;
  const std::string_view before = trim(cell.substr(0, slash));
  const std::string_view draw = before.substr(before.find_last_of(" \t") + 1);
  std::string_view temperature;
  for (std::string_view rest = before; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word.size() > 1 && word.back() == 'C' && parse_int64(word.substr(0, word.size() - 1))) temperature = word;
    rest = trim(rest.substr(word.size()));
  }
  const std::array<Reading, 3> readings{Reading{columns().data(), read_cell(draw, columns()[0])},
                                        Reading{&columns()[1], read_cell(cell.substr(slash + 1), columns()[1])},
                                        Reading{&columns()[2], read_cell(temperature, columns()[2])}};
  log_.add(log_.gpu(*gpu_), time_, readings);
  return true;
}

void TableReading::line(std::string_view text) {
  text = trim(text);
  if (text.find("Processes:") != std::string_view::npos || text.find("MIG devices:") != std::string_view::npos) {
    in_gpus_ = false;
  }
  if (!text.starts_with('|')) {
    if (text.empty() || text.starts_with('+')) return;
    // "watch" puts its own words before the time.
    const auto stamp = parse_timestamp(text, TimeUnit::guess);
    if (stamp && stamp->kind != TimeKind::relative) time_ = stamp;
    return;
  }
  if (text.find("NVIDIA-SMI") != std::string_view::npos) {
    ++tables_;
    in_gpus_ = true;
    gpu_.reset();
    return;
  }
  if (!in_gpus_) return;
  const auto cells = cells_of(text);
  if (gpu_ && !cells.empty() && second_line(cells[0])) {
    gpu_.reset();
    return;
  }
  first_line(cells);
}

}  // namespace

Result<run::PowerLog> read_smi_table(ByteSource& source, const std::string& file, bool format_was_given,
                                     const Progress& progress) {
  LogCollector log(smi_table_format);
  TableReading reading(log);
  TextLines lines(source, progress);
  KERNWATT_CHECK(lines.each([&](std::string_view line) { reading.line(line); }));
  note_decoding(lines.decoder(), log.quality());
  if (log.rows() > 0) {
    log.quality().add("power.whole-watts", Severity::info,
                      "the powers are whole watts, so each is off by up to 0.5 W: query power.draw.instant for more");
  }
  return log.finish(file, format_was_given, source,
                    reading.tables() == 0 ? "this is not the table that nvidia-smi draws"
                                          : "the table that nvidia-smi draws, and no GPU in it");
}

}  // namespace kernwatt::readers
