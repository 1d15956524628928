// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/html_document.hpp"

#include "kernwatt/report/html/page_bundle.hpp"
#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {

std::string json_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {  // line breaks to JavaScript
      out += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_document(std::string_view title, const std::vector<EmbeddedDocument>& documents) {
  std::string out(embedded::page_before_title);
  out += html_text(title);
  out += embedded::page_before_data;
  for (const EmbeddedDocument& document : documents) {
    out += "<script type=\"application/json\" id=\"kernwatt-";
    out += document.name;
    out += "\">";
    out += json_for_script(document.json);
    out += "</script>\n";
  }
  out += embedded::page_after_data;
  return out;
}

}  // namespace kernwatt::report
