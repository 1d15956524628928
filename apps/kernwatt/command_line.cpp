// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "apps/kernwatt/exit_status.hpp"
#include "apps/kernwatt/nearest_name.hpp"
#include "apps/kernwatt/version.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

using Commands = std::vector<std::unique_ptr<Command>>;

Error usage_error(std::string message) { return {ErrorCode::invalid_argument, std::move(message), ""}; }

/// The only option that begins with the letter of "-V".
std::string long_form(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() != 2 || word[0] != '-' || word[1] == '-') return "";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::string found;
  for (const std::string& name : known) {
    if (name.size() < 3 || !name.starts_with("--") || lower(name[2]) != lower(word[1])) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest = long_form(word, known);
  if (nearest.empty()) nearest = nearest_name(word, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::vector<std::string> verbs(const Commands& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  names.emplace_back("help");
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Command* find(const Commands& commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const auto& command) { return command->name() == name; });
  return found == commands.end() ? nullptr : found->get();
}

/// `kernwatt help`, `kernwatt help VERB`, `kernwatt help exit-status`.
Result<Outcome> help(const Commands& commands, const std::vector<std::string>& words, const Console& console) {
  if (words.size() > 1) return usage_error("help takes one word: kernwatt help attribute");
  std::string_view page = embedded::page_kernwatt;
  if (!words.empty()) {
    const Command* command = find(commands, words.front());
    if (command != nullptr) {
      page = command->page();
    } else if (words.front() == "exit-status") {
      page = embedded::page_exit_status;
    } else if (words.front() != "help") {
      std::vector<std::string> known = verbs(commands);
      known.emplace_back("exit-status");
      return usage_error(fmt::format("there is no page '{}'{}", words.front(), did_you_mean(words.front(), known)));
    }
  }
  KERNWATT_CHECK(console.print(page));
  return Outcome{};
}

Result<Outcome> run_command(Command& command, std::vector<std::string> words, const Console& console) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras();
  command.declare(app);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    KERNWATT_CHECK(console.print(command.page()));
    return Outcome{};
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return usage_error(
        fmt::format("{} needs a value (kernwatt help {})", what.substr(0, what.find(':')), command.name()));
  } catch (const CLI::ParseError& error) {
    return usage_error(fmt::format("{} (kernwatt help {})", error.what(), command.name()));
  }
  if (const std::vector<std::string> unknown = app.remaining(); !unknown.empty()) {
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    const std::string_view kind = word.starts_with("-") ? "option" : "word";
    return usage_error(fmt::format("{} does not know the {} '{}'{} (kernwatt help {})", command.name(), kind, word,
                                   did_you_mean(word, option_names(app)), command.name()));
  }
  return command.run(console);
}

}  // namespace

std::vector<std::unique_ptr<Command>> make_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_attribute_command());
  commands.push_back(make_power_command());
  commands.push_back(make_show_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_export_command());
  return commands;
}

Result<Outcome> run_command_line(std::vector<std::string> words, const Console& console) {
  const Commands commands = make_commands();
  if (words.empty()) return Outcome{exit_status_of(ErrorCode::invalid_argument), std::string(embedded::page_kernwatt)};
  const std::string verb = words.front();
  words.erase(words.begin());
  if (Command* command = find(commands, verb)) return run_command(*command, std::move(words), console);
  if (verb == "help") return help(commands, words, console);
  if (verb == "--help" || verb == "-h") return help(commands, {}, console);
  if (verb == "--version") {
    KERNWATT_CHECK(console.print(fmt::format("kernwatt {}\n", version)));
    return Outcome{};
  }
  if (verb.starts_with("-")) {
    return usage_error(
        fmt::format("the option '{}' stands before the command{}", verb, did_you_mean(verb, {"--help", "--version"})));
  }
  return usage_error(
      fmt::format("there is no command '{}'{} (kernwatt help)", verb, did_you_mean(verb, verbs(commands))));
}

}  // namespace kernwatt::app
