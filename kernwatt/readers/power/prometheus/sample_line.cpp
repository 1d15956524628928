// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/prometheus/sample_line.hpp"

#include <algorithm>
#include <string>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t most_labels = 64;

bool is_name_char(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (!first && c >= '0' && c <= '9');
}

class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : text_(text) {}
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_], at_ == begin)) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Between quotes, with \\, \" and \n.
  bool quoted(std::string& value) {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\' || at_ >= text_.size()) {
        value.push_back(c);
        continue;
      }
      const char escaped = text_[at_++];
      if (escaped != 'n' && escaped != '"' && escaped != '\\') value.push_back('\\');
      value.push_back(escaped == 'n' ? '\n' : escaped);
    }
    return false;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\t') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::size_t position() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool scan_labels(LineScanner& in, Labels& labels) {
  while (true) {
    in.skip_blanks();
    if (in.take('}')) return true;
    const std::string_view label = in.name();
    in.skip_blanks();
    if (label.empty() || !in.take('=')) return false;
    in.skip_blanks();
    std::string value;
    if (!in.quoted(value) || labels.size() >= most_labels) return false;
    labels.emplace_back(label, std::move(value));
    in.skip_blanks();
    if (!in.take(',')) {
      in.skip_blanks();
      return in.take('}');
    }
  }
}

bool is_value(std::string_view word) {
  static constexpr std::string_view tokens[] = {"NaN", "nan", "+Inf", "-Inf", "Inf"};
  return parse_double(word).has_value() || std::find(std::begin(tokens), std::end(tokens), word) != std::end(tokens);
}

}  // namespace

std::optional<SampleLine> parse_sample_line(std::string_view line) {
  line = trim(line);
  LineScanner in(line);
  SampleLine sample;
  sample.name = in.name();
  if (sample.name.empty()) return std::nullopt;
  in.skip_blanks();
  if (in.take('{') && !scan_labels(in, sample.labels)) return std::nullopt;
  sample.series = line.substr(0, in.position());
  sample.value = in.word();
  if (!is_value(sample.value)) return std::nullopt;
  const std::string_view after = in.word();
  // OpenMetrics may add an exemplar behind '#'.
  if (after.empty() || after.front() == '#') return sample;
  if (!parse_double(after)) return std::nullopt;
  sample.time = after;
  const std::string_view rest = in.word();
  return rest.empty() || rest.front() == '#' ? std::optional(sample) : std::nullopt;
}

}  // namespace kernwatt::readers
