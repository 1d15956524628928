// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/unit/run/temporary_folder.hpp"

namespace kernwatt {

/// Two seconds of two kernels, a power log of the same time, and the Run of both: made, not measured.
class SmallRecording {
 public:
  SmallRecording();
  std::string trace() const { return folder_.file("trace.csv"); }
  std::string power() const { return folder_.file("power.csv"); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  const TemporaryFolder& folder() const { return folder_; }
  /// Writes run.kw with the program and returns its path.
  std::string run() const;

 private:
  TemporaryFolder folder_;
};

}  // namespace kernwatt
