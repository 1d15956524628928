// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kernwatt/console.hpp"
#include "kernwatt/core/result.hpp"

namespace CLI {
class App;
}

namespace kernwatt::app {

/// How a command ended that did its work: exit status 0, or another one with the sentence that says why.
struct Outcome {
  int exit_status = 0;
  std::string note;  ///< printed on standard error; may be empty
};

/// One verb of the command line. To add one: a subclass in commands/<verb>.cpp, its page docs/cli/<verb>.md, and a
/// line in make_commands().
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  /// The manual page, which is also the help text.
  virtual std::string_view page() const = 0;
  /// Flags only.
  virtual void declare(CLI::App& app) = 0;
  /// Checks the values of the flags, calls the library, prints the answer; no analysis here. Errors are returned: only
  /// main prints them.
  virtual Result<Outcome> run(const Console& console) = 0;
};

std::unique_ptr<Command> make_attribute_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_power_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_show_command();

/// All verbs, in the order of the overview.
std::vector<std::unique_ptr<Command>> make_commands();

}  // namespace kernwatt::app
