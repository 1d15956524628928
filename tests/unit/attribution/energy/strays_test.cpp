// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/strays.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace kernwatt::attribution {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t start = 1'796'000'000 * second;

run::Trace thousand_launches() {
  run::Trace trace;
  for (int i = 0; i < 1000; ++i) {
    run::Launch l;
    l.start_ns = start + i * 100'000;
    l.duration_ns = 90'000;
    trace.launches.push_back(l);
  }
  return trace;
}

void add(run::Trace& trace, std::int64_t start_ns, std::int64_t duration_ns, bool in_front) {
  run::Launch l;
  l.start_ns = start_ns;
  l.duration_ns = duration_ns;
  trace.launches.insert(in_front ? trace.launches.begin() : trace.launches.end(), l);
}

TEST(Strays, OneKernelYearsOrHoursAwayDoesNotStretchTheTimeline) {
  for (const std::int64_t away : {3600 * second, 3 * 365 * 24 * 3600 * second}) {
    run::Trace trace = thousand_launches();
    add(trace, start + away, 1000, false);
    set_aside_strays(trace);
    EXPECT_EQ(trace.launches.size(), 1000U);
    EXPECT_TRUE(trace.quality.contains("trace.stray-launches"));
  }
}

TEST(Strays, TimesThatCannotBeAreSetAside) {
  run::Trace trace = thousand_launches();
  add(trace, INT64_MIN, 1000, true);
  add(trace, -1'000'000 * second * 1000, 5, true);
  add(trace, start, 11 * 24 * 3600 * second, false);
  set_aside_strays(trace);
  EXPECT_EQ(trace.launches.size(), 1000U);
}

TEST(Strays, TwoProfiledStretchesWithALongPauseBothStay) {
  run::Trace trace = thousand_launches();
  for (const run::Launch& l : thousand_launches().launches)
    add(trace, l.start_ns + 7200 * second, l.duration_ns, false);
  set_aside_strays(trace);
  EXPECT_EQ(trace.launches.size(), 2000U);
  EXPECT_TRUE(trace.quality.entries().empty());
}

}  // namespace
}  // namespace kernwatt::attribution
