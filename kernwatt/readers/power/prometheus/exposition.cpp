// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/exposition.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/prometheus/metric_rows.hpp"
#include "kernwatt/readers/power/prometheus/sample_line.hpp"
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t longest_time_line = 200;
constexpr std::size_t most_series = 1'000'000;

// A time somewhere in a line: "# scrape 1767600000", "=== Mon Jan  5 12:00:00 2026 ===".
std::optional<Timestamp> time_in_line(std::string_view line) {
  const auto bare = [](std::string_view text) {
    constexpr std::string_view ornaments = "#=-*<>[]() \t";
    const std::size_t begin = text.find_first_not_of(ornaments);
    if (begin == std::string_view::npos) return std::string_view{};
    return text.substr(begin, text.find_last_not_of(ornaments) + 1 - begin);
  };
  line = bare(line);
  if (line.size() > longest_time_line) return std::nullopt;
  while (!line.empty()) {
    const auto stamp = parse_timestamp(line, TimeUnit::guess);
    if (stamp && stamp->kind != TimeKind::relative) return stamp;
    const std::size_t word = line.find_first_of(" \t=:");
    if (word == std::string_view::npos) return std::nullopt;
    line = bare(line.substr(word + 1));
  }
  return std::nullopt;
}

class ExpositionReading {
 public:
  explicit ExpositionReading(LogCollector& log) : log_(log), rows_(log) {}

  void line(std::string_view text);
  void finish();
  std::uint64_t samples() const { return samples_; }

 private:
  void begin_scrape(std::optional<Timestamp> stamp);
  void comment(std::string_view text);
  void sample(const SampleLine& sample);

  LogCollector& log_;
  MetricRows rows_;
  std::optional<Timestamp> time_;
  std::uint64_t round_ = 0;
  bool has_samples_ = false;  // of this scrape
  std::unordered_set<std::string> seen_;
  std::uint64_t samples_ = 0;
  std::uint64_t bad_lines_ = 0;
  std::string first_bad_;
};

void ExpositionReading::begin_scrape(std::optional<Timestamp> stamp) {
  if (stamp || has_samples_) time_ = stamp;
  if (has_samples_) ++round_;
  has_samples_ = false;
  seen_.clear();
}

void ExpositionReading::comment(std::string_view text) {
  const std::string_view words = trim(text.substr(1));
  if (words == "EOF") {
    begin_scrape(std::nullopt);
    return;
  }
  if (words.starts_with("HELP ") || words.starts_with("TYPE ") || words.starts_with("UNIT ")) return;
  if (const auto stamp = time_in_line(text)) begin_scrape(stamp);
}

void ExpositionReading::sample(const SampleLine& sample) {
  ++samples_;
  const Column* column = nullptr;
  if (!rows_.find(sample.name, column)) {
    rows_.ignore(sample.value);
    return;
  }
  // The same series again: the next scrape began, though no line says so.
  if (seen_.size() < most_series && !seen_.emplace(sample.series).second && sample.time.empty()) {
    begin_scrape(std::nullopt);
    seen_.emplace(sample.series);
  }
  has_samples_ = true;
  auto stamp = sample.time.empty() ? time_ : parse_timestamp(sample.time, TimeUnit::guess);
  rows_.add(identity_of(sample.labels), *column, sample.value, stamp, round_);
}

void ExpositionReading::line(std::string_view text) {
  text = trim(text);
  if (text.empty()) return;
  if (text.front() == '#') {
    comment(text);
    return;
  }
  if (const auto parsed = parse_sample_line(text)) {
    sample(*parsed);
    return;
  }
  if (const auto stamp = time_in_line(text)) {
    begin_scrape(stamp);
    return;
  }
  if (bad_lines_++ == 0) first_bad_ = visible_text(text.substr(0, 120));
}

void ExpositionReading::finish() {
  rows_.finish();
  if (bad_lines_ == 0) return;
  log_.quality().add("power.bad-rows", Severity::warning,
                     fmt::format("lines that are no samples were left out; the first is {}", first_bad_), bad_lines_);
}

}  // namespace

bool is_exposition_sample(std::string_view line) { return parse_sample_line(line).has_value(); }

Result<run::PowerLog> read_exposition(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress) {
  LogCollector log(prometheus_text_format);
  ExpositionReading reading(log);
  TextLines lines(source, progress);
  KERNWATT_CHECK(lines.each([&](std::string_view line) { reading.line(line); }));
  reading.finish();
  note_decoding(lines.decoder(), log.quality());
  return log.finish(file, format_was_given, source,
                    reading.samples() == 0
                        ? "no line of this file is a sample of a Prometheus exporter"
                        : "none of the metrics in this file is a power, energy or clock of a GPU with a label that "
                          "names it (gpu, UUID, pci_bus_id)");
}

}  // namespace kernwatt::readers
