// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kernwatt::readers::kineto {

enum class EventKind : std::uint8_t {
  kernel,
  memcpy,
  memset,
  host_call,      ///< a call of CUDA's or HIP's runtime or driver
  operation,      ///< an operator of the framework
  annotation,     ///< a range that the user named
  python_frame,   ///< a Python function; modules among them
  profiler_span,  ///< the profiler's own window
  other           ///< nothing that we use: flows, counters, annotations on the device, …
};

/// What we use of an event, as text: the contents of strings, numbers as they are written, arrays with their
/// brackets. Empty when the event does not have it.
struct EventFields {
  EventKind kind = EventKind::other;  ///< what classify() says of phase and category
  std::string_view phase;
  std::string_view category;
  std::string_view name;
  std::string_view start;
  std::string_view duration;
  std::string_view process;
  std::string_view thread;
  // of "args"
  std::string_view device;
  std::string_view stream;
  std::string_view correlation;
  std::string_view external_id;
  std::string_view grid;
  std::string_view block;
  std::string_view registers;
  std::string_view shared_memory;
  std::string_view input_shapes;
  std::string_view input_types;
  std::string_view sequence;
  std::string_view graph;
  std::string_view graph_node;
  std::string_view process_group;
};

using EventField = std::string_view EventFields::*;
/// The field for a key of the event, or of its "args"; null for keys that we do not use.
EventField field_of_event(std::string_view key);
EventField field_of_args(std::string_view key);
/// Whether a field's value may be an array; other fields ignore arrays, and all ignore objects.
inline bool takes_array(EventField field) {
  return field == &EventFields::grid || field == &EventFields::block || field == &EventFields::input_shapes ||
         field == &EventFields::input_types || field == &EventFields::process_group;
}

/// By phase ("X" only) and category, whose names differ in case between versions.
EventKind classify(std::string_view phase, std::string_view category);

/// Whether a Python frame is a module's call, "nn.Module: Linear_0".
inline bool is_module_frame(std::string_view name) { return name.starts_with("nn.Module: "); }

}  // namespace kernwatt::readers::kineto
