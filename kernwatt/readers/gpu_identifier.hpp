// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// How traces write what NVML calls by one name.
namespace kernwatt::readers {

/// "9c25b7e3-…" as "GPU-9c25b7e3-…"; "GPU-…" and "MIG-…" stay. Empty for zeros and for what is no UUID.
std::string normalized_uuid(std::string_view text);
/// "0000:08:00.0" as "00000000:08:00.0", as NVML writes it; empty for what is no bus id.
std::string normalized_bus_id(std::string_view text);

}  // namespace kernwatt::readers
