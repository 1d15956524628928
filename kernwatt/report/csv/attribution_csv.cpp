// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/csv/attribution_csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <iterator>
#include <string_view>

#include "kernwatt/report/rows.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

class CsvLine {
 public:
  explicit CsvLine(std::string& out) : out_(out) {}
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;
  ~CsvLine() { out_ += '\n'; }

  void add(std::string_view text) {
    separate();
    std::string clean;
    for (const char c : repair_utf8(text)) clean += c == '\0' ? std::string("\\x00") : std::string(1, c);
    if (clean.find_first_of(",\"\r\n") == std::string::npos) {
      out_ += clean;
      return;
    }
    out_ += '"';
    for (const char c : clean) out_.append(c == '"' ? 2 : 1, c);
    out_ += '"';
  }
  void add(double number) {
    separate();
    if (std::isfinite(number)) fmt::format_to(std::back_inserter(out_), "{}", number);
  }
  template <std::integral T>
  void add(T number) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", number);
  }
  template <class T>
  void add(const std::optional<T>& maybe) {
    maybe ? add(*maybe) : separate();
  }
  void add(const std::optional<run::Interval>& interval) {
    interval ? add(interval->low) : separate();
    interval ? add(interval->high) : separate();
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

void write_row(std::string& out, const run::Row& row) {
  CsvLine line(out);
  line.add(run::to_string(row.view));
  line.add(row.id);
  line.add(row.parent);
  line.add(row.gpu);
  line.add(row.rank);
  line.add(std::string_view(row.name));
  line.add(std::string_view(row.detail));
  line.add(row.launches);
  line.add(row.time_s);
  line.add(row.energy_j);
  line.add(row.energy_ci95_j);
  line.add(row.power_w);
  line.add(row.power_ci95_w);
  line.add(row.power_at_reference_w);
  line.add(row.power_at_reference_ci95_w);
  line.add(row.share_of_total);
  line.add(row.flops);
  line.add(row.j_per_flop);
  line.add(std::string_view(fmt::format("{}", fmt::join(row.flags, ";"))));
}

}  // namespace

std::string attribution_csv(const run::Run& run, run::View view) {
  std::string out =
      "view,id,parent,gpu,rank,name,detail,launches,time_s,energy_j,energy_ci95_low_j,energy_ci95_high_j,power_w,"
      "power_ci95_low_w,power_ci95_high_w,power_at_reference_w,power_at_reference_ci95_low_w,"
      "power_at_reference_ci95_high_w,share_of_total,flops,j_per_flop,flags\n";
  for (const run::Row* row : rows_of_view(run.attribution, view)) write_row(out, *row);
  return out;
}

}  // namespace kernwatt::report
