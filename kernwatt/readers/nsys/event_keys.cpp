// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/event_keys.hpp"

namespace kernwatt::readers::nsys {
namespace {

constexpr unsigned thread_bits = 24;
constexpr std::int64_t pid_mask = 0xff'ffff;

}  // namespace

std::size_t EventKeys::StreamKeyHash::operator()(const StreamKey& key) const {
  std::uint64_t hash = key.process;
  for (const std::int64_t part : {key.device, key.context, key.stream}) {
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

std::uint32_t EventKeys::process(std::optional<std::int64_t> global_id) {
  if (!global_id) return run::none;
  const std::int64_t key = *global_id >> thread_bits;
  if (last_process_.key == key) return last_process_.index;
  const auto [found, is_new] = processes_.try_emplace(key, process_count());
  if (is_new) pids_.push_back(key & pid_mask);
  last_process_ = {key, found->second};
  return found->second;
}

std::uint32_t EventKeys::thread(std::optional<std::int64_t> global_tid) {
  const std::int64_t key = global_tid.value_or(0);  // a table without threads has one
  if (last_thread_.key == key) return last_thread_.index;
  const auto [found, is_new] = threads_.try_emplace(key, static_cast<std::uint32_t>(process_of_thread_.size()));
  if (is_new) process_of_thread_.push_back(process(key));
  last_thread_ = {key, found->second};
  return found->second;
}

std::uint32_t EventKeys::stream(const StreamKey& key) {
  if (last_stream_.key == key) return last_stream_.index;
  const auto [found, is_new] = stream_index_.try_emplace(key, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) streams_.push_back(key);
  last_stream_ = {key, found->second};
  return found->second;
}

}  // namespace kernwatt::readers::nsys
