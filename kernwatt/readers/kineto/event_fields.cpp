// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/event_fields.hpp"

#include <array>
#include <cstddef>

namespace kernwatt::readers::kineto {

namespace {

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte; }

bool equals_without_case(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

struct NamedCategory {
  std::string_view name;
  EventKind kind;
};
// The frequent ones first.
constexpr std::array categories{
    NamedCategory{"cpu_op", EventKind::operation},
    NamedCategory{"kernel", EventKind::kernel},
    NamedCategory{"cuda_runtime", EventKind::host_call},
    NamedCategory{"python_function", EventKind::python_frame},
    NamedCategory{"gpu_memcpy", EventKind::memcpy},
    NamedCategory{"gpu_memset", EventKind::memset},
    NamedCategory{"cuda_driver", EventKind::host_call},
    NamedCategory{"user_annotation", EventKind::annotation},
    NamedCategory{"trace", EventKind::profiler_span},
    NamedCategory{"operator", EventKind::operation},
    NamedCategory{"runtime", EventKind::host_call},
    NamedCategory{"memcpy", EventKind::memcpy},
    NamedCategory{"memset", EventKind::memset},
    NamedCategory{"driver", EventKind::host_call},
    NamedCategory{"hip_runtime", EventKind::host_call},
    NamedCategory{"hip_driver", EventKind::host_call},
    NamedCategory{"hip_api", EventKind::host_call},
    NamedCategory{"xpu_runtime", EventKind::host_call},
    NamedCategory{"xpu_driver", EventKind::host_call},
    NamedCategory{"privateuse1_runtime", EventKind::host_call},
    NamedCategory{"privateuse1_driver", EventKind::host_call},
    NamedCategory{"concurrent_kernel", EventKind::kernel},
    NamedCategory{"python function", EventKind::python_frame},
    NamedCategory{"python", EventKind::python_frame},
};

}  // namespace

EventField field_of_event(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return &EventFields::phase;
      if (key == "ts") return &EventFields::start;
      break;
    case 3:
      if (key == "cat") return &EventFields::category;
      if (key == "dur") return &EventFields::duration;
      if (key == "pid") return &EventFields::process;
      if (key == "tid") return &EventFields::thread;
      break;
    case 4:
      if (key == "name") return &EventFields::name;
      break;
    default:
      break;
  }
  return nullptr;
}

EventField field_of_args(std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "grid" ? &EventFields::grid : nullptr;
    case 5:
      return key == "block" ? &EventFields::block : nullptr;
    case 6:
      if (key == "stream") return &EventFields::stream;
      return key == "device" ? &EventFields::device : nullptr;
    case 7:
      return key == "graphId" ? &EventFields::graph : nullptr;
    case 8:
      return key == "graph id" ? &EventFields::graph : nullptr;
    case 10:
      if (key == "Input Dims" || key == "Input dims") return &EventFields::input_shapes;
      return key == "Input type" ? &EventFields::input_types : nullptr;
    case 11:
      if (key == "correlation") return &EventFields::correlation;
      if (key == "External id" || key == "external id") return &EventFields::external_id;
      return key == "graphNodeId" ? &EventFields::graph_node : nullptr;
    case 13:
      if (key == "shared memory") return &EventFields::shared_memory;
      return key == "graph node id" ? &EventFields::graph_node : nullptr;
    case 15:
      return key == "Sequence number" ? &EventFields::sequence : nullptr;
    case 20:
      return key == "registers per thread" ? &EventFields::registers : nullptr;
    default:
      return nullptr;
  }
}

EventKind classify(std::string_view phase, std::string_view category) {
  if (phase != "X") return EventKind::other;
  for (const NamedCategory& known : categories) {
    if (known.name.size() == category.size() && equals_without_case(category, known.name)) return known.kind;
  }
  return EventKind::other;
}

}  // namespace kernwatt::readers::kineto
