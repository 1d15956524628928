// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/event_fields.hpp"

#include <array>
#include <cstddef>
#include <cstring>

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

/// Whether a text of the literal's length is the literal; the fixed length lets the compiler compare words.
template <std::size_t size>
bool is(std::string_view text, const char (&literal)[size]) {
  return std::memcmp(text.data(), literal, size - 1) == 0;
}

}  // namespace

EventField field_of_event(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (is(key, "ph")) return &EventFields::phase;
      if (is(key, "ts")) return &EventFields::start;
      break;
    case 3:
      if (is(key, "cat")) return &EventFields::category;
      if (is(key, "dur")) return &EventFields::duration;
      if (is(key, "pid")) return &EventFields::process;
      if (is(key, "tid")) return &EventFields::thread;
      break;
    case 4:
      if (is(key, "name")) return &EventFields::name;
      break;
    default:
      break;
  }
  return nullptr;
}

EventField field_of_args(std::string_view key) {
  switch (key.size()) {
    case 4:
      return is(key, "grid") ? &EventFields::grid : nullptr;
    case 5:
      return is(key, "block") ? &EventFields::block : nullptr;
    case 6:
      if (is(key, "stream")) return &EventFields::stream;
      return is(key, "device") ? &EventFields::device : nullptr;
    case 7:
      return is(key, "graphId") ? &EventFields::graph : nullptr;
    case 8:
      return is(key, "graph id") ? &EventFields::graph : nullptr;
    case 10:
      if (is(key, "Input Dims") || is(key, "Input dims")) return &EventFields::input_shapes;
      return is(key, "Input type") ? &EventFields::input_types : nullptr;
    case 11:
      if (is(key, "correlation")) return &EventFields::correlation;
      if (is(key, "External id") || is(key, "external id")) return &EventFields::external_id;
      return is(key, "graphNodeId") ? &EventFields::graph_node : nullptr;
    case 13:
      if (is(key, "shared memory")) return &EventFields::shared_memory;
      return is(key, "graph node id") ? &EventFields::graph_node : nullptr;
    case 15:
      return is(key, "Sequence number") ? &EventFields::sequence : nullptr;
    case 19:
      return is(key, "Process Group Ranks") ? &EventFields::process_group : nullptr;
    case 20:
      return is(key, "registers per thread") ? &EventFields::registers : nullptr;
    default:
      return nullptr;
  }
}

EventKind classify(std::string_view phase, std::string_view category) {
  if (phase != "X") return EventKind::other;
  for (const NamedCategory& known : categories) {
    if (known.name.size() != category.size()) continue;
    if (category == known.name || equals_without_case(category, known.name)) return known.kind;
  }
  return EventKind::other;
}

}  // namespace kernwatt::readers::kineto
