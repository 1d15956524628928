// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "apps/kernwatt/command_line.hpp"
#include "apps/kernwatt/exit_status.hpp"

namespace {

void say(const std::string& text) {
  if (text.empty()) return;
  std::fputs(text.c_str(), stderr);
  if (text.back() != '\n') std::fputc('\n', stderr);
}

int run(int argc, char** argv) {
  using namespace kernwatt;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Result<app::Outcome> outcome = app::run_command_line(words, app::Console::detect());
  if (outcome) {
    const bool is_page = outcome->note.find('\n') != std::string::npos;
    say(outcome->note.empty() || is_page ? outcome->note : "kernwatt: " + outcome->note);
    return outcome->exit_status;
  }
  // An empty message: the reader of a pipe has gone, and knows.
  if (!outcome.error().message.empty()) say("kernwatt: " + outcome.error().text());
  return app::exit_status_of(outcome.error().code);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of write(), with an exit status of ours
  try {
    return argc > 0 ? run(argc, argv) : kernwatt::app::exit_internal;
  } catch (const std::bad_alloc&) {
    say("kernwatt: out of memory");
  } catch (const std::exception& bug) {
    say(std::string("kernwatt: internal error: ") + bug.what() + "; please report it with the command");
  }
  return kernwatt::app::exit_internal;
}
