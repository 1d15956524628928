// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernwatt/readers/kineto/structural_scan.hpp"

// Included by translation units that are compiled for different instruction sets: everything here must be in an
// unnamed namespace, or the linker could keep the copy that this processor cannot run.
namespace kernwatt::readers::kineto {
namespace {

struct ByteMasks {
  std::uint64_t quote;
  std::uint64_t backslash;
  std::uint64_t open;
  std::uint64_t close;
  std::uint64_t control;
  std::uint64_t non_ascii;
};

/// Positions that follow an odd run of backslashes. Adding the run's start to the run carries out at its end; runs
/// are told apart by the parity of their start.
[[maybe_unused]] inline std::uint64_t find_escaped(std::uint64_t backslash, std::uint64_t& carry) {
  if (backslash == 0) {
    const std::uint64_t escaped = carry;
    carry = 0;
    return escaped;
  }
  constexpr std::uint64_t even_bits = 0x5555'5555'5555'5555U;
  backslash &= ~carry;
  const std::uint64_t follows_escape = (backslash << 1U) | carry;
  const std::uint64_t odd_starts = backslash & ~even_bits & ~follows_escape;
  std::uint64_t sequences = 0;
  carry = __builtin_add_overflow(odd_starts, backslash, &sequences) ? 1 : 0;
  const std::uint64_t invert = sequences << 1U;
  return (even_bits ^ invert) & follows_escape;
}

[[maybe_unused]] inline std::uint64_t newlines_inside(const char* block, std::uint64_t candidates) {
  std::uint64_t found = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto bit = static_cast<unsigned>(__builtin_ctzll(candidates));
    if (block[bit] == '\n') found |= std::uint64_t{1} << bit;
  }
  return found;
}

/// Isa gives masks(const char*) and prefix_xor(uint64_t).
template <class Isa>
void scan_with(const char* text, std::size_t blocks, ScanState& state, ScannedBlock* out) {
  for (std::size_t i = 0; i < blocks; ++i, text += scan_block_size) {
    const ByteMasks masks = Isa::masks(text);
    const std::uint64_t escaped = find_escaped(masks.backslash, state.escaped);
    const std::uint64_t in_string = Isa::prefix_xor(masks.quote & ~escaped) ^ state.in_string;
    state.in_string = 0 - (in_string >> 63U);
    ScannedBlock& block = out[i];
    block.opens = masks.open & ~in_string;
    block.stops = block.opens | (masks.close & ~in_string);
    block.flags = (masks.backslash != 0 ? has_backslash : 0U) | (masks.non_ascii != 0 ? has_non_ascii : 0U);
    if (const std::uint64_t controls = masks.control & in_string; controls != 0) {
      block.flags |= has_control_in_string;
      block.stops |= newlines_inside(text, controls);
    }
  }
}

}  // namespace
}  // namespace kernwatt::readers::kineto
