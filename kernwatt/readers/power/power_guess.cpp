// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/dmon/dmon.hpp"
#include "kernwatt/readers/power/dmon/words.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/prometheus/api_answer.hpp"
#include "kernwatt/readers/power/prometheus/exposition.hpp"
#include "kernwatt/readers/power/prometheus/metric_csv.hpp"
#include "kernwatt/readers/power/smi_query/smi_text.hpp"
#include "kernwatt/readers/power/smi_query/smi_xml.hpp"
#include "kernwatt/readers/power/smi_table/smi_table.hpp"
#include "kernwatt/readers/power/totals/totals_csv.hpp"
#include "kernwatt/readers/read.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t most_looked_at = std::size_t{16} << 10U;
constexpr std::size_t most_lines = 60;

struct Foreign {
  std::string_view mark;
  std::string_view what;
};

constexpr std::string_view sqlite_mark = "SQLite format 3";

constexpr std::array at_the_start{Foreign{"\x7f"
                                          "ELF",
                                          "a program"},
                                  Foreign{"PK\x03\x04", "a ZIP archive"}};

struct Mark {
  std::string_view mark;
  std::string_view format;
};

// What a format's file begins with, possibly behind a few other lines.
constexpr std::array line_starts{
    Mark{"#Entity", dcgmi_dmon_format},      Mark{"# Entity", dcgmi_dmon_format},
    Mark{"# HELP ", prometheus_text_format}, Mark{"# TYPE ", prometheus_text_format},
    Mark{"<?xml", smi_xml_format},           Mark{"<!DOCTYPE nvidia_smi_log", smi_xml_format},
    Mark{"<nvidia_smi_log", smi_xml_format}};

Error foreign(std::string_view what) {
  return {
      ErrorCode::unsupported,
      fmt::format("this looks like {}, not like a power log (docs/formats.md lists them). Record one with nvidia-smi "
                  "--query-gpu=timestamp,index,uuid,power.draw.instant,power.draw --format=csv -lms 100",
                  what),
      {}};
}

Error not_for_this_command(std::string_view what, std::string_view command) {
  return {ErrorCode::unsupported, fmt::format("this is {}, not a power log: {}", what, command), {}};
}

// The first 100 bytes of an SQLite file have the application's id; the zero bytes among them were taken out. The names
// of the tables stand in the pages that follow.
Error database(std::string_view head) {
  constexpr std::string_view run_id = "KWRN";  // run::run_application_id
  constexpr std::size_t header_size = 100;
  if (head.substr(0, header_size).find(run_id) != std::string_view::npos) {
    return not_for_this_command("a kernwatt Run", "kernwatt show FILE");
  }
  if (head.find("CUPTI_ACTIVITY_KIND") != std::string_view::npos || head.find("StringIds") != std::string_view::npos) {
    return not_for_this_command("a trace of Nsight Systems", "kernwatt attribute FILE");
  }
  return foreign("an SQLite database");
}

// Chrome's trace events: an object with them, or their bare array.
bool is_profiler_trace(std::string_view head) {
  const auto has = [head](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\""))) return true;
  return head.front() == '[' && has("\"ph\"") && has("\"ts\"");
}

bool is_binary(std::string_view head) {
  const std::string_view looked_at = head.substr(0, 4096);
  const auto control = std::count_if(looked_at.begin(), looked_at.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 32 && c != '\n' && c != '\r' && c != '\t') || byte == 127;
  });
  if (static_cast<std::size_t>(control) * 20 > looked_at.size()) return true;
  // A table may have names in any alphabet, but not be made of broken ones.
  return count_broken_utf8(looked_at) * 10 > looked_at.size();
}

char delimiter_of(std::string_view head) {
  const std::string_view text = trim(head);
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t'}) {
    const auto count = std::count(line.begin(), line.end(), candidate);
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}

// "# gpu    pwr …", "#Time        gpu …", "#Date       Time        gpu …", and with commas: all of dmon and pmon.
bool is_dmon_header(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const auto words = words_of_row(line.substr(1));
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 3); ++i) {
    const std::string word = lower(words[i]);
    if (word == "gpu") return words.size() > i + 1;
    if (word != "date" && word != "time") return false;
  }
  return false;
}

// With noheader only dmon's line of units is left: "#YYYYMMDD, HH:MM:SS, Idx, W, C, C", "# Idx      W      C".
bool is_dmon_units(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const auto words = words_of_row(line.substr(1));
  const auto has = [&](std::string_view name) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return lower(w) == name; });
  };
  return has("idx") && has("w");
}

// With --format csv dmon's header has no mark; "pwr" is what tells it from other tables.
bool is_dmon_csv_header(std::string_view line) {
  const auto words = words_of_row(line);
  const auto has = [&](std::string_view name) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return lower(w.substr(0, w.find(' '))) == name; });
  };
  return has("gpu") && (has("gtemp") || has("mclk")) && has("pwr");
}

std::string_view format_of_line(std::string_view line) {
  for (const Mark& known : line_starts) {
    if (line.starts_with(known.mark)) return known.format;
  }
  if (is_dmon_header(line) || is_dmon_csv_header(line) || is_dmon_units(line)) return smi_dmon_format;
  if (const std::string_view totals = totals_format_of(line); !totals.empty()) return totals;
  if (is_metric_header(line)) return metric_csv_format;
  if (line.find('{') != std::string_view::npos && is_exposition_sample(line)) return prometheus_text_format;
  return {};
}

// A listing is sure by its title, wherever it stands; the drawn table may precede one, so it comes last.
std::string_view format_of_text(std::string_view text) {
  if (text.find("==============NVSMI LOG==============") != std::string_view::npos) return smi_query_format;
  std::string_view rest = text.substr(0, most_looked_at);
  for (std::size_t i = 0; i < most_lines && !rest.empty(); ++i) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trim(rest.substr(0, end));
    if (const std::string_view format = format_of_line(line); !format.empty()) return format;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  if (text.find("| NVIDIA-SMI ") != std::string_view::npos) return smi_table_format;
  return {};
}

}  // namespace

std::string accepted_power_formats() { return fmt::format("{}", fmt::join(power_formats(), ", ")); }

Result<PowerGuess> guess_power_format(std::string_view head) {
  const std::string_view text = trim(head);
  if (text.empty()) {
    return Error{ErrorCode::bad_data, "nothing but blanks or zero bytes: this is no power log", {}};
  }
  if (head.starts_with(sqlite_mark)) return database(head);
  for (const Foreign& known : at_the_start) {
    if (text.starts_with(known.mark)) return foreign(known.what);
  }
  if (is_binary(text)) return foreign("binary data");
  if ((text.front() == '{' || text.front() == '[') && is_profiler_trace(text)) {
    return not_for_this_command("a profiler trace", "kernwatt attribute FILE");
  }
  if (text.front() == '{' || text.starts_with("[{") || text.starts_with("[\n") || text.starts_with("[ ")) {
    return PowerGuess{prometheus_json_format, ','};
  }
  return PowerGuess{format_of_text(text), delimiter_of(text)};
}

}  // namespace kernwatt::readers
