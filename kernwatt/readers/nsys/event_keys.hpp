// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernwatt/readers/assembly/records.hpp"

namespace kernwatt::readers::nsys {

/// A stream as the file numbers it: streams within contexts, contexts within devices, devices within processes.
struct StreamKey {
  std::uint32_t process = run::none;
  std::int64_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
  bool operator==(const StreamKey&) const = default;
};

/// Small consecutive numbers for the processes, threads and streams of the file. Neighbouring rows mostly have the
/// same, so the last answer is tried first.
class EventKeys {
 public:
  /// Of a "globalPid" or "globalTid": 24 bits of thread, above them 24 of process, above them the machine. Absent:
  /// run::none, a process that the file does not name.
  std::uint32_t process(std::optional<std::int64_t> global_id);
  std::uint32_t thread(std::optional<std::int64_t> global_tid);
  std::uint32_t stream(const StreamKey& key);

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(pids_.size()); }
  /// The process's number in the operating system, as far as a global id keeps it.
  std::int64_t pid(std::uint32_t process) const { return pids_[process]; }
  const std::vector<std::uint32_t>& process_of_thread() const { return process_of_thread_; }
  const std::vector<StreamKey>& streams() const { return streams_; }

 private:
  struct StreamKeyHash {
    std::size_t operator()(const StreamKey& key) const;
  };
  template <class Key>
  struct Last {
    std::optional<Key> key;
    std::uint32_t index = run::none;
  };

  std::unordered_map<std::int64_t, std::uint32_t> processes_;
  std::vector<std::int64_t> pids_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
  std::vector<std::uint32_t> process_of_thread_;
  std::unordered_map<StreamKey, std::uint32_t, StreamKeyHash> stream_index_;
  std::vector<StreamKey> streams_;
  Last<std::int64_t> last_process_;
  Last<std::int64_t> last_thread_;
  Last<StreamKey> last_stream_;
};

}  // namespace kernwatt::readers::nsys
