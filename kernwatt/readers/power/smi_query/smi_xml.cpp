// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/power/smi_query/smi_xml.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernwatt/core/unique_handle.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/smi_query/smi_snapshot.hpp"

namespace kernwatt::readers {

namespace {

constexpr std::size_t block_size = std::size_t{64} << 10U;
constexpr std::size_t deepest = 64;
constexpr std::size_t longest_text = 4096;
constexpr std::size_t longest_mark = 16;

struct ParserTraits {
  using Handle = XML_Parser;
  static Handle invalid() { return nullptr; }
  static void close(Handle handle) { XML_ParserFree(handle); }
};

/// Takes the elements of one document after the other. Where a document ends, the parser is suspended, since expat
/// takes whatever follows the root for damage.
class SmiXmlParser {
 public:
  explicit SmiXmlParser(LogCollector& log) : log_(log), snapshot_(log) {}

  Status feed(std::string_view text, bool last);
  void end() { snapshot_.end(); }
  std::uint64_t documents() const { return documents_; }
  std::uint64_t damaged() const { return damaged_; }

 private:
  void begin_document();
  Status parse(std::string_view text, bool last, std::size_t& used);
  void start(const XML_Char* name, const XML_Char** attributes);
  void finish_element();

  static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<SmiXmlParser*>(self)->start(name, attributes);
  }
  static void on_end(void* self, const XML_Char* /*name*/) { static_cast<SmiXmlParser*>(self)->finish_element(); }
  static void on_text(void* self, const XML_Char* text, int length) {
    auto& mine = *static_cast<SmiXmlParser*>(self);
    if (mine.text_.size() < longest_text) mine.text_.append(text, static_cast<std::size_t>(length));
  }
  static void on_entity(void* self, const XML_Char* /*name*/, int /*is_parameter*/, const XML_Char* /*value*/,
                        int /*length*/, const XML_Char* /*base*/, const XML_Char* /*system*/,
                        const XML_Char* /*public_id*/, const XML_Char* /*notation*/) {
    auto& mine = *static_cast<SmiXmlParser*>(self);
    mine.refusal_ = "it declares XML entities, which nvidia-smi never does";
    XML_StopParser(mine.parser_.get(), XML_FALSE);
  }

