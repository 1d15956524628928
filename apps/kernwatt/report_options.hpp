// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/output_target.hpp"
#include "kernwatt/report/text/attribution_text.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::app {

/// The exit status of --strict, with the sentence that says why.
Outcome judge_strictly(const QualityLedger& quality);

/// The flags that every command has which shows a Run.
class ReportOptions {
 public:
  void declare(CLI::App& app);
  /// Before the work: are the values known, can the outputs be written? `more` are outputs of the command itself.
  Status check(const std::vector<std::string>& inputs, std::vector<OutputTarget> more);
  /// After the work: JSON, CSV, HTML, then the table, which stays away when standard output has other content.
  Status write(const run::Run& run, const Console& console) const;
  /// What --strict says of the Run's quality.
  Outcome outcome(const run::Run& run) const;
  bool force() const { return force_; }

 private:
  std::string by_ = "class";
  std::string top_ = "20";
  OutputTarget json_{"--json", ""};
  OutputTarget csv_{"--csv", ""};
  OutputTarget html_{"--html", ""};
  bool explain_ = false;
  bool strict_ = false;
  bool force_ = false;
  report::TextOptions text_;
};

}  // namespace kernwatt::app
