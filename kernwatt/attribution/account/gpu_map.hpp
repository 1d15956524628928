// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernwatt/attribution/account/log_merge.hpp"
#include "kernwatt/attribution/account/traced_gpu.hpp"
#include "kernwatt/core/result.hpp"
#include "kernwatt/run/trace.hpp"

/// The user's word on which GPU of the traces is which GPU of the logs.
///
///   MAP   = PAIR{,PAIR}      PAIR = TRACED=LOGGED
///   TRACED  0 | rank3 | rank3:0 | FILE | FILE:0       device numbers as the trace counts them
///   LOGGED  3 | GPU-af7b (UUID or its beginning) | 0000:1b:00.0 | HOST:3 | FILE:3 | FILE
namespace kernwatt::attribution {

/// Sets TracedGpu::logged for those that the map names. Errors: invalid_argument (no such GPU, several, bad grammar).
Status apply_map(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged, const std::string& map,
                 std::vector<TracedGpu>& gpus);

/// --gpu: the log's GPU of traces that have one GPU in all. Pairs are taken as a map.
Status apply_selection(const std::vector<run::Trace>& traces, const std::vector<LoggedGpu>& logged,
                       const std::string& selection, std::vector<TracedGpu>& gpus);

/// How a map would name a GPU of the traces, without ambiguity: "0", "rank3:0", "step.json:0".
std::string traced_word(const std::vector<run::Trace>& traces, const std::vector<TracedGpu>& gpus,
                        const TracedGpu& gpu);
/// How a map would name a GPU of the logs.
std::string logged_word(const std::vector<LoggedGpu>& logged, const LoggedGpu& gpu);

}  // namespace kernwatt::attribution
