// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernwatt::report {
namespace {

using testing::ElementsAre;

TEST(Utf8, BrokenBytesAreReplacedAndTheRestIsKept) {
  EXPECT_EQ(repair_utf8("plain é 中 😀"), "plain é 中 😀");
  EXPECT_EQ(repair_utf8("a\xff"
                        "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(repair_utf8("\xe4\xb8"), "\xef\xbf\xbd") << "a character cut off at the end";
  EXPECT_EQ(repair_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "an overlong slash";
  EXPECT_EQ(repair_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "half a surrogate pair";
}

TEST(Utf8, WidthCountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("µ ± …"), 5U);
  EXPECT_EQ(display_width("中文"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a combining accent";
}

TEST(Utf8, WhatMovesTheCursorOrHidesTextIsSpelledOut) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m"), "a\\nb\\tc\\x1b[31m");
  EXPECT_EQ(printable(std::string_view("nul\0", 4)), "nul\\x00");
  EXPECT_EQ(printable("\u202etxt.exe"), "\\u{202e}txt.exe");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("核 µ"), "核 µ");
}

TEST(Utf8, TheMiddleIsCutAndBothEndsStay) {
  EXPECT_EQ(elide_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(elide_middle("abcdefghijk", 10), "abcdef…ijk");
  EXPECT_LE(display_width(elide_middle("中文中文中文中文", 7)), 7U);
  EXPECT_EQ(elide_middle("abc", 0), "");
  EXPECT_EQ(elide_end("abcdef", 4), "abc…");
}

TEST(Utf8, LinesBreakAtSpacesButNotBeforeAUnit) {
  EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("aa 27.9 % of", 7), ElementsAre("aa", "27.9 %", "of"));
  EXPECT_THAT(wrap("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
}

}  // namespace
}  // namespace kernwatt::report
