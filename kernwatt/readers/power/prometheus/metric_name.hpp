// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernwatt/readers/power/power_columns.hpp"
#include "kernwatt/run/gpu.hpp"

/// The metrics of GPU exporters: DCGM's, nvidia_gpu_exporter's, and others that follow the usual naming.
namespace kernwatt::readers {

/// What a metric holds, with the factor from its unit; role ignored for metrics that mean nothing to us.
Column metric_column(std::string_view name);

using Labels = std::vector<std::pair<std::string, std::string>>;

/// Which GPU the labels mean. `instance` stands for the host only when there is no better label, since it is the
/// exporter's address.
run::GpuIdentity identity_of(const Labels& labels);

/// Whether any label names a GPU.
bool names_a_gpu(const run::GpuIdentity& gpu);

}  // namespace kernwatt::readers
