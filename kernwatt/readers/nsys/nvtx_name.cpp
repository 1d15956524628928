// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/nsys/nvtx_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernwatt/readers/csv/number.hpp"

namespace kernwatt::readers::nsys {
namespace {

struct Part {
  std::string_view key;
  std::size_t at = std::string_view::npos;
};

bool is_word(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
         byte == '.';
}

/// "aten::mm", "c10d::allreduce_", "MmBackward0", "autograd::engine::evaluate_function: MmBackward0". What a user
/// names in the same way (record_function) has blanks, brackets or capitals in front: "FSDP::forward (layer.3)".
bool looks_like_operator(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function")) return true;
  const std::size_t colons = name.find("::");
  if (colons != std::string_view::npos) {
    const bool small = colons > 0 && ((name[0] >= 'a' && name[0] <= 'z') || name[0] == '_');
    return small && std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == ':'; });
  }
  if (!std::all_of(name.begin(), name.end(), is_word)) return false;
  std::string_view stem = name;
  while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  return stem.ends_with("Backward");
}

}  // namespace

NvtxName parse_nvtx_name(std::string_view text) {
  std::array parts{Part{", seq = "}, Part{", op_id = "}, Part{", sizes = "}, Part{", input_op_ids = "}};
  NvtxName result;
  std::size_t end = text.size();
  if (text.find(" = ") != std::string_view::npos) {
    for (Part& part : parts) {
      part.at = text.find(part.key);
      end = std::min(end, part.at);
    }
  }
  result.name = text.substr(0, end);
  const bool annotated = end < text.size();
  const auto value_of = [&](const Part& part) -> std::string_view {
    if (part.at == std::string_view::npos) return {};
    const std::size_t begin = part.at + part.key.size();
    std::size_t stop = text.size();
    for (const Part& other : parts) {
      if (other.at != std::string_view::npos && other.at > part.at) stop = std::min(stop, other.at);
    }
    return text.substr(begin, stop - begin);
  };
  if (annotated) {
    result.sequence = parse_int64(trim(value_of(parts[0]))).value_or(-1);
    result.shapes = trim(value_of(parts[2]));
    if (!result.shapes.starts_with('[')) result.shapes = {};
    result.is_operator = looks_like_operator(result.name);
  } else {
    const bool known = text.starts_with("aten::") || text.starts_with("autograd::engine::evaluate_function");
    result.is_operator = known && looks_like_operator(text);
  }
  return result;
}

}  // namespace kernwatt::readers::nsys
