// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/run/run.hpp"

namespace kernwatt::report {

/// A Run made by hand with everything that a report can meet: names of 400 characters, wide characters, controls,
/// tied rows, tiny and huge values, every view, two traces and three ledger severities.
run::Run sample_run();

/// The same without a power log.
run::Run sample_run_without_energy();

}  // namespace kernwatt::report
