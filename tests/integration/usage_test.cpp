// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/program.hpp"

namespace kernwatt {
namespace {

using testing::HasSubstr;

struct Mistake {
  std::vector<std::string> words;
  std::string hint;
};

TEST(Usage, WhatIsNotUnderstoodIsRefusedWithAHint) {
  const std::vector<Mistake> mistakes{
      {{"atribute", "x"}, "did you mean attribute?"},
      {{"attribute"}, "needs a trace"},
      {{"attribute", "x", "--jsno", "y"}, "did you mean --json?"},
      {{"attribute", "x", "--frobnicate"}, "'--frobnicate'"},
      {{"attribute", "x", "--by", "clas"}, "did you mean class?"},
      {{"attribute", "x", "--json"}, "--json needs a value"},
      {{"attribute", "x", "--top", "0"}, "--top"},
      {{"attribute", "x", "--top", "-3"}, "--top"},
      {{"attribute", "x", "--iterations", "3"}, "2:10"},
      {{"attribute", "x", "--iterations", "5:3"}, "2:10"},
      {{"attribute", "x", "--tokens-per-iteration", "none"}, "--tokens-per-iteration"},
      {{"attribute", "x", "--tokens-per-iteration", "nan"}, "--tokens-per-iteration"},
      {{"attribute", "x", "--time-offset", "soon"}, "--time-offset"},
      {{"attribute", "x", "--from", "2026-03-01T12:00:00"}, "time zone"},
      {{"attribute", "x", "-o", "-"}, "standard output"},
      {{"show"}, "needs a Run file"},
      {{"show", "a", "b"}, "'b'"},
      {{"help", "atribute"}, "did you mean attribute?"},
      {{"--verison"}, "did you mean --version?"},
      {{""}, "no command"},
  };
  for (const Mistake& mistake : mistakes) {
    const Ended ended = run_kernwatt(mistake.words);
    EXPECT_EQ(ended.status, 2) << testing::PrintToString(mistake.words);
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, HasSubstr(mistake.hint)) << testing::PrintToString(mistake.words);
    EXPECT_TRUE(ended.errors.starts_with("kernwatt: ")) << ended.errors;
  }
}

TEST(Usage, ANegativeOffsetIsAValueAndNotAFlag) {
  for (const char* offset : {"-0.25", "-3600", "+1", "auto"}) {
    const Ended ended = run_kernwatt({"attribute", "no-such-file", "--time-offset", offset});
    EXPECT_EQ(ended.status, 3) << ended.errors;
  }
}

TEST(Usage, EverySwitchOfPowerTakesOneLogSoThatTracesMayFollow) {
  const Ended ended = run_kernwatt({"attribute", "--power", "log", "no-such-trace"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.errors, HasSubstr("no-such-trace"));
}

}  // namespace
}  // namespace kernwatt
