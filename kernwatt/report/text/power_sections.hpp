// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/report/text/labelled_line.hpp"
#include "kernwatt/report/text/power_text.hpp"
#include "kernwatt/report/text/style.hpp"

/// The parts of power_text, from top to bottom. Each ends with a line break or is empty. Private to this folder.
namespace kernwatt::report {

/// Logs, window, energy over all GPUs; a line per GPU when there are several.
std::string power_header(const run::Run& run, const run::PowerReport& report, const PowerTextOptions& options,
                         const Style& style);

/// Each GPU: power over time, its readings, its energy by each meter, its phases. Of many, only those that have more to
/// say than their line of the header's table, and those that say the same together.
std::string power_gpu_sections(const run::PowerReport& report, const PowerTextOptions& options, const Style& style);

/// From so many GPUs on, a table says what blocks would repeat.
inline constexpr std::size_t many_gpus = 4;

/// How the readings came, where several GPUs have it in common.
std::string common_readings_line(const run::PowerReport& report, const PowerTextOptions& options, const Style& style);

/// Energies that logs give without a series.
std::string recorded_totals_section(const run::Run& run, const PowerTextOptions& options, const Style& style);

/// Core clocks under each memory clock, in a line each.
std::string supported_clocks_section(const run::Run& run, const PowerTextOptions& options, const Style& style);

/// "GPU 3", "GPU-af7b1c2d…", "node1:3".
std::string short_gpu_name(const run::GpuIdentity& gpu, std::string_view best_name);

/// The same, or the name by file where it needs one.
std::string short_gpu_name(const run::PowerGpu& gpu);

/// Entries that say the same of several GPUs, as one.
QualityLedger folded_by_gpu(const QualityLedger& quality, const run::PowerReport& report);

/// A file without its folders.
std::string short_file_name(std::string_view path);

}  // namespace kernwatt::report
