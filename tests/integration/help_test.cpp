// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <set>
#include <sstream>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/exit_status.hpp"
#include "tests/integration/program.hpp"
#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt {
namespace {

using testing::HasSubstr;

std::string page(const std::string& name) {
  return read_file(std::string(KERNWATT_SOURCE_DIR) + "/docs/cli/" + name + ".md");
}

/// The flags that a page documents: those that begin an indented line, not those in a sentence or an example.
std::set<std::string> flags_in(const std::string& text) {
  std::set<std::string> flags;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t entry = line.find_first_not_of(' ');
    if (entry != 4 || line[entry] != '-') continue;
    const std::size_t flag = line.find("--", entry);
    if (flag <= entry + 4) flags.insert(line.substr(flag, line.find(' ', flag) - flag));
  }
  return flags;
}

TEST(Help, APageDocumentsEachFlagAndNoOther) {
  for (const auto& command : app::make_commands()) {
    CLI::App parser;
    parser.set_help_flag("-h,--help");
    command->declare(parser);
    std::set<std::string> declared;
    for (const CLI::Option* option : parser.get_options())
      for (const std::string& name : option->get_lnames()) declared.insert("--" + name);
    EXPECT_EQ(flags_in(page(std::string(command->name()))), declared) << command->name();
  }
}

TEST(Help, IsThePageOfTheManual) {
  for (const std::string name : {"attribute", "compare", "export", "power", "show"}) {
    EXPECT_EQ(run_kernwatt({name, "--help"}).output, page(name));
    EXPECT_EQ(run_kernwatt({"help", name}).output, page(name));
    EXPECT_EQ(run_kernwatt({name, "--help"}).status, 0);
  }
  EXPECT_EQ(run_kernwatt({"--help"}).output, page("kernwatt"));
  EXPECT_EQ(run_kernwatt({"help"}).output, page("kernwatt"));
  EXPECT_EQ(run_kernwatt({"help", "exit-status"}).output, page("exit-status"));
}

TEST(Help, OfTheProgramNamesEachCommand) {
  for (const auto& command : app::make_commands())
    EXPECT_THAT(page("kernwatt"), HasSubstr("    kernwatt " + std::string(command->name()) + " "));
}

TEST(Help, WithoutAnyWordIsShownAsAMistake) {
  const Ended ended = run_kernwatt({});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors, page("kernwatt"));
}

TEST(Help, PagesFitATerminalOfAHundredAndTwentyColumns) {
  for (const std::string name : {"kernwatt", "attribute", "export", "power", "show", "exit-status"}) {
    const std::string text = page(name);
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
      EXPECT_LE(end - start, 120U) << text.substr(start, end - start);
  }
}

TEST(Help, TheExitStatusesAreThoseOfThePage) {
  const std::string text = page("exit-status");
  for (const ErrorCode code :
       {ErrorCode::invalid_argument, ErrorCode::io, ErrorCode::bad_data, ErrorCode::unavailable, ErrorCode::unsupported,
        ErrorCode::permission_denied, ErrorCode::vendor_failure, ErrorCode::internal})
    EXPECT_THAT(text, HasSubstr("\n    " + std::to_string(app::exit_status_of(code)) + " ")) << to_string(code);
  EXPECT_THAT(text, HasSubstr("\n    " + std::to_string(app::exit_refused_by_strict) + " "));
}

TEST(Help, TheVersionIsOneLine) {
  const Ended ended = run_kernwatt({"--version"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.output, testing::MatchesRegex("kernwatt [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace kernwatt
