// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/string_pool.hpp"

#include <algorithm>
#include <cstring>

namespace kernwatt::readers::kineto {

namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10U;

std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15U;
  hash = (hash ^ value) * odd;
  return hash ^ (hash >> 32U);
}

std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = mix(0x51'7cc1'b727'220aU, text.size());
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) hash = mix(hash, load(at, 8));
  if (left > 0) hash = mix(hash, load(at, left));
  return static_cast<std::uint32_t>(mix(hash, hash >> 29U));
}

}  // namespace

StringPool::StringPool() : slots_(1024) { intern({}); }

std::uint32_t StringPool::intern(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id_plus_one != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && strings_[slots_[at].id_plus_one - 1] == text) return slots_[at].id_plus_one - 1;
  }
  const std::uint32_t id = size();
  strings_.push_back(store(text));
  hashes_.push_back(hash);
  slots_[at] = Slot{hash, id + 1};
  if (strings_.size() * 2 > slots_.size()) grow();
  return id;
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < size(); ++id) {
    std::size_t at = hashes_[id] & mask;
    while (slots_[at].id_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = Slot{hashes_[id], id + 1};
  }
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > chunk_left_) {
    chunk_left_ = std::max(chunk_size, text.size());
    chunks_.push_back(std::make_unique<char[]>(chunk_left_));
    chunk_at_ = chunks_.back().get();
  }
  std::memcpy(chunk_at_, text.data(), text.size());
  const std::string_view stored(chunk_at_, text.size());
  chunk_at_ += text.size();
  chunk_left_ -= text.size();
  return stored;
}

}  // namespace kernwatt::readers::kineto
