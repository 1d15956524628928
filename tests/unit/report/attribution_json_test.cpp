// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/json/attribution_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/unit/report/sample_run.hpp"
#include "tests/unit/report/schema_check.hpp"

namespace kernwatt::report {
namespace {

using nlohmann::json;

TEST(AttributionJson, HasTheFieldsOfTheContract) {
  const json document = json::parse(attribution_json(sample_run()));
  EXPECT_EQ(document["kind"], "attribution");
  EXPECT_EQ(document["schema"], 1);
  for (const char* field :
       {"traces", "power", "energy", "iterations", "rows", "tied", "explanations", "quality", "tool", "command"})
    EXPECT_TRUE(document.contains(field)) << field;
  EXPECT_EQ(document["traces"][0]["end_ns"], 1'772'366'412'345'678'901) << "nanoseconds are exact integers";
  EXPECT_EQ(document["energy"]["gpus"].size(), 1U);
  EXPECT_EQ(document["quality"].size(), 4U);
}

TEST(AttributionJson, NumbersReadBackAsTheSameDoubles) {
  const run::Run run = sample_run();
  const json document = json::parse(attribution_json(run));
  for (std::size_t i = 0; i < run.attribution.rows.size(); ++i) {
    const run::Row& row = run.attribution.rows[i];
    EXPECT_EQ(document["rows"][i]["energy_j"].get<double>(), *row.energy_j);
    EXPECT_EQ(document["rows"][i]["energy_ci95_j"][1].get<double>(), row.energy_ci95_j->high);
  }
}

TEST(AttributionJson, WhatWasNotMeasuredIsNullAndNotZero) {
  const json document = json::parse(attribution_json(sample_run_without_energy()));
  EXPECT_TRUE(document["energy"]["total_j"].is_null());
  for (const json& row : document["rows"])
    for (const char* field :
         {"energy_j", "energy_ci95_j", "power_w", "power_ci95_w", "power_at_reference_w", "j_per_flop"})
      EXPECT_TRUE(row[field].is_null()) << field;
}

TEST(AttributionJson, StaysValidWithAnyNameAndAnyNumber) {
  run::Run run;
  run::Row& row = run.attribution.rows.emplace_back();
  for (int byte = 0; byte < 256; ++byte) row.name += static_cast<char>(byte);
  row.energy_j = std::numeric_limits<double>::quiet_NaN();
  row.power_w = std::numeric_limits<double>::infinity();
  row.flops = 1e308;
  row.j_per_flop = 5e-324;
  row.share_of_total = -0.0;
  const json document = json::parse(attribution_json(run));
  EXPECT_TRUE(document["rows"][0]["energy_j"].is_null());
  EXPECT_TRUE(document["rows"][0]["power_w"].is_null());
  EXPECT_EQ(document["rows"][0]["flops"], 1e308);
  EXPECT_EQ(document["rows"][0]["j_per_flop"], 5e-324);
}

TEST(AttributionJson, TwentyThousandRowsAreAllThere) {
  run::Run run = sample_run();
  const run::Row row = run.attribution.rows.front();
  for (std::uint32_t id = 0; id < 20'000; ++id) {
    run.attribution.rows.push_back(row);
    run.attribution.rows.back().id = 1000 + id;
  }
  const std::string text = attribution_json(run);
  EXPECT_EQ(json::parse(text)["rows"].size(), run.attribution.rows.size());
}

TEST(AttributionJson, FollowsItsSchema) {
  for (const run::Run& run : {sample_run(), sample_run_without_energy(), run::Run()}) {
    const int status = check_schema("attribution", attribution_json(run));
    if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0);
  }
}

TEST(AttributionJson, TheSchemaRefusesWhatIsNotTheContract) {
  const int status = check_schema("attribution", R"({"kind": "attribution", "schema": 1, "rows": [{"energy_j": 0}]})");
  if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
  EXPECT_EQ(status, 1);
}

}  // namespace
}  // namespace kernwatt::report
