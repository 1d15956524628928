// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/html/html_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "kernwatt/report/html/attribution_html.hpp"
#include "kernwatt/report/json/attribution_json.hpp"
#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// What stands in <script id="kernwatt-NAME">.
std::string embedded_in(const std::string& html, const std::string& name) {
  const std::string open = "<script type=\"application/json\" id=\"kernwatt-" + name + "\">";
  const std::size_t begin = html.find(open) + open.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

/// Names as an enemy, or a code generator, would choose them.
std::vector<std::string> hostile_names() {
  return {"</script><img src=x onerror=alert(1)>",
          "<!--<script>",
          "]]></script>",
          "rtl \xe2\x80\xae gnp.exe \xe2\x80\xac end",
          "line\xe2\x80\xa8paragraph\xe2\x80\xa9",
          std::string(10'000, 'x') + "</ScRiPt >",
          "invalid \xff\xfe\xc3(utf-8) \xed\xa0\x80",
          "nul" + std::string(1, '\0') + "and\x1b[31mescape",
          "{\"kind\": \"attribution\"}\\\\\" \\u003c/script>",
          "${process.exit()} `{{title}}` {data}"};
}

TEST(HtmlDocument, ScriptDataIsTheSameDocument) {
  const json names = hostile_names()[0] + hostile_names()[4] + hostile_names()[8];
  const std::string text = names.dump();
  EXPECT_EQ(json::parse(json_for_script(text)), names);
}

TEST(HtmlDocument, NoTextEndsTheScriptOrBeginsAComment) {
  for (const std::string& name : hostile_names()) {
    const std::string safe = json_for_script("\"" + name + "\"");
    EXPECT_THAT(safe, Not(HasSubstr("<"))) << name;
    EXPECT_THAT(safe, Not(HasSubstr("\xe2\x80\xa8")));
    EXPECT_THAT(safe, Not(HasSubstr("\xe2\x80\xa9")));
  }
}

TEST(HtmlDocument, TitleIsText) {
  const std::string html = html_document("</title><script>alert(1)</script> & \"more\" \xe2\x80\xae", {});
  EXPECT_THAT(html,
              HasSubstr("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; \"more\" \\u{202e}</title>"));
}

TEST(HtmlDocument, AllowsItsOwnScriptAndStyleOnly) {
  const std::string html = html_document("t", {});
  const std::size_t begin = html.find("Content-Security-Policy");
  ASSERT_NE(begin, std::string::npos);
  const std::string policy = html.substr(begin, html.find('>', begin) - begin);
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("style-src 'sha256-"));
  for (const char* loose : {"unsafe", "http:", "https:", "*", "'self'", "connect-src"})
    EXPECT_THAT(policy, Not(HasSubstr(loose))) << loose;
}

TEST(AttributionHtml, HoldsTheVeryDocumentOfTheJson) {
  const run::Run run = sample_run();
  EXPECT_EQ(json::parse(embedded_in(attribution_html(run), "attribution")), json::parse(attribution_json(run)));
}

TEST(AttributionHtml, HostileNamesStayInTheirStrings) {
  run::Run run = sample_run();
  run.attribution.traces[0].file = "/tmp/" + hostile_names()[0];
  run.command_line = hostile_names()[1];
  for (std::size_t i = 0; i < hostile_names().size(); ++i) {
    run.attribution.rows[i].name = hostile_names()[i];
    run.attribution.rows[i].detail = hostile_names()[hostile_names().size() - 1 - i];
    run.quality.add(hostile_names()[i], Severity::warning, hostile_names()[i]);
  }
  const std::string clean = attribution_html(sample_run());
  const std::string html = attribution_html(run);
  const auto count = [](const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  for (const char* tag : {"<script", "</script", "<!--", "<img"}) EXPECT_EQ(count(html, tag), count(clean, tag)) << tag;
  EXPECT_EQ(json::parse(embedded_in(html, "attribution")), json::parse(attribution_json(run)));
  EXPECT_TRUE(json::accept(embedded_in(html, "series")));
}

TEST(AttributionHtml, WorksWithoutEnergyAndWithoutAnything) {
  EXPECT_THAT(attribution_html(sample_run_without_energy()), HasSubstr("kernwatt-series"));
  EXPECT_TRUE(json::accept(embedded_in(attribution_html({}), "series")));
}

}  // namespace
}  // namespace kernwatt::report
