// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/output_target.hpp"
#include "kernwatt/run/power_report.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::app {

/// Whether a Run has power logs and no trace: then it is shown as `kernwatt power` shows them.
bool is_power_only(const run::Run& run);

/// What `kernwatt power` found in the logs of a Run; the ledger of the Run has its doubts already.
Result<run::PowerReport> power_report_of(const run::Run& run);

/// JSON, CSV, then the text, which stays away when standard output has other content.
Status write_power(const run::Run& run, const run::PowerReport& report, const OutputTarget& json,
                   const OutputTarget& csv, bool force, const Console& console);

/// The output flags of `kernwatt power`.
class PowerOutput {
 public:
  void declare(CLI::App& app);
  /// Before the work: can the outputs be written? `more` are outputs of the command itself.
  Status check(const std::vector<std::string>& inputs, std::vector<OutputTarget> more) const;
  Status write(const run::Run& run, const run::PowerReport& report, const Console& console) const;
  /// What --strict says of the quality.
  Outcome outcome(const run::Run& run) const;
  bool force() const { return force_; }

 private:
  OutputTarget json_{"--json", ""};
  OutputTarget csv_{"--csv", ""};
  bool strict_ = false;
  bool force_ = false;
};

}  // namespace kernwatt::app
