// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/metadata.hpp"

#include <simdjson.h>

#include <cctype>
#include <initializer_list>
#include <limits>

#include "kernwatt/readers/gpu_identifier.hpp"
#include "kernwatt/readers/kineto/decimal.hpp"
#include "kernwatt/readers/kineto/text_repair.hpp"

namespace kernwatt::readers::kineto {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t most_keys = 64;
constexpr std::size_t most_devices = 4096;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& byte : out) byte = static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  return out;
}

/// A number, or a number in a string.
std::optional<std::int64_t> number_of(dom::element value) {
  if (std::int64_t number = 0; value.get_int64().get(number) == simdjson::SUCCESS) return number;
  if (std::string_view text; value.get_string().get(text) == simdjson::SUCCESS) return integer(text);
  return std::nullopt;
}

std::optional<int> small_number_of(dom::element value) {
  const auto number = number_of(value);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<int> small_member(dom::element object, std::string_view key) {
  dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return small_number_of(value);
}

std::string text_member(dom::element object, std::string_view key) {
  std::string_view text;
  if (object[key].get_string().get(text) != simdjson::SUCCESS) return {};
  std::string shown;
  return show_control_characters(text, shown) ? shown : std::string(text);
}

/// The first of several names that a member goes by; versions and vendors differ.
std::string text_of_any(dom::element object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (std::string text = text_member(object, key); !text.empty()) return text;
  }
  return {};
}

void read_devices(dom::element value, Metadata& metadata) {
  dom::array devices;
  if (value.get_array().get(devices) != simdjson::SUCCESS) return;
  for (const dom::element device : devices) {
    if (!device.is_object() || metadata.devices.size() >= most_devices) continue;
    run::GpuIdentity gpu;
    gpu.index = small_member(device, "id");
    gpu.name = text_of_any(device, {"name", "gcnArchName"});
    gpu.uuid = normalized_uuid(text_of_any(device, {"uuid", "UUID", "gpuUuid"}));
    gpu.pci_bus_id = normalized_bus_id(text_of_any(device, {"pciBusId", "pci_bus_id", "pciBusID", "busId"}));
    gpu.sm_count = small_member(device, "numSms");
    if (!gpu.sm_count) gpu.sm_count = small_member(device, "multiProcessorCount");
    metadata.devices.push_back(std::move(gpu));
  }
}

/// Jobs without a default group have no world_size; the group of all ranks has its size.
std::optional<int> world_size_of(dom::element info) {
  if (const auto size = small_member(info, "world_size")) return size;
  dom::array groups;
  if (info["pg_config"].get_array().get(groups) != simdjson::SUCCESS) return std::nullopt;
  for (const dom::element group : groups) {
    if (group.is_object() && text_member(group, "pg_desc") == "default_pg") return small_member(group, "pg_size");
  }
  return std::nullopt;
}

/// Profilers name lost records in many ways: dropped_records, "droppedEvents", lost_samples.
void find_losses(std::string_view key, dom::element value, int levels, Metadata& metadata) {
  if (dom::object object; value.get_object().get(object) == simdjson::SUCCESS) {
    if (levels == 0) return;
    for (const auto [name, member] : object) find_losses(name, member, levels - 1, metadata);
    return;
  }
  const std::string name = lower_case(key);
  if (name.find("drop") == std::string::npos && name.find("lost") == std::string::npos) return;
  const auto count = number_of(value);
  if (!count || *count <= 0 || metadata.losses.size() >= most_keys) return;
  metadata.losses.push_back({std::string(key), static_cast<std::uint64_t>(*count)});
}

}  // namespace

void read_member(std::string_view key, std::string_view text, Metadata& metadata) {
  if (metadata.keys.size() < most_keys) metadata.keys.emplace_back(key);
  std::string repaired;
  repair_json(text, repaired);
  repaired.reserve(repaired.size() + simdjson::SIMDJSON_PADDING);
  dom::parser parser;
  dom::element value;
  if (parser.parse(repaired).get(value) != simdjson::SUCCESS) {
    if (metadata.unreadable.size() < most_keys) metadata.unreadable.emplace_back(key);
    return;
  }
  if (key == "baseTimeNanoseconds") {
    metadata.base_time_ns = number_of(value);
  } else if (key == "distributedInfo") {
    if (!value.is_object()) {
      metadata.unreadable.emplace_back(key);
      return;
    }
    metadata.rank = small_member(value, "rank");
    metadata.world_size = world_size_of(value);
  } else if (key == "deviceProperties" || key == "computeProperties") {
    read_devices(value, metadata);
  } else {
    constexpr int levels = 3;
    find_losses(key, value, levels, metadata);
  }
}

}  // namespace kernwatt::readers::kineto
