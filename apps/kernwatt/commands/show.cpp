// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <string>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/report_options.hpp"
#include "kernwatt/run/run_file.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

class ShowCommand : public Command {
 public:
  std::string_view name() const override { return "show"; }
  std::string_view page() const override { return embedded::page_show; }

  void declare(CLI::App& app) override {
    app.add_option("RUN", file_);
    report_.declare(app);
  }

  Result<Outcome> run(const Console& console) override {
    if (file_.empty())
      return Error{ErrorCode::invalid_argument, "show needs a Run file; `kernwatt attribute … -o RUN.kw` makes one",
                   ""};
    KERNWATT_CHECK(report_.check({file_}, {}));
    KERNWATT_TRY(const run::Run run, run::load_run(file_));
    KERNWATT_CHECK(report_.write(run, console));
    return report_.outcome(run);
  }

 private:
  std::string file_;
  ReportOptions report_;
};

}  // namespace

std::unique_ptr<Command> make_show_command() { return std::make_unique<ShowCommand>(); }

}  // namespace kernwatt::app
