// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/attribution/structure.hpp"
#include "kernwatt/run/trace.hpp"

/// What kind of work a kernel does, told by its name. The rules are a table (category_rules.cpp), each with its reason;
/// docs/method-structure.md explains the choices that could have gone otherwise (softmax, gathers, split-K).
namespace kernwatt::attribution {

/// Copies and memsets are `copy` whatever their name. A name that no rule knows is `other`.
Category category_of(std::string_view kernel_name, run::LaunchKind kind);

/// "all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all", "send-receive", "reduce", "gather",
/// "scatter"; empty when the name of the communication kernel does not tell (ncclDevKernel_Generic).
std::string collective_of(std::string_view kernel_name);

/// Fills ProgramStructure::class_category and collective_of_class; notes classes that no rule knows in `quality`.
void categorise(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality);

}  // namespace kernwatt::attribution
