// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/assembly/records.hpp"
#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/kineto/event_fields.hpp"

namespace kernwatt::readers::kineto {

using namespace assembly;

/// Turns the events' text into Records, one event at a time.
class Collector {
 public:
  /// `source` tells how much of the file is still to come.
  Collector(Records& records, const ByteSource& source) : records_(records), source_(source) {}
  /// An event whose kind may be of use.
  void add(const EventFields& fields);
  /// Any event, also those that are not kept: for the statement of what the trace holds.
  void count(const EventFields& fields);

 private:
  struct ClassKey {
    std::uint32_t name = 0;
    run::LaunchKind kind = run::LaunchKind::kernel;
    run::Dim3 grid{};
    run::Dim3 block{};
    bool operator==(const ClassKey&) const = default;
  };
  struct ClassKeyHash {
    std::size_t operator()(const ClassKey& key) const;
  };
  struct Times {
    std::int64_t start = 0;
    std::int64_t duration = 0;
  };

  template <class T>
  void push(std::vector<T>& column, const T& item);
  void add_device_event(run::LaunchKind kind, const EventFields& fields);
  std::optional<Times> device_times(const EventFields& fields);
  std::optional<Times> host_times(const EventFields& fields);
  void add_call(const EventFields& fields);
  void add_operation(const EventFields& fields);
  void add_span(SpanKind kind, const EventFields& fields);
  std::uint32_t class_of(run::LaunchKind kind, const EventFields& fields);
  std::uint32_t stream_of(const EventFields& fields);
  void note_process_group(assembly::StreamRecord& stream, std::string_view ranks);
  std::uint32_t thread_of(const EventFields& fields);
  std::uint32_t pair_index(std::unordered_map<std::uint64_t, std::uint32_t>& map, std::uint32_t a, std::uint32_t b);

  Records& records_;
  const ByteSource& source_;
  std::unordered_map<ClassKey, std::uint32_t, ClassKeyHash> classes_;
  std::unordered_map<std::uint64_t, std::uint32_t> streams_;
  std::unordered_map<std::uint64_t, std::uint32_t> threads_;
  /// The last answer: neighbours mostly have the same thread and stream.
  struct LastPair {
    std::string first;
    std::string second;
    std::uint32_t index = run::none;
    bool is(std::string_view a, std::string_view b) const { return index != run::none && first == a && second == b; }
  };
  LastPair last_thread_;
  LastPair last_stream_;
  std::string_view last_category_;
  std::uint64_t* last_count_ = nullptr;
};

}  // namespace kernwatt::readers::kineto
