// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernwatt/report/text/power_text.hpp"
#include "kernwatt/report/text/style.hpp"

/// The parts of power_text, from top to bottom. Each ends with a line break or is empty. Private to this folder.
namespace kernwatt::report {

/// Logs, window, energy over all GPUs; a line per GPU when there are several.
std::string power_header(const run::Run& run, const run::PowerReport& report, const PowerTextOptions& options,
                         const Style& style);

/// One GPU: power over time, its readings, its energy by each meter, its phases.
std::string power_gpu_section(const run::PowerReport& report, std::size_t gpu, const PowerTextOptions& options,
                              const Style& style);

/// How the readings came, where it is the same for several GPUs.
std::string common_readings_line(const run::PowerReport& report, const PowerTextOptions& options, const Style& style);

/// Energies that logs give without a series.
std::string recorded_totals_section(const run::Run& run, const PowerTextOptions& options, const Style& style);

/// Core clocks under each memory clock, in a line each.
std::string supported_clocks_section(const run::Run& run, const PowerTextOptions& options, const Style& style);

/// "  label       text", the text wrapped beside its label.
std::string labelled(const Style& style, std::string_view label, std::string_view text, std::size_t width);

/// "GPU 3", "GPU-af7b1c2d…", "node1:3".
std::string short_gpu_name(const run::GpuIdentity& gpu, std::string_view best_name);

/// A file without its folders.
std::string short_file_name(std::string_view path);

}  // namespace kernwatt::report
