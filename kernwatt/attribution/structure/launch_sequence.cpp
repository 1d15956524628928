// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/launch_sequence.hpp"

#include <algorithm>

namespace kernwatt::attribution {

std::vector<LaunchSequence> launch_sequences(const run::Trace& trace, const ProgramStructure& structure) {
  const std::size_t unknown_gpu = trace.gpus.size();
  std::vector<LaunchSequence> sequences(unknown_gpu + 1);
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const run::Launch& launch = trace.launches[i];
    if (trace.classes[launch.kernel_class].kind != run::LaunchKind::kernel) continue;
    if (structure.class_category[launch.kernel_class] == Category::communication) continue;
    const std::size_t gpu =
        launch.stream == run::none ? unknown_gpu : std::min<std::size_t>(trace.streams[launch.stream].gpu, unknown_gpu);
    sequences[gpu].push_back(i);
  }
  std::erase_if(sequences, [](const LaunchSequence& sequence) { return sequence.empty(); });
  return sequences;
}

}  // namespace kernwatt::attribution
