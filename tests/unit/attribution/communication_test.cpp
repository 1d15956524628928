// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/communication.hpp"

#include <gtest/gtest.h>

#include "tests/unit/attribution/trace_builder.hpp"

namespace kernwatt::attribution {
namespace {

using test::TraceBuilder;

CommunicationOverlap overlap_of(TraceBuilder& builder) {
  const run::Trace trace = builder.build();
  QualityLedger quality;
  return communication_overlap(trace, analyse_structure(trace, quality).class_category);
}

TEST(CommunicationOverlap, WhatOtherKernelsCoverIsHiddenAndTheRestExposed) {
  TraceBuilder builder;
  builder.at(0).launch("nvjet_a", 100);
  builder.at(50, "13").launch("ncclDevKernel_AllReduce_Sum", 200);
  builder.at(120).launch("nvjet_a", 30).launch("nvjet_b", 20);
  builder.at(300, "13").launch("ncclDevKernel_AllGather", 10);
  const CommunicationOverlap overlap = overlap_of(builder);
  EXPECT_EQ(overlap.comm_ns, 210);
  EXPECT_EQ(overlap.overlapped_ns, 50 + 50);
  ASSERT_EQ(overlap.launches.size(), 2U);
  EXPECT_EQ(overlap.launches[0].launch, 1U);
  EXPECT_EQ(overlap.launches[0].exposed_ns, 100);
  EXPECT_EQ(overlap.launches[1].exposed_ns, 10);
}

TEST(CommunicationOverlap, CollectivesDoNotHideEachOtherAndShareTheirTimeOnce) {
  TraceBuilder builder;
  builder.at(0).launch("nvjet_a", 100);
  builder.at(0, "13").launch("ncclDevKernel_AllReduce_Sum", 100);
  builder.at(50, "14").launch("ncclDevKernel_AllGather", 100);
  const CommunicationOverlap overlap = overlap_of(builder);
  EXPECT_EQ(overlap.comm_ns, 200);
  EXPECT_EQ(overlap.overlapped_ns, 100);
  EXPECT_EQ(overlap.launches[1].exposed_ns, 50);
}

TEST(CommunicationOverlap, CopiesHideNothing) {
  TraceBuilder builder;
  builder.at(0).copy("Memcpy HtoD (Pinned -> Device)", 100);
  builder.at(0, "13").launch("ncclDevKernel_AllReduce_Sum", 100);
  EXPECT_EQ(overlap_of(builder).overlapped_ns, 0);
}

TEST(CommunicationOverlap, ATraceWithoutCollectivesHasNone) {
  TraceBuilder builder;
  builder.launch("nvjet_a", 100);
  const CommunicationOverlap overlap = overlap_of(builder);
  EXPECT_EQ(overlap.comm_ns, 0);
  EXPECT_TRUE(overlap.launches.empty());
}

}  // namespace
}  // namespace kernwatt::attribution
