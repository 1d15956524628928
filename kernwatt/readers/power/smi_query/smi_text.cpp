// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/smi_query/smi_text.hpp"

#include <algorithm>
#include <vector>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/smi_query/smi_snapshot.hpp"
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t deepest = 32;

bool is_bus_id(std::string_view text) {
  return text.size() >= 7 && std::count(text.begin(), text.end(), ':') >= 1 &&
         text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

/// The listing is a tree by indentation: a line without a value names a section, and what is indented more is in it.
class SmiTextParser {
 public:
  explicit SmiTextParser(LogCollector& log) : snapshot_(log) {}

  void line(std::string_view text);
  void end() { snapshot_.end(); }
  std::uint64_t listings() const { return snapshot_.listings(); }

 private:
  void outer_line(std::string_view text);
  void inner_line(std::string_view text, std::size_t indent);

  SmiSnapshot snapshot_;
  std::vector<std::size_t> indents_;
  std::vector<std::string> sections_;
  std::size_t skip_deeper_than_ = std::string_view::npos;  // inside a MIG device or the processes
};

void SmiTextParser::outer_line(std::string_view text) {
  indents_.clear();
  sections_.clear();
  skip_deeper_than_ = std::string_view::npos;
  if (text.find("NVSMI LOG") != std::string_view::npos) {
    snapshot_.begin_listing();
    return;
  }
  if (text.starts_with("GPU ") && is_bus_id(trim(text.substr(4)))) {
    snapshot_.begin_gpu(text.substr(4));
    return;
  }
  const std::size_t colon = text.find(" : ");
  if (colon != std::string_view::npos) {
    const std::string name = plain_name(text.substr(0, colon));
    if (name == "timestamp") snapshot_.set_time(text.substr(colon + 3));
    if (name == "attached_gpus") snapshot_.set_attached(text.substr(colon + 3));
    if (name == "timestamp" || name == "attached_gpus") return;
  }
  snapshot_.end_gpu();
}

void SmiTextParser::inner_line(std::string_view text, std::size_t indent) {
  if (indent > skip_deeper_than_) return;
  skip_deeper_than_ = std::string_view::npos;
  while (!indents_.empty() && indents_.back() >= indent) {
    indents_.pop_back();
    sections_.pop_back();
  }
  const std::size_t colon = text.find(" : ");
  const bool empty_value = colon == std::string_view::npos && text.ends_with(" :");
  const std::string name = plain_name(text.substr(0, empty_value ? text.size() - 2 : colon));
  if (colon != std::string_view::npos || empty_value) {
    snapshot_.value(sections_, name, empty_value ? std::string_view{} : text.substr(colon + 3));
    // The clocks of a list stand under the clock of the memory.
    if (name != "memory") return;
  }
  if (name == "mig_device" || name == "mig_devices" || name == "processes" || name == "accounted_processes" ||
      indents_.size() >= deepest) {
    skip_deeper_than_ = indent;
    return;
  }
  indents_.push_back(indent);
  sections_.push_back(name);
}

void SmiTextParser::line(std::string_view text) {
  const std::size_t indent = text.find_first_not_of(" \t");
  if (indent == std::string_view::npos) return;
  text = trim(text);
  if (indent == 0) {
    outer_line(text);
  } else if (snapshot_.in_gpu()) {
    inner_line(text, indent);
  }
}

}  // namespace

Result<run::PowerLog> read_smi_text(ByteSource& source, const std::string& file, bool format_was_given,
                                    const Progress& progress) {
  LogCollector log(smi_query_format);
  SmiTextParser parser(log);
  TextLines lines(source, progress);
  KERNWATT_CHECK(lines.each([&](std::string_view line) { parser.line(line); }));
  parser.end();
  note_decoding(lines.decoder(), log.quality());
  if (log.rows() == 0 && !log.supported_clocks().empty()) {
    log.quality().add("power.clocks-only", Severity::warning,
                      "the listing has supported clocks and no power: it tells what can be set, not what was drawn");
  }
  return log.finish(file, format_was_given, source,
                    parser.listings() == 0 ? "this is not a listing of nvidia-smi -q: no line says NVSMI LOG"
                                           : "the listing of nvidia-smi -q names no GPU");
}

}  // namespace kernwatt::readers
