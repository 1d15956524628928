// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/attribution/communication.hpp"
#include "kernwatt/run/attribution.hpp"
#include "kernwatt/run/trace.hpp"

namespace kernwatt::attribution {

/// Counts and busy times of a trace, exact integers in ns. Linear in the launches. Pure.
run::TraceSummary summarise(const run::Trace& trace, const CommunicationOverlap& overlap);

}  // namespace kernwatt::attribution