  LogCollector& log_;
  SmiSnapshot snapshot_;
  UniqueHandle<ParserTraits> parser_;
  std::string between_;  // bytes between documents in which the next may begin
  bool in_document_ = false;
  std::uint64_t fed_ = 0;  // bytes of this document
  std::vector<std::string> path_;
  std::string text_;
  bool leaf_ = false;
  std::string_view refusal_;
  std::uint64_t documents_ = 0;
  std::uint64_t damaged_ = 0;
};

void SmiXmlParser::begin_document() {
  // Told what it gets: the text was decoded, whatever its declaration says.
  parser_.reset(XML_ParserCreate("UTF-8"));
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(parser_.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser_.get(), on_text);
  XML_SetEntityDeclHandler(parser_.get(), on_entity);
  path_.clear();
  text_.clear();
  fed_ = 0;
  in_document_ = true;
  snapshot_.begin_listing();
}

void SmiXmlParser::start(const XML_Char* name, const XML_Char** attributes) {
  if (path_.size() >= deepest) {
    refusal_ = "its elements are nested deeper than nvidia-smi ever does";
    XML_StopParser(parser_.get(), XML_FALSE);
    return;
  }
  path_.push_back(plain_name(name));
  text_.clear();
  leaf_ = true;
  if (path_.size() == 1) {
    if (path_[0] != "nvidia_smi_log") {
      refusal_ = "its root is not nvidia_smi_log";
      XML_StopParser(parser_.get(), XML_FALSE);
    }
    return;
  }
  if (path_.size() != 2 || path_[1] != "gpu") return;
  std::string_view id;
  for (const XML_Char** at = attributes; at[0] != nullptr; at += 2) {
    if (std::string_view(at[0]) == "id") id = at[1];
  }
  snapshot_.begin_gpu(id);
}

void SmiXmlParser::finish_element() {
  const std::string name = std::move(path_.back());
  path_.pop_back();
  if (path_.empty()) {
    ++documents_;
    XML_StopParser(parser_.get(), XML_TRUE);
    return;
  }
  if (path_.size() == 1 && name == "gpu") snapshot_.end_gpu();
  if (path_.size() == 1 && name == "timestamp" && leaf_) snapshot_.set_time(text_);
  if (path_.size() == 1 && name == "attached_gpus" && leaf_) snapshot_.set_attached(text_);
  if (leaf_ && path_.size() >= 2 && path_[1] == "gpu") {
    const std::span<const std::string> sections = std::span(path_).subspan(2);
    const auto foreign = [](const std::string& s) {
      return s == "mig_devices" || s == "mig_device" || s == "processes" || s == "accounted_processes";
    };
    if (std::none_of(sections.begin(), sections.end(), foreign)) snapshot_.value(sections, name, text_);
  }
  leaf_ = false;
  text_.clear();
}

Status SmiXmlParser::parse(std::string_view text, bool last, std::size_t& used) {
  const std::uint64_t before = fed_;
  const XML_Status status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), last ? 1 : 0);
  fed_ += text.size();
  used = text.size();
  if (status == XML_STATUS_OK && !last) return {};
  in_document_ = false;
  if (!refusal_.empty()) {
    return Error{ErrorCode::bad_data, fmt::format("this is not what nvidia-smi -q -x writes: {}", refusal_), {}};
  }
  if (status == XML_STATUS_OK) return {};
  auto stop = static_cast<std::uint64_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_.get()), 0));
  if (status == XML_STATUS_SUSPENDED) {
    stop += static_cast<std::uint64_t>(std::max(XML_GetCurrentByteCount(parser_.get()), 0));
  } else {
    ++damaged_;
    snapshot_.drop_gpu();
    stop = std::max(stop, before + 1);
  }
  used = static_cast<std::size_t>(std::clamp<std::uint64_t>(stop, before, fed_) - before);
  return {};
}

Status SmiXmlParser::feed(std::string_view text, bool last) {
  between_.append(text);
  while (true) {
    if (!in_document_) {
      static constexpr std::array<std::string_view, 3> marks{"<?xml", "<!DOCTYPE", "<nvidia_smi_log"};
      std::size_t begin = std::string::npos;
      for (const std::string_view mark : marks) begin = std::min(begin, between_.find(mark));
      if (begin == std::string::npos) {
        between_.erase(0, between_.size() - std::min(between_.size(), longest_mark));
        return {};
      }
      between_.erase(0, begin);
      begin_document();
    }
    const std::string chunk = std::move(between_);
    between_.clear();
    std::size_t used = 0;
    KERNWATT_CHECK(parse(chunk, last, used));
    if (in_document_ || used >= chunk.size()) return {};
    between_ = chunk.substr(used);
  }
}

}  // namespace

Result<run::PowerLog> read_smi_xml(ByteSource& source, const std::string& file, bool format_was_given,
                                   const Progress& progress) {
  LogCollector log(smi_xml_format);
  SmiXmlParser parser(log);
  TextDecoder decoder;
  KERNWATT_TRY(const std::string_view head, source.peek(4096));
  decoder.detect(head);
  std::string raw(block_size, '\0');
  std::string text;
  while (true) {
    KERNWATT_TRY(const std::size_t count, source.read(raw));
    text.clear();
    decoder.decode(std::string_view(raw).substr(0, count), text);
    KERNWATT_CHECK(parser.feed(text, count == 0));
    if (progress) progress(source.bytes_read_from_file(), source.file_size());
    if (count == 0) break;
  }
  parser.end();
  note_decoding(decoder, log.quality());
  if (parser.damaged() > 0) {
    log.quality().add("power.damaged-document", Severity::warning,
                      "documents that are cut or damaged were read up to there; the GPU described at that place was "
                      "left out",
                      parser.damaged());
  }
  return log.finish(file, format_was_given, source,
                    parser.documents() == 0 ? "no whole XML document of nvidia-smi -q -x is in this file"
                                            : "the XML of nvidia-smi -q -x names no GPU");
}

}  // namespace kernwatt::readers
