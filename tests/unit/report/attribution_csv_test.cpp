// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/csv/attribution_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

/// A strict reader of RFC 4180, so that the writer is not its own judge.
std::vector<std::vector<std::string>> parse(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      lines.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      lines.back().emplace_back();
    } else if (!quoted && c == '\n') {
      lines.emplace_back(1);
    } else {
      lines.back().back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

TEST(AttributionCsv, EveryLineHasTheColumnsOfTheHeader) {
  const auto lines = parse(attribution_csv(sample_run(), run::View::kernel_class));
  ASSERT_EQ(lines.size(), 18U);
  EXPECT_THAT(lines[0], testing::Contains("energy_ci95_low_j"));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
}

TEST(AttributionCsv, NamesComeBackWithQuotesCommasAndLineBreaks) {
  run::Run run;
  run.attribution.rows.emplace_back().name = "a \"quoted\", name\nin two lines";
  const auto lines = parse(attribution_csv(run, run::View::kernel_class));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1][5], "a \"quoted\", name\nin two lines");
}

TEST(AttributionCsv, WhatWasNotMeasuredIsEmptyAndNotZero) {
  const auto lines = parse(attribution_csv(sample_run_without_energy(), run::View::kernel_class));
  for (std::size_t column = 0; column < lines[0].size(); ++column) {
    if (lines[0][column].find("_j") == std::string::npos && lines[0][column].find("power") == std::string::npos)
      continue;
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i][column], "") << lines[0][column];
  }
}

TEST(AttributionCsv, AnEmptyViewIsAHeader) { EXPECT_EQ(parse(attribution_csv({}, run::View::layer)).size(), 1U); }

}  // namespace
}  // namespace kernwatt::report
