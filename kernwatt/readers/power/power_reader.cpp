// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/power_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/dmon/dmon.hpp"
#include "kernwatt/readers/power/power_csv.hpp"
#include "kernwatt/readers/power/power_guess.hpp"
#include "kernwatt/readers/power/prometheus/api_answer.hpp"
#include "kernwatt/readers/power/prometheus/exposition.hpp"
#include "kernwatt/readers/power/prometheus/metric_csv.hpp"
#include "kernwatt/readers/power/smi_query/smi_text.hpp"
#include "kernwatt/readers/power/smi_query/smi_xml.hpp"
#include "kernwatt/readers/power/smi_table/smi_table.hpp"
#include "kernwatt/readers/power/totals/totals_csv.hpp"

namespace kernwatt::readers {

namespace {

// A capture may have a listing far behind its beginning.
constexpr std::size_t head_size = std::size_t{256} << 10U;

using ReadFunction = Result<run::PowerLog> (*)(ByteSource&, const std::string&, bool, const Progress&);

struct PowerReader {
  std::string_view format;
  ReadFunction read;  // null: a table of separated values, which needs its delimiter
};

template <const std::string_view& format>
Result<run::PowerLog> read_totals(ByteSource& source, const std::string& file, bool given, const Progress& progress) {
  return read_totals_csv(source, file, format, given, progress);
}

// A new format is a line here, and its marks in power_guess.cpp.
constexpr std::array power_readers{PowerReader{nvidia_smi_format, nullptr},
                                   PowerReader{power_csv_format, nullptr},
                                   PowerReader{power_samples_format, nullptr},
                                   PowerReader{smi_query_format, read_smi_text},
                                   PowerReader{smi_xml_format, read_smi_xml},
                                   PowerReader{smi_dmon_format, read_smi_dmon},
                                   PowerReader{smi_table_format, read_smi_table},
                                   PowerReader{dcgmi_dmon_format, read_dcgmi_dmon},
                                   PowerReader{prometheus_text_format, read_exposition},
                                   PowerReader{prometheus_json_format, read_api_answer},
                                   PowerReader{metric_csv_format, read_metric_csv},
                                   PowerReader{zeus_windows_format, read_totals<zeus_windows_format>},
                                   PowerReader{zeus_summary_format, read_totals<zeus_summary_format>},
                                   PowerReader{codecarbon_format, read_totals<codecarbon_format>}};

const PowerReader* reader_of(std::string_view format) {
  const auto* const found = std::find_if(power_readers.begin(), power_readers.end(),
                                         [format](const PowerReader& reader) { return reader.format == format; });
  return found == power_readers.end() ? nullptr : found;
}

Error at(Error error, const std::string& file) {
  if (error.where.empty()) error.where = file;
  return error;
}

Result<PowerGuess> guess_from(ByteSource& source) {
  KERNWATT_TRY(const std::string_view head, source.peek(head_size));
  TextDecoder decoder;
  decoder.detect(head.substr(0, 4096));
  std::string text;
  decoder.decode(head, text);
  return guess_power_format(text);
}

// The content is asked even when a format was named: a file of another kind must not be believed to be of this one.
Error not_what_was_asked(std::string_view asked, std::string_view found) {
  return {ErrorCode::bad_data,
          fmt::format("this was to be read as {}, but its content is {}: leave out --power-format, or give that name",
                      asked, found),
          {}};
}

std::string beginning_of(ByteSource& source) {
  constexpr std::size_t most = 80;
  const auto head = source.peek(head_size);
  if (!head) return {};
  TextDecoder decoder;
  decoder.detect(head->substr(0, 4096));
  std::string text;
  decoder.decode(head->substr(0, 4096), text);
  const std::string_view line = trim(std::string_view(text));
  return visible_text(trim(line.substr(0, std::min(line.find('\n'), most))));
}

}  // namespace

std::vector<std::string_view> power_formats() {
  std::vector<std::string_view> names;
  names.reserve(power_readers.size());
  for (const PowerReader& reader : power_readers) names.push_back(reader.format);
  return names;
}

Result<run::PowerLog> read_power(ByteSource& source, const std::string& file, std::string_view format,
                                 const Progress& progress) {
  const auto guess = guess_from(source);
  if (!guess) return at(guess.error(), file);
  const bool given = !format.empty();
  const PowerReader* const reader = reader_of(given ? format : guess->format);
  const bool table = reader == nullptr || reader->read == nullptr;
  const std::string beginning = given && !table ? beginning_of(source) : std::string();
  if (given && table && !guess->format.empty()) return at(not_what_was_asked(format, guess->format), file);
  auto log = table ? read_power_csv(source, file, format, guess->delimiter, progress)
                   : reader->read(source, file, given, progress);
  if (log) return log;
  Error error = log.error();
  const bool other = given && !table && !guess->format.empty() && guess->format != format;
  if (given && !table && guess->format.empty()) {
    error.message =
        fmt::format("this was to be read as {}: {}. It begins with \"{}\"", format, error.message, beginning);
  }
  return at(other ? not_what_was_asked(format, guess->format) : std::move(error), file);
}

}  // namespace kernwatt::readers
