// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernwatt/run/gpu.hpp"

/// What files call a GPU, and which of these names mean the same. A UUID means one GPU in the world, a PCI address one
/// in a host, an index one in a host and only beside other indices of the same kind.
namespace kernwatt::attribution {

/// ASCII only: UUIDs and addresses have no other letters.
bool equal_without_case(std::string_view a, std::string_view b);
bool starts_with_without_case(std::string_view text, std::string_view prefix);

/// Domain, bus, device, function of "00000000:1B:00.0", "0000:1b:00.0", "1B:00.0" or "1b:00"; empty for other texts.
std::optional<std::array<std::uint32_t, 4>> parse_pci(std::string_view text);

/// The best name: UUID, PCI bus id ("node1:0000…" where the host is known), "GPU 3" ("node1:3"), "the log's GPU".
std::string name_of(const run::GpuIdentity& gpu);

/// Neither UUID nor PCI bus id nor index.
bool is_anonymous(const run::GpuIdentity& gpu);

/// Whether two names can or must mean the same GPU, by the strongest name that both have.
enum class Sameness : std::uint8_t {
  same,
  different,
  perhaps,  ///< the same index or bus address, on hosts that the files do not name
  unknown   ///< no kind of name in common
};
Sameness compare(const run::GpuIdentity& a, const run::GpuIdentity& b);

/// Adds to `into` what only `from` knows.
void complete(run::GpuIdentity& into, const run::GpuIdentity& from);

/// The last part of a path.
std::string_view file_name(std::string_view path);

}  // namespace kernwatt::attribution
