// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/account/gpu_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace kernwatt::attribution {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Takes hexadecimal digits and the separator behind them from the front; the last part has no separator.
std::optional<std::uint32_t> take_hex(std::string_view& text, char separator) {
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  if (separator == '\0') return text.empty() ? std::optional(value) : std::nullopt;
  if (text.empty() || text.front() != separator) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

bool hosts_differ(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  return !a.host.empty() && !b.host.empty() && !equal_without_case(a.host, b.host);
}

/// Of names that mean something within a host only.
Sameness within_host(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  if (!a.name.empty() && !b.name.empty() && a.name != b.name) return Sameness::different;
  return !a.host.empty() && !b.host.empty() ? Sameness::same : Sameness::perhaps;
}

}  // namespace

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && starts_with_without_case(a, b);
}

bool starts_with_without_case(std::string_view text, std::string_view prefix) {
  return prefix.size() <= text.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<std::array<std::uint32_t, 4>> parse_pci(std::string_view text) {
  std::array<std::uint32_t, 4> parts{};
  const auto colons = std::count(text.begin(), text.end(), ':');
  if (colons != 1 && colons != 2) return std::nullopt;
  if (colons == 2) {
    const auto domain = take_hex(text, ':');
    if (!domain) return std::nullopt;
    parts[0] = *domain;
  }
  const auto bus = take_hex(text, ':');
  const bool has_function = text.find('.') != std::string_view::npos;
  const auto device = bus ? take_hex(text, has_function ? '.' : '\0') : std::nullopt;
  const auto function = device && has_function ? take_hex(text, '\0') : std::optional<std::uint32_t>(0);
  if (!bus || !device || !function || *bus > 0xff || *device > 0x1f || *function > 7) return std::nullopt;
  parts[1] = *bus, parts[2] = *device, parts[3] = *function;
  return parts;
}

std::string name_of(const run::GpuIdentity& gpu) {
  if (!gpu.uuid.empty()) return gpu.uuid;
  const std::string host = gpu.host.empty() ? "" : gpu.host + ":";
  if (!gpu.pci_bus_id.empty()) return host + gpu.pci_bus_id;
  if (gpu.index) return host.empty() ? fmt::format("GPU {}", *gpu.index) : fmt::format("{}{}", host, *gpu.index);
  return host.empty() ? "the log's GPU" : "the GPU of " + gpu.host;
}

bool is_anonymous(const run::GpuIdentity& gpu) { return gpu.uuid.empty() && gpu.pci_bus_id.empty() && !gpu.index; }

Sameness compare(const run::GpuIdentity& a, const run::GpuIdentity& b) {
  if (!a.uuid.empty() && !b.uuid.empty())
    return equal_without_case(a.uuid, b.uuid) ? Sameness::same : Sameness::different;
  if (hosts_differ(a, b)) return Sameness::different;
  const auto pci_a = parse_pci(a.pci_bus_id);
  const auto pci_b = parse_pci(b.pci_bus_id);
  if (pci_a && pci_b) return *pci_a == *pci_b ? within_host(a, b) : Sameness::different;
  if (a.index && b.index) return *a.index == *b.index ? within_host(a, b) : Sameness::different;
  return Sameness::unknown;
}

void complete(run::GpuIdentity& into, const run::GpuIdentity& from) {
  if (into.uuid.empty()) into.uuid = from.uuid;
  if (into.pci_bus_id.empty()) into.pci_bus_id = from.pci_bus_id;
  if (into.name.empty()) into.name = from.name;
  if (into.host.empty()) into.host = from.host;
  if (!into.index) into.index = from.index;
  if (!into.sm_count) into.sm_count = from.sm_count;
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

}  // namespace kernwatt::attribution
