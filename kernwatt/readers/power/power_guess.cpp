// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"

namespace kernwatt::readers {

namespace {

struct Foreign {
  std::string_view mark;
  std::string_view what;
};

constexpr std::array at_the_start{Foreign{"SQLite format 3", "an SQLite database"},
                                  Foreign{"<?xml", "XML (nvidia-smi -q -x)"},
                                  Foreign{"<!DOCTYPE", "XML (nvidia-smi -q -x)"},
                                  Foreign{"{", "JSON"},
                                  Foreign{"[", "JSON"},
                                  Foreign{"# HELP", "Prometheus metrics"},
                                  Foreign{"# TYPE", "Prometheus metrics"},
                                  Foreign{"#Entity", "dcgmi dmon's table"},
                                  Foreign{"# Entity", "dcgmi dmon's table"},
                                  Foreign{"# gpu", "nvidia-smi dmon's table"},
                                  Foreign{"#Date", "nvidia-smi dmon's table"},
                                  Foreign{"\x7f"
                                          "ELF",
                                          "a program"},
                                  Foreign{"PK\x03\x04", "a ZIP archive"}};

constexpr std::array anywhere{
    Foreign{"+-----------", "the table that nvidia-smi draws"},
    Foreign{"==============NVSMI LOG==============", "nvidia-smi -q's listing"},
    Foreign{"emissions_rate", "a CodeCarbon summary: one row per run, without a course of power"},
    Foreign{"window_name", "a Zeus profile: one energy per window, without a course of power"}};

Error foreign(std::string_view what) {
  return {ErrorCode::unsupported,
          fmt::format("this looks like {}. Accepted power logs are {}; record one with nvidia-smi "
                      "--query-gpu=timestamp,index,uuid,power.draw.instant,power.draw --format=csv -lms 100",
                      what, accepted_power_formats()),
          {}};
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

}  // namespace

std::string accepted_power_formats() {
  return fmt::format("{}, {}, {}", power_csv_format, power_samples_format, nvidia_smi_format);
}

Result<PowerGuess> guess_power_table(std::string_view head) {
  const std::string_view text = trim(head);
  if (text.empty()) {
    return Error{ErrorCode::bad_data,
                 fmt::format("nothing but blanks or zero bytes; accepted power logs are {}", accepted_power_formats()),
                 {}};
  }
  for (const Foreign& known : at_the_start) {
    if (text.starts_with(known.mark)) return foreign(known.what);
  }
  for (const Foreign& known : anywhere) {
    if (text.substr(0, 4096).find(known.mark) != std::string_view::npos) return foreign(known.what);
  }
  if (is_binary(text)) return foreign("binary data");
  return PowerGuess{delimiter_of(text)};
}

}  // namespace kernwatt::readers
