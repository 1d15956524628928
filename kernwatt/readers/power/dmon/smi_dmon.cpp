// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/dmon/dmon.hpp"
#include "kernwatt/readers/power/dmon/words.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/log_collector.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

struct DmonName {
  std::string_view name;
  ColumnRole role;
};

// nvidia-smi dmon -h. "sm" and "mem" are utilisations, "mtemp" is the memory's temperature.
constexpr std::array dmon_names{DmonName{"gpu", ColumnRole::index},         DmonName{"date", ColumnRole::date},
                                DmonName{"time", ColumnRole::time_of_day},  DmonName{"pwr", ColumnRole::power_draw},
                                DmonName{"gtemp", ColumnRole::temperature}, DmonName{"temp", ColumnRole::temperature},
                                DmonName{"mclk", ColumnRole::memory_clock}, DmonName{"pclk", ColumnRole::sm_clock}};

// With --format csv a header has no mark; the names are what tells it.
bool is_bare_header(const std::vector<std::string_view>& words) {
  const auto has = [&](std::string_view name) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return lower(w.substr(0, w.find(' '))) == name; });
  };
  return has("gpu") && (has("pwr") || has("gtemp") || has("mclk") || has("pclk") || has("pid"));
}

// With --format csv,noheader only the units are printed: "#YYYYMMDD, HH:MM:SS, Idx, W, C, C". Only the power is in W,
// the first temperature is the GPU's, and of two clocks in MHz the memory's comes first, as dmon prints its groups.
std::vector<std::string_view> names_by_units(const std::vector<std::string_view>& units) {
  std::vector<std::string_view> names;
  const auto clocks = std::count_if(units.begin(), units.end(), [](std::string_view u) { return lower(u) == "mhz"; });
  std::ptrdiff_t clock = 0;
  bool temperature = false;
  for (const std::string_view word : units) {
    const std::string unit = lower(word);
    std::string_view name = "-";
    if (unit == "idx") name = "gpu";
    if (unit == "yyyymmdd") name = "date";
    if (unit == "hh:mm:ss") name = "time";
    if (unit == "w") name = "pwr";
    if (unit == "c" && !std::exchange(temperature, true)) name = "gtemp";
    if (unit == "mhz" && clocks == 2) name = ++clock == 1 ? "mclk" : "pclk";
    names.push_back(name);
  }
  return names;
}

class DmonReading {
 public:
  explicit DmonReading(LogCollector& log) : log_(log) {}

  void line(std::string_view text, bool terminated);
  void finish();
  std::uint64_t headers() const { return headers_; }
  bool saw_pmon() const { return saw_pmon_; }

 private:
  void header(const std::vector<std::string_view>& words);
  void row(const std::vector<std::string_view>& words);
  std::optional<Timestamp> time_of(std::string_view date, std::string_view clock);

  LogCollector& log_;
  std::vector<Column> columns_;
  std::vector<Reading> readings_;
  std::uint64_t headers_ = 0;
  std::uint64_t bad_rows_ = 0;
  std::string first_bad_;
  bool saw_pmon_ = false;
  bool torn_ = false;
  bool by_units_ = false;
  std::int64_t midnights_ns_ = 0;  // of a log that has the time of day only
  std::int64_t last_ns_ = 0;
};

void DmonReading::header(const std::vector<std::string_view>& words) {
  const auto has = [&](std::string_view name) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return lower(w) == name; });
  };
  if (!has("gpu")) {  // the row of units
    if (columns_.empty() && !saw_pmon_ && has("idx") && has("w")) {
      by_units_ = true;
      header(names_by_units(words));
    }
    return;
  }
  if (has("pid")) {
    saw_pmon_ = true;
    columns_.clear();
    return;
  }
  ++headers_;
  columns_.clear();
  for (const std::string_view word : words) {
    Column column;
    column.header = visible_text(word);
    column.unit_known = true;
    const std::string name = lower(word.substr(0, word.find(' ')));  // "pwr [W]" has its unit behind it
    const auto known =
        std::find_if(dmon_names.begin(), dmon_names.end(), [&](const DmonName& n) { return n.name == name; });
    if (known != dmon_names.end()) column.role = known->role;
    columns_.push_back(std::move(column));
  }
}

