// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernwatt/core/result.hpp"
#include "kernwatt/run/comparison.hpp"
#include "kernwatt/run/run.hpp"

namespace kernwatt::attribution {

struct CompareOptions {
  std::string before_file;
  std::string after_file;
  bool allow_mixed_sources = false;  ///< compare a counter's energy with an integral of power readings
};

/// What changed from one Run to the other, in joules and seconds, per class, operator, layer, phase and category, and
/// in all. Per token where both know their tokens and iterations differ in them; else per iteration where both have
/// iterations; else as recorded, with a warning when the recordings differ in length.
/// How rows were matched is in each row; guesses are in the ledger too.
/// Errors: invalid_argument: the sources of the energies differ and that was not allowed. Pure; any thread.
/// Source: docs/method.md, "Comparing two Runs".
Result<run::Comparison> compare(const run::Run& before, const run::Run& after, const CompareOptions& options);

}  // namespace kernwatt::attribution
