// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/csv/csv_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers {
namespace {

using Table = std::vector<std::vector<std::string>>;

struct ReadTable {
  Table rows;
  std::uint64_t stray_quotes = 0;
  std::uint64_t skipped_long = 0;
  std::uint64_t last_line = 0;
  bool terminated = false;
};

ReadTable read(std::string text, CsvOptions options = {}) {
  ReadTable result;
  auto source = ByteSource::from_memory(std::move(text));
  EXPECT_TRUE(source);
  const Progress progress;
  CsvReader csv(**source, options, progress);
  std::vector<std::string_view> cells;
  while (true) {
    const auto more = csv.next(cells);
    EXPECT_TRUE(more);
    if (!more || !*more) break;
    result.rows.emplace_back(cells.begin(), cells.end());
    result.last_line = csv.line_number();
    result.terminated = csv.terminated();
  }
  result.stray_quotes = csv.stray_quotes();
  result.skipped_long = csv.skipped_long();
  return result;
}

TEST(CsvReader, QuotedCellsHoldDelimitersLineEndsAndQuotes) {
  const ReadTable table = read("a, \"b,c\" ,\"d\n\"\"e\"\"\"\r\n\r\n\nf,,\n");
  EXPECT_EQ(table.rows, (Table{{"a", "b,c", "d\n\"e\""}, {"f", "", ""}}));
  EXPECT_EQ(table.last_line, 5U);
  EXPECT_TRUE(table.terminated);
}

TEST(CsvReader, AQuoteInsideACellIsALetter) {
  EXPECT_EQ(read("5\" disk,x\n\"a\"b\",c\n").rows, (Table{{"5\" disk", "x"}, {"a\"b", "c"}}));
}

TEST(CsvReader, AQuoteThatNothingClosesCostsNoRow) {
  CsvOptions options;
  options.longest_quoted = 100;
  std::string text = "\"a,1\n";
  for (int i = 0; i < 100; ++i) text += "b,2\n";
  const ReadTable table = read(text, options);
  EXPECT_EQ(table.rows.size(), 101U);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"\"a", "1"}));
  EXPECT_EQ(table.stray_quotes, 1U);
}

TEST(CsvReader, RecordsAcrossBlocksStayWhole) {
  std::string text;
  const std::string name(1000, 'n');
  for (int i = 0; i < 3000; ++i) text += "\"" + name + "\"," + std::to_string(i) + "\n";
  const ReadTable table = read(text);
  ASSERT_EQ(table.rows.size(), 3000U);
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_EQ(table.rows[i][0], name);
    ASSERT_EQ(table.rows[i][1], std::to_string(i));
  }
}

TEST(CsvReader, ALineWithoutEndIsLeftOutInBoundedMemory) {
  CsvOptions options;
  options.longest_record = 1000;
  const ReadTable table = read("a,b\n" + std::string(3'000'000, 'x') + "\nc,d", options);
  EXPECT_EQ(table.rows, (Table{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(table.skipped_long, 1U);
  EXPECT_FALSE(table.terminated);
}

TEST(CsvReader, SurrogatesOfUtf16BecomeUtf8) {
  CsvOptions options;
  options.decode_text = true;
  const std::string text{'\xff', '\xfe', '\x3d', '\xd8', '\x00', '\xde', ',', '\0', '\xe9', '\0', '\n', '\0'};
  EXPECT_EQ(read(text, options).rows, (Table{{"\xf0\x9f\x98\x80", "\xc3\xa9"}}));
}

TEST(Number, ScaledDecimalsAreExact) {
  EXPECT_EQ(parse_scaled("1712195495505582.988", 3), 1712195495505582988);
  EXPECT_EQ(parse_scaled("-0.0015", 3), -2);
  EXPECT_EQ(parse_scaled("+7.", 2), 700);
  EXPECT_EQ(parse_scaled(".5", 0), 1);
  EXPECT_EQ(parse_scaled("1.0025e+06", 0), 1002500);
  EXPECT_EQ(parse_scaled("1.7676000001234567E9", 9), 1767600000123456700);
  EXPECT_EQ(parse_scaled("15e-1", 0), 2);
  EXPECT_EQ(parse_scaled("1499", -3), 1);
  EXPECT_EQ(parse_scaled("0e300", 3), 0);
  for (const char* wrong :
       {"", ".", "-", "1e", "e3", "1e400", "1 ", "1.2.3", "99999999999999999999", "9223372036854775807.5"}) {
    EXPECT_FALSE(parse_scaled(wrong, 3)) << wrong;
  }
}

TEST(Number, DoublesAreFiniteAndWhole) {
  EXPECT_EQ(parse_double("+1.5e2"), 150);
  for (const char* wrong : {"", "nan", "inf", "1e999", "0x10", "1 W", "+-1"})
    EXPECT_FALSE(parse_double(wrong)) << wrong;
}

TEST(VisibleText, KeepsDifferentNamesDifferent) {
  EXPECT_EQ(visible_text("a\xff\x01\xc3\xa9"), "a\\xff\\x01\xc3\xa9");
  EXPECT_NE(visible_text("a\xfe"), visible_text("a\xff"));
  EXPECT_TRUE(is_visible_text("void gemm<4>(µ)"));
  EXPECT_FALSE(is_visible_text("\xed\xa0\x80"));
}

}  // namespace
}  // namespace kernwatt::readers
