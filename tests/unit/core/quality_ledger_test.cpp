// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/core/quality_ledger.hpp"

#include <gtest/gtest.h>

namespace kernwatt {
namespace {

TEST(QualityLedger, SameEntryTwiceAddsItsCounts) {
  QualityLedger ledger;
  ledger.add("trace.negative-duration", Severity::warning, "set aside", 2);
  ledger.add("trace.negative-duration", Severity::warning, "set aside", 3);
  ASSERT_EQ(ledger.entries().size(), 1U);
  EXPECT_EQ(ledger.entries()[0].count, 5U);
}

TEST(QualityLedger, SameIdWithAnotherMessageIsAnotherEntry) {
  QualityLedger ledger;
  ledger.add("power.gap", Severity::info, "GPU 0");
  ledger.add("power.gap", Severity::info, "GPU 1");
  EXPECT_EQ(ledger.entries().size(), 2U);
}

TEST(QualityLedger, WorstIsTheWorstAndMergeKeepsOrder) {
  QualityLedger a, b;
  EXPECT_EQ(a.worst(), Severity::info);
  a.add("x", Severity::info, "1");
  b.add("y", Severity::error, "2");
  b.add("z", Severity::warning, "3");
  a.merge(b);
  EXPECT_EQ(a.worst(), Severity::error);
  ASSERT_EQ(a.entries().size(), 3U);
  EXPECT_EQ(a.entries()[2].id, "z");
  EXPECT_TRUE(a.contains("y"));
  EXPECT_FALSE(a.contains("w"));
}

}  // namespace
}  // namespace kernwatt
