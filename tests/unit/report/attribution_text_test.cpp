// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/attribution_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <limits>
#include <sstream>

#include "kernwatt/report/text/bar.hpp"
#include "kernwatt/report/utf8.hpp"
#include "tests/unit/report/energy_words.hpp"
#include "tests/unit/report/sample_run.hpp"

namespace kernwatt::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_emphasis(std::string text) {
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at))
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

/// Runs that differ in what they lack or have too much of.
std::vector<run::Run> odd_runs() {
  std::vector<run::Run> runs;
  runs.push_back(sample_run());
  runs.push_back(sample_run_without_energy());
  runs.emplace_back();
  runs.push_back(sample_run());
  run::Attribution& several = runs.back().attribution;
  several.traces.resize(20, several.traces.front());
  several.gpus.resize(8, several.gpus.front());
  for (run::Row& row : several.rows) row.rank = 12;
  runs.push_back(sample_run());
  for (run::Row& row : runs.back().attribution.rows) {
    row.energy_j = std::numeric_limits<double>::quiet_NaN();
    row.power_w = 1e300;
    row.launches = std::numeric_limits<std::uint64_t>::max();
    row.flags = {"a flag of the future\n", "tied:99"};
  }
  return runs;
}

TEST(AttributionText, FitsAHundredColumnsInEveryView) {
  for (const run::Run& run : odd_runs())
    for (const run::View view : run::all_views)
      for (const bool explain : {false, true}) {
        TextOptions options;
        options.view = view;
        options.explain = explain;
        for (const std::string& line : lines_of(attribution_text(run, options)))
          EXPECT_LE(display_width(line), 100U) << line;
      }
}

TEST(AttributionText, HasNoControlCharactersWithoutColour) {
  for (const run::Run& run : odd_runs())
    for (const char c : attribution_text(run, {})) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(AttributionText, ColourChangesNothingButEmphasis) {
  TextOptions coloured;
  coloured.colour = true;
  coloured.explain = true;
  TextOptions plain = coloured;
  plain.colour = false;
  const std::string text = attribution_text(sample_run(), coloured);
  EXPECT_THAT(text, HasSubstr("\x1b[1m"));
  EXPECT_EQ(without_emphasis(text), attribution_text(sample_run(), plain));
}

TEST(AttributionText, WithoutEnergyNoJouleIsPrinted) {
  for (const run::View view : run::all_views) {
    TextOptions options;
    options.view = view;
    const std::string text = attribution_text(sample_run_without_energy(), options);
    EXPECT_FALSE(mentions_energy(text)) << text;
    EXPECT_THAT(text, HasSubstr("not measured"));
    EXPECT_THAT(text, HasSubstr("time share"));
  }
}

TEST(AttributionText, TheRestIsOneLineWithItsSum) {
  TextOptions options;
  options.view = run::View::layer;
  options.top = 10;
  const std::string text = attribution_text(sample_run(), options);
  EXPECT_THAT(text, HasSubstr("the largest 10 of 30"));
  EXPECT_THAT(text, HasSubstr("… and 20 more"));
}

TEST(AttributionText, IdleAndUnattributedAreLinesBelowTheRows) {
  TextOptions options;
  options.view = run::View::phase;
  const std::vector<std::string> lines = lines_of(attribution_text(sample_run(), options));
  const auto count = [&](const std::string& name) {
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.ends_with(" " + name); });
  };
  EXPECT_EQ(count("idle"), 1);
  EXPECT_EQ(count("unattributed"), 1);
  EXPECT_EQ(count("total"), 1);
}

TEST(AttributionText, LinesThatAddUpToTheTotalDoSoAsPrinted) {
  for (double idle = 0.0005; idle < 3000; idle *= 1.37) {
    run::Run run = sample_run();
    run::EnergyAccount& total = run.attribution.total;
    total.idle_j = idle;
    total.total_j = *total.attributed_j + idle + *total.unattributed_j;
    double sum = 0;
    double printed_total = 0;
    for (const std::string& line : lines_of(attribution_text(run, {}))) {
      const bool part = line.ends_with(" attributed") || line.ends_with(" idle") || line.ends_with(" unattributed");
      if (part) sum += std::stod(line);
      if (line.ends_with(" total")) printed_total = std::stod(line);
    }
    EXPECT_NEAR(sum, printed_total, 1e-9) << idle;
  }
}

TEST(AttributionText, TheWorstOfTheLedgerComesFirst) {
  const std::string text = attribution_text(sample_run(), {});
  EXPECT_LT(text.find("trace.torn"), text.find("attribution.tied"));
  EXPECT_LT(text.find("power.gap"), text.find("trace.layers-by-order"));
  EXPECT_THAT(text, HasSubstr("1 error, 2 warnings, 1 note"));
}

TEST(AttributionText, AFlagOfAllRowsIsSaidOnce) {
  run::Run run = sample_run();
  for (run::Row& row : run.attribution.rows) row.flags.emplace_back("tiled");
  EXPECT_THAT(attribution_text(run, {}), HasSubstr("all rows shown are tiled"));
}

TEST(AttributionText, AViewWithoutRowsSaysSo) {
  TextOptions options;
  options.view = run::View::layer;
  EXPECT_THAT(attribution_text({}, options), HasSubstr("No layer was found"));
  EXPECT_THAT(attribution_text({}, options), Not(HasSubstr("total")));
}

TEST(AttributionText, BarsAreForTerminalsThatShowThem) {
  run::Run run = sample_run();
  run::Series<double>& power = run.power.emplace_back().gpus.emplace_back().power_instant_w;
  for (int i = 0; i < 1000; ++i)
    power.push(*run.attribution.total.start_ns + i * 12'000'000LL, i < 500 ? 120.0 : 680.0);
  TextOptions options;
  EXPECT_THAT(attribution_text(run, options), testing::Not(testing::HasSubstr("█")));
  options.bars = true;
  const std::string text = attribution_text(run, options);
  EXPECT_THAT(text, testing::HasSubstr("42.9 %  ██████████ "));
  EXPECT_THAT(text, testing::HasSubstr("22.8 %  █████▍"));
  EXPECT_THAT(text, testing::HasSubstr("▂▂▂▇███"));
  EXPECT_THAT(text, testing::HasSubstr("120 to 680 W"));
}

TEST(Bar, IsAsLongAsItsShare) {
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(0.53125, 4), "██▏");
  EXPECT_EQ(bar(1e-9, 4), "▏") << "what is there is seen";
  EXPECT_EQ(bar(0, 4), "");
  EXPECT_EQ(bar(-1, 4), "");
  EXPECT_EQ(bar(std::nan(""), 4), "");
  EXPECT_EQ(bar(7, 4), "████");
}

}  // namespace
}  // namespace kernwatt::report
