// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Private to this folder.
namespace kernwatt::report {

/// A JSON document under the name by which the page asks for it.
struct EmbeddedDocument {
  std::string_view name;
  std::string json;
};

/// The page with its data. The page's own script and style are allowed by their hashes and nothing else is
/// (Content-Security-Policy), so that nothing in the data can run or be fetched.
std::string html_document(std::string_view title, const std::vector<EmbeddedDocument>& documents);

/// JSON as it may stand inside <script>: the same document, in which no text can end the element or begin a comment.
std::string json_for_script(std::string_view json);

/// Text as it may stand between tags.
std::string html_text(std::string_view text);

}  // namespace kernwatt::report
