// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/api_answer.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>

#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/prometheus/metric_rows.hpp"

namespace kernwatt::readers {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t block_size = std::size_t{256} << 10U;
constexpr std::size_t largest_answer = std::size_t{2} << 30U;

// What no comma, colon or bracket interrupts: a name or a value. None is long; a bomb of blanks or of one text is.
constexpr std::size_t longest_token = std::size_t{16} << 20U;

std::size_t token_after(std::string_view block, std::size_t before) {
  const std::size_t last = block.find_last_of(",:[]{}");
  return last == std::string_view::npos ? before + block.size() : block.size() - last;
}

Result<std::string> whole_text(ByteSource& source, const Progress& progress, TextDecoder& decoder) {
  KERNWATT_TRY(const std::string_view head, source.peek(4096));
  decoder.detect(head);
  std::string raw(block_size, '\0');
  std::string text;
  std::size_t token = 0;
  while (true) {
    KERNWATT_TRY(const std::size_t count, source.read(raw));
    if (count == 0) return text;
    token = token_after(std::string_view(raw).substr(0, count), token);
    if (token > longest_token) {
      return Error{
          ErrorCode::bad_data, "more than 16 MiB of blanks or of one text: this is no answer of Prometheus", {}};
    }
    decoder.decode(std::string_view(raw).substr(0, count), text);
    if (progress) progress(source.bytes_read_from_file(), source.file_size());
    if (text.size() > largest_answer) {
      return Error{
          ErrorCode::bad_data, "more than 2 GiB of JSON: ask Prometheus for a shorter time or fewer series", {}};
    }
  }
}

std::string_view text_of(dom::element element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

std::string_view member_text(dom::object object, std::string_view key) {
  dom::element element;
  return object[key].get(element) == simdjson::SUCCESS ? text_of(element) : std::string_view{};
}

// Prometheus keeps milliseconds; the nearest one undoes the binary fraction.
std::optional<Timestamp> time_of(dom::element element) {
  double seconds = 0;
  if (element.get(seconds) != simdjson::SUCCESS || !(seconds >= 0) || seconds > 7.2e9) return std::nullopt;
  Timestamp stamp;
  stamp.ns = std::llround(seconds * 1e3) * 1'000'000;
  stamp.kind = seconds < 1e8 ? TimeKind::relative : TimeKind::absolute;
  return stamp;
}

class AnswerReading {
 public:
  explicit AnswerReading(LogCollector& log) : log_(log), rows_(log) {}

  void document(dom::element element);
  void finish();
  std::uint64_t answers() const { return answers_; }
  std::uint64_t series() const { return series_; }
  const std::string& server_error() const { return server_error_; }

 private:
  void answer(dom::object object);
  void one_series(dom::object object);
  void one_value(const run::GpuIdentity& gpu, const Column& column, dom::element pair);

  LogCollector& log_;
  MetricRows rows_;
  std::uint64_t answers_ = 0;
  std::uint64_t series_ = 0;
  std::uint64_t unnamed_metrics_ = 0;
  std::uint64_t bad_values_ = 0;
  std::string server_error_;
};

void AnswerReading::one_value(const run::GpuIdentity& gpu, const Column& column, dom::element pair) {
  dom::array parts;
  if (pair.get(parts) != simdjson::SUCCESS || parts.size() != 2) {
    ++bad_values_;
    return;
  }
  const auto stamp = time_of(parts.at(0).value_unsafe());
  const std::string_view value = text_of(parts.at(1).value_unsafe());
  if (!stamp) {
    ++bad_values_;
    return;
  }
  rows_.add(gpu, column, value, stamp, 0);
}

void AnswerReading::one_series(dom::object object) {
  ++series_;
  dom::object metric;
  if (object["metric"].get(metric) != simdjson::SUCCESS) return;
  const std::string_view name = member_text(metric, "__name__");
  if (name.empty()) {
    ++unnamed_metrics_;
    return;
  }
  const Column* column = nullptr;
  if (!rows_.find(name, column)) return;
  Labels labels;
  for (const auto& [key, value] : metric) labels.emplace_back(key, text_of(value));
  const run::GpuIdentity gpu = identity_of(labels);
  dom::element values;
  if (object["value"].get(values) == simdjson::SUCCESS) {
    one_value(gpu, *column, values);
    return;
  }
  dom::array series;
  if (object["values"].get(series) != simdjson::SUCCESS) return;
  for (const dom::element pair : series) one_value(gpu, *column, pair);
}

void AnswerReading::answer(dom::object object) {
  const std::string_view status = member_text(object, "status");
  if (status.empty()) return;
  ++answers_;
  if (status != "success") {
    server_error_ = visible_text(member_text(object, "error").substr(0, 200));
    if (server_error_.empty()) server_error_ = "no reason given";
    log_.quality().add("power.server-error", Severity::warning,
                       fmt::format("an answer is the server's error, not data: {}", server_error_));
    return;
  }
  dom::array result;
  if (object["data"]["result"].get(result) != simdjson::SUCCESS) return;
  for (const dom::element one : result) {
    dom::object series;
    if (one.get(series) == simdjson::SUCCESS) one_series(series);
  }
}

void AnswerReading::document(dom::element element) {
  dom::object object;
  if (element.get(object) == simdjson::SUCCESS) {
    answer(object);
    return;
  }
  dom::array array;
  if (element.get(array) != simdjson::SUCCESS) return;
  for (const dom::element one : array) {
    if (one.get(object) == simdjson::SUCCESS) answer(object);
  }
}

void AnswerReading::finish() {
  rows_.finish();
  if (unnamed_metrics_ > 0) {
    log_.quality().add("power.unnamed-metric", Severity::warning,
                       "series without __name__ were left out: a function or a sum in the query takes the name away, "
                       "and nothing then says what the numbers are. Query the metric itself",
                       unnamed_metrics_);
  }
  if (bad_values_ > 0) {
    log_.quality().add("power.bad-rows", Severity::warning,
                       "values that are no pair of a time and a text were left out", bad_values_);
  }
}

std::string nothing_in(const AnswerReading& reading) {
  if (reading.answers() == 0)
    return "this JSON is no answer of Prometheus' HTTP API: it has no \"status\" and \"data\"";
  if (reading.series() == 0 && !reading.server_error().empty()) {
    return fmt::format("Prometheus answered with an error: {}", reading.server_error());
  }
  if (reading.series() == 0) return "Prometheus found no series: the query matched nothing at that time";
  return "none of the series is a power, energy or clock of a GPU with its name (__name__) and a label that names the "
         "GPU (gpu, UUID): query the metric itself, such as DCGM_FI_DEV_POWER_USAGE";
}

}  // namespace

Result<run::PowerLog> read_api_answer(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress) {
  LogCollector log(prometheus_json_format);
  AnswerReading reading(log);
  TextDecoder decoder;
  KERNWATT_TRY(const std::string text, whole_text(source, progress, decoder));
  note_decoding(decoder, log.quality());
  dom::parser parser;
  const simdjson::padded_string padded(text);
  dom::document_stream documents;
  std::string fault;
  if (const auto error = parser.parse_many(padded, std::max<std::size_t>(padded.size(), 64)).get(documents)) {
    fault = simdjson::error_message(error);
  }
  for (auto it = documents.begin(); fault.empty() && it != documents.end(); ++it) {
    auto document = *it;
    if (document.error() != simdjson::SUCCESS) {
      fault = simdjson::error_message(document.error());
      break;
    }
    reading.document(document.value_unsafe());
  }
  if (fault.empty() && documents.truncated_bytes() > 0) fault = "the last document is cut";
  reading.finish();
  if (!fault.empty()) {
    if (reading.answers() == 0) {
      return Error{ErrorCode::bad_data, fmt::format("this is no whole JSON answer of Prometheus: {}", fault), file};
    }
    log.quality().add(
        "power.damaged-document", Severity::warning,
        fmt::format("after {} answer(s) the JSON is damaged ({}): the rest was not read", reading.answers(), fault));
  }
  return log.finish(file, format_was_given, source, nothing_in(reading));
}

}  // namespace kernwatt::readers
