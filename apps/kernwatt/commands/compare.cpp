// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/compare/compare.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kernwatt/command.hpp"
#include "apps/kernwatt/exit_status.hpp"
#include "apps/kernwatt/output_target.hpp"
#include "apps/kernwatt/power_output.hpp"
#include "apps/kernwatt/row_options.hpp"
#include "apps/kernwatt/version.hpp"
#include "kernwatt/report/csv/comparison_csv.hpp"
#include "kernwatt/report/html/comparison_html.hpp"
#include "kernwatt/report/json/comparison_json.hpp"
#include "kernwatt/report/text/comparison_text.hpp"
#include "kernwatt/run/run_file.hpp"
#include "page.hpp"

namespace kernwatt::app {
namespace {

/// "2%", "2 %" or "0.02": a part of the first Run's figure.
Result<double> parse_limit(const std::string& text) {
  double limit = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, limit);
  std::string_view rest(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  if (rest.starts_with(" ")) rest.remove_prefix(1);
  if (rest == "%") limit /= 100;
  if (parsed.ec == std::errc() && (rest.empty() || rest == "%") && limit >= 0 && limit < 1e6) return limit;
  return Error{ErrorCode::invalid_argument, "'" + text + "' is not a limit; write 2% or 0.02", "--fail-on-regression"};
}

class CompareCommand : public Command {
 public:
  std::string_view name() const override { return "compare"; }
  std::string_view page() const override { return embedded::page_compare; }

  void declare(CLI::App& app) override {
    app.add_option("RUN", files_);
    app.add_option("--by", by_);
    app.add_option("--top", top_);
    app.add_option("--fail-on-regression", limit_);
    app.add_option("--regression-in", quantity_);
    app.add_flag("--allow-mixed-sources", allow_mixed_sources_);
    app.add_option("--json", json_.path);
    app.add_option("--csv", csv_.path);
    app.add_option("--html", html_.path);
    app.add_flag("--force", force_);
  }

  Result<Outcome> run(const Console& console) override {
    KERNWATT_CHECK(check());
    KERNWATT_TRY(const run::Run before, run::load_run(files_[0]));
    KERNWATT_TRY(const run::Run after, run::load_run(files_[1]));
    for (const auto& [run, file] : {std::pair(&before, &files_[0]), std::pair(&after, &files_[1])})
      if (is_power_only(*run))
        return Error{ErrorCode::invalid_argument, "this Run holds power logs only, and no launches to compare", *file};
    KERNWATT_TRY(const run::Comparison comparison,
                 attribution::compare(before, after, {files_[0], files_[1], allow_mixed_sources_}));
    KERNWATT_CHECK(write(comparison, console));
    return outcome(comparison);
  }

 private:
  Status check() {
    if (files_.size() != 2)
      return Error{ErrorCode::invalid_argument, "compare takes two Run files: kernwatt compare BEFORE.kw AFTER.kw", ""};
    KERNWATT_TRY(text_.view, parse_view(by_));
    if (text_.view == run::View::iteration)
      return Error{ErrorCode::invalid_argument, "iterations are not compared one by one; their mean is the total",
                   "--by"};
    KERNWATT_TRY(text_.top, parse_top(top_));
    if (!limit_.empty()) {
      KERNWATT_TRY(most_, parse_limit(limit_));
    }
    if (quantity_ != "energy" && quantity_ != "time" && quantity_ != "either")
      return Error{ErrorCode::invalid_argument, "'" + quantity_ + "' is none of energy, time, either",
                   "--regression-in"};
    return check_outputs({json_, csv_, html_}, files_, force_);
  }

  Status write(const run::Comparison& comparison, const Console& console) const {
    if (json_.wanted())
      KERNWATT_CHECK(write_output(json_, report::comparison_json(comparison, version), force_, console));
    if (csv_.wanted())
      KERNWATT_CHECK(write_output(csv_, report::comparison_csv(comparison, text_.view), force_, console));
    if (html_.wanted())
      KERNWATT_CHECK(write_output(html_, report::comparison_html(comparison, version), force_, console));
    if (json_.is_standard_output() || csv_.is_standard_output() || html_.is_standard_output()) return {};
    report::TextOptions text = text_;
    text.colour = console.colour;
    text.width = console.width;
    return console.print(report::comparison_text(comparison, text));
  }

  Outcome outcome(const run::Comparison& comparison) const {
    if (!most_) return {};
    const std::optional<run::Change>& energy = comparison.total.energy_j;
    const bool by_time = quantity_ != "energy" || !energy;
    std::string note;
    if (quantity_ != "time" && energy) note = regression("energy", energy);
    if (note.empty() && by_time) note = regression("time", comparison.total.time_s);
    if (note.empty()) return {};
    return {exit_regression, note};
  }

  /// The estimate is above the limit, and it is no chance: the interval of the change excludes 0.
  std::string regression(std::string_view what, const std::optional<run::Change>& change) const {
    if (!change || !change->relative || *change->relative <= *most_ || !change->certain) return "";
    return fmt::format("{} rose by {:.1f} %, more than the {:.3g} % of --fail-on-regression", what,
                       *change->relative * 100, *most_ * 100);
  }

  std::vector<std::string> files_;
  std::string by_ = "class";
  std::string top_ = "20";
  std::string limit_;
  std::string quantity_ = "energy";
  std::optional<double> most_;
  bool allow_mixed_sources_ = false;
  bool force_ = false;
  OutputTarget json_{"--json", ""};
  OutputTarget csv_{"--csv", ""};
  OutputTarget html_{"--html", ""};
  report::TextOptions text_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace kernwatt::app
