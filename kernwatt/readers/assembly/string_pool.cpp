// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/assembly/string_pool.hpp"

#include <algorithm>
#include <cstring>

namespace kernwatt::readers::assembly {

namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10U;

std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

/// Both halves of a product, folded: 16 bytes of text a multiplication (the idea of wyhash).
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t first = 0xa076'1d64'78bd'642fU;
  constexpr std::uint64_t second = 0xe703'7ed1'a0b4'28dbU;
  std::uint64_t hash = first ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 16; left -= 16, at += 16) hash = fold(load(at, 8) ^ second, load(at + 8, 8) ^ hash);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {  // the two loads may overlap
    a = load(at, 8);
    b = load(at + left - 8, 8);
  } else if (left >= 4) {
    a = load(at, 4);
    b = load(at + left - 4, 4);
  } else if (left > 0) {
    a = load(at, 1) | (load(at + left / 2, 1) << 8U) | (load(at + left - 1, 1) << 16U);
  }
  hash = fold(a ^ second, b ^ hash);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

}  // namespace

StringPool::StringPool() : slots_(1024) { intern({}); }

std::uint32_t StringPool::intern(std::string_view text) {
  if (text.empty() && !strings_.empty()) return 0;
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

}  // namespace kernwatt::readers::assembly
