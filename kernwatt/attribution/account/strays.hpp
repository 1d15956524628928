// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/run/trace.hpp"

namespace kernwatt::attribution {

/// Takes out launches whose times cannot be: far outside this century, longer than an hour, or a few that lie hours
/// from all the others. One such record would stretch the timeline over years. They are counted in the trace's ledger
/// ("trace.stray-launches").
void set_aside_strays(run::Trace& trace);

}  // namespace kernwatt::attribution
