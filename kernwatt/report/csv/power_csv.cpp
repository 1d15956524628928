// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/csv/power_csv.hpp"

#include "kernwatt/report/csv/csv_line.hpp"

namespace kernwatt::report {
namespace {

void write_energy(CsvLine& line, const run::PowerEnergy& energy) {
  line.add(std::string_view(energy.source));
  line.add(energy.energy_j);
  line.add(energy.energy_ci95_j);
  line.add(energy.counter_j);
  line.add(energy.integral_j);
  line.add(energy.mean_w);
  line.add(std::string_view(energy.below_resolution ? "below-resolution" : ""));
}

void write_gpu(std::string& out, const run::PowerGpu& gpu) {
  CsvLine line(out);
  line.add(std::string_view("gpu"));
  line.add(std::string_view(gpu.name));
  line.add(std::string_view(""));
  line.add(gpu.start_ns);
  line.add(gpu.end_ns);
  write_energy(line, gpu.energy);
  line.add(std::string_view(""));
}

void write_phase(std::string& out, const run::PowerPhase& phase, const run::PowerGpu& gpu) {
  CsvLine line(out);
  line.add(std::string_view("phase"));
  line.add(std::string_view(gpu.name));
  line.add(std::string_view(phase.name));
  line.add(phase.start_ns);
  line.add(phase.end_ns);
  write_energy(line, phase.energy);
  line.add(phase.period_s);
}

}  // namespace

std::string power_csv(const run::PowerReport& report) {
  std::string out =
      "row,gpu,phase,start_ns,end_ns,source,energy_j,energy_ci95_low_j,energy_ci95_high_j,energy_counter_j,"
      "energy_integral_j,power_w,flags,period_s\n";
  for (std::size_t i = 0; i < report.gpus.size(); ++i) {
    write_gpu(out, report.gpus[i]);
    for (const run::PowerPhase& phase : report.phases)
      if (phase.gpu == i) write_phase(out, phase, report.gpus[i]);
  }
  return out;
}

}  // namespace kernwatt::report
