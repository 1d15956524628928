// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/kernwatt/output_target.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "kernwatt/run/new_file.hpp"

namespace kernwatt::app {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed) && !failed) return true;
  return std::filesystem::absolute(a, failed).lexically_normal() ==
         std::filesystem::absolute(b, failed).lexically_normal();
}

Status check_output(const OutputTarget& output, const std::vector<std::string>& inputs, bool force) {
  if (output.is_standard_output() || is_stream(output.path)) return {};
  for (const std::string& input : inputs)
    if (same_file(output.path, input))
      return Error{ErrorCode::invalid_argument, "would overwrite the input " + input + "; give another name",
                   output.option};
  const Result<run::NewFile> probe = run::NewFile::create(output.path, force);
  if (!probe) return probe.error();
  return {};
}

Status write_stream(const std::string& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) return Error{ErrorCode::io, "cannot be written: " + std::generic_category().message(errno), path};
  return {};
}

}  // namespace

bool is_stream(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_type type = std::filesystem::status(path, failed).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::socket;
}

Status check_outputs(const std::vector<OutputTarget>& outputs, const std::vector<std::string>& inputs, bool force) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].wanted()) continue;
    for (std::size_t k = 0; k < i; ++k)
      if (outputs[k].wanted() && same_file(outputs[i].path, outputs[k].path) && !is_stream(outputs[i].path))
        return Error{ErrorCode::invalid_argument,
                     outputs[k].option + " and " + outputs[i].option + " cannot both go to " +
                         (outputs[i].is_standard_output() ? "standard output" : outputs[i].path),
                     ""};
    KERNWATT_CHECK(check_output(outputs[i], inputs, force));
  }
  return {};
}

Status write_output(const OutputTarget& output, std::string_view text, bool force, const Console& console) {
  if (output.is_standard_output()) return console.print(text);
  if (is_stream(output.path)) return write_stream(output.path, text);
  KERNWATT_TRY(run::NewFile file, run::NewFile::create(output.path, force));
  KERNWATT_CHECK(file.write(text));
  return file.commit();
}

}  // namespace kernwatt::app
