// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// What is no power log, and what a name does not make one.
#include "power_fixture.hpp"

namespace kernwatt::readers {
namespace {

std::string message_of(std::string text, std::string_view format = {}) {
  const auto log = try_text(std::move(text), format);
  if (log) ADD_FAILURE() << "was read";
  return log ? "" : log.error().text();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ForeignFile, AProfilersTraceIsSentToAttribute) {
  EXPECT_TRUE(has(message_of(R"({"schemaVersion":1,"traceEvents":[{"ph":"X","ts":1}]})"),
                  "this is a profiler trace, not a power log: kernwatt attribute FILE"));
  EXPECT_TRUE(has(message_of(R"([{"ph":"X","ts":1,"dur":2}])"), "kernwatt attribute FILE"));
}

TEST(ForeignFile, ADatabaseIsToldByWhatItHolds) {
  std::string header("SQLite format 3\0", 16);
  header.resize(100, '\0');
  std::string run = header;
  run.replace(68, 4, "KWRN");
  EXPECT_TRUE(has(message_of(run), "kernwatt show FILE"));
  EXPECT_TRUE(
      has(message_of(header + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT)"), "kernwatt attribute FILE"));
  EXPECT_TRUE(has(message_of(header), "an SQLite database"));
}

TEST(ForeignFile, TheMessageIsShortAndHasTheBeginning) {
  const std::string message = message_of("dear diary\ntoday\n");
  EXPECT_TRUE(has(message, "dear diary"));
  EXPECT_LT(message.size(), 250U);
}

TEST(ForeignFile, NoNameMakesItAnother) {
  const std::string table = "timestamp,colour\n1796030000,red\n1796030001,green\n";
  for (const std::string_view format : power_formats()) {
    SCOPED_TRACE(format);
    EXPECT_TRUE(has(message_of(table, format), "colour")) << message_of(table, format);
  }
}

TEST(ForeignFile, ABombInAnAnswerEndsEarly) {
  const std::string start = R"({"status":"success","data":{"result":[{"metric":{"__name__":")";
  EXPECT_TRUE(has(message_of(start + std::string(std::size_t{20} << 20U, 'x')), "more than 16 MiB"));
  EXPECT_TRUE(has(message_of(start + "\":" + std::string(std::size_t{20} << 20U, ' ')), "more than 16 MiB"));
}

}  // namespace
}  // namespace kernwatt::readers
