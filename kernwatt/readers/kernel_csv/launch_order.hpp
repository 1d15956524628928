// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/run/trace.hpp"

/// Private to this folder.
namespace kernwatt::readers {

/// By start, then by end. A stream runs one thing at a time, so rows that agree in all are one launch, written twice;
/// where nothing is known of their length (0 in rounded times) they may be two.
void sort_launches(run::Trace& trace);

}  // namespace kernwatt::readers