// "20240104" or "2024/01/04", and "13:54:35"; the day may be missing.
std::optional<Timestamp> DmonReading::time_of(std::string_view date, std::string_view clock) {
  std::string text(date);
  if (date.size() == 8 && date.find_first_not_of("0123456789") == std::string_view::npos) {
    text = fmt::format("{}-{}-{}", date.substr(0, 4), date.substr(4, 2), date.substr(6, 2));
  }
  if (!clock.empty()) text += (text.empty() ? "" : " ") + std::string(clock);
  auto stamp = parse_timestamp(text, TimeUnit::guess);
  if (!stamp || stamp->kind != TimeKind::relative) return stamp;
  if (stamp->ns + midnights_ns_ < last_ns_ - day_ns / 2) midnights_ns_ += day_ns;
  stamp->ns += midnights_ns_;
  last_ns_ = stamp->ns;
  return stamp;
}

void DmonReading::row(const std::vector<std::string_view>& words) {
  std::string_view date;
  std::string_view clock;
  std::optional<std::int64_t> gpu;
  readings_.clear();
  bool wants_time = false;
  for (std::size_t i = 0; i < columns_.size() && words.size() == columns_.size(); ++i) {
    const Column& column = columns_[i];
    wants_time |= column.role == ColumnRole::date || column.role == ColumnRole::time_of_day;
    if (column.role == ColumnRole::date) date = words[i];
    if (column.role == ColumnRole::time_of_day) clock = words[i];
    if (column.role == ColumnRole::index) gpu = parse_int64(words[i]);
    const bool reading = column.role != ColumnRole::ignored && column.role != ColumnRole::date &&
                         column.role != ColumnRole::time_of_day && column.role != ColumnRole::index;
    if (reading) readings_.push_back({&columns_[i], read_cell(words[i], columns_[i])});
  }
  const auto stamp = wants_time ? time_of(date, clock) : std::nullopt;
  if (!gpu || *gpu < 0 || *gpu > 100'000 || (wants_time && !stamp)) {
    if (bad_rows_++ == 0) first_bad_ = visible_text(fmt::format("{}", fmt::join(words, " ")).substr(0, 120));
    return;
  }
  run::GpuIdentity identity;
  identity.index = static_cast<int>(*gpu);
  log_.add(log_.gpu(identity), stamp, readings_);
}

void DmonReading::line(std::string_view text, bool terminated) {
  text = trim(text);
  if (text.empty()) return;
  if (text.front() == '#') {
    header(words_of_row(text.substr(1)));
    return;
  }
  const auto words = words_of_row(text);
  if (is_bare_header(words)) {
    header(words);
    return;
  }
  if (columns_.empty() || lower(words.front()) == "idx") return;
  if (!terminated && words.size() < columns_.size()) {
    torn_ = true;
    return;
  }
  row(words);
}

void DmonReading::finish() {
  if (bad_rows_ > 0) {
    log_.quality().add("power.bad-rows", Severity::warning,
                       fmt::format("rows that do not fit the header were left out; the first is {}", first_bad_),
                       bad_rows_);
  }
  if (torn_) log_.quality().add("power.torn-row", Severity::warning, "the last row lost its end and was left out");
  if (by_units_) {
    log_.quality().add("power.no-header", Severity::info,
                       "the log has the line of units and no names: its columns were told by their units; those that "
                       "no unit tells were not read");
  }
  if (midnights_ns_ > 0) {
    log_.quality().add("power.midnight", Severity::info, "the time of day passes midnight: a day was added each time",
                       static_cast<std::uint64_t>(midnights_ns_ / day_ns));
  }
  if (headers_ > 1) {
    log_.quality().add("power.header-repeated", Severity::info, "the header comes again among the rows", headers_ - 1);
  }
  if (log_.rows() > 0) {
    log_.quality().add("power.whole-watts", Severity::info,
                       "the powers are whole watts, so each is off by up to 0.5 W: query power.draw.instant for more");
  }
}

}  // namespace

Result<run::PowerLog> read_smi_dmon(ByteSource& source, const std::string& file, bool format_was_given,
                                    const Progress& progress) {
  LogCollector log(smi_dmon_format);
  DmonReading reading(log);
  TextLines lines(source, progress);
  KERNWATT_CHECK(lines.each([&](std::string_view line) { reading.line(line, lines.terminated()); }));
  reading.finish();
  note_decoding(lines.decoder(), log.quality());
  if (reading.headers() == 0 && reading.saw_pmon()) {
    return Error{ErrorCode::unsupported,
                 "nvidia-smi pmon lists processes and has no power: record with nvidia-smi dmon -o DT, or better with "
                 "nvidia-smi --query-gpu",
                 file};
  }
  return log.finish(file, format_was_given, source,
                    reading.headers() == 0 ? "no line is a header of nvidia-smi dmon (# gpu pwr …), and without it "
                                             "nothing says what the columns are"
                                           : "nvidia-smi dmon's header and no row: nothing was logged");
}

}  // namespace kernwatt::readers
