// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Finds the brackets of JSON text that are not inside strings, 64 bytes at a time (the first stage of simdjson, cut
/// down to what is needed to tell where an event begins and ends, and to keep state from block to block).
namespace kernwatt::readers::kineto {

inline constexpr std::size_t scan_block_size = 64;

/// What the text so far means for the next block.
struct ScanState {
  std::uint64_t in_string = 0;  ///< all ones inside a string, else 0
  std::uint64_t escaped = 0;    ///< 1: the next byte follows an odd run of backslashes
};

/// Why an event needs the careful parser.
enum ScanFlag : std::uint32_t { has_backslash = 1, has_control_in_string = 2, has_non_ascii = 4 };

/// One bit per byte, the first byte lowest.
struct ScannedBlock {
  std::uint64_t stops = 0;  ///< brackets and braces outside strings, and line ends inside strings
  std::uint64_t opens = 0;  ///< of the stops, those that open
  std::uint32_t flags = 0;  ///< ScanFlags of the whole block
};

/// Scans `blocks` blocks from `text` into `out` and updates `state`.
using ScanBlocks = void (*)(const char* text, std::size_t blocks, ScanState& state, ScannedBlock* out);

struct NamedScan {
  std::string_view name;
  ScanBlocks scan;
};
/// The implementations that this processor can run, the fastest first; all give the same answer.
std::span<const NamedScan> available_scans();

std::uint64_t count_newlines(std::string_view text);

}  // namespace kernwatt::readers::kineto
