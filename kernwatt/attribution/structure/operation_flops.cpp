// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/operation_flops.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "kernwatt/attribution/structure/kernel_name.hpp"

namespace kernwatt::attribution {
namespace {

constexpr double backward_by_forward = 2.5;  // attention: five products instead of two

// How an operator's operands are laid out. `at` is the position of the first operand.
enum class Layout : std::uint8_t {
  product,        ///< [..., m, k] x [..., k, n], leading dimensions are a batch
  linear,         ///< [..., k] x [n, k]
  vector,         ///< [m, k] x [k]
  heads_first,    ///< q [b, h, s, d], k, v
  sequence_first  ///< q [b, s, h, d], k, v
};

struct Operation {
  std::string_view op;
  Layout layout;
  std::size_t at = 0;
  double factor = 1;
};

constexpr auto operations = std::to_array<Operation>({
    {"aten::mm", Layout::product},
    {"aten::bmm", Layout::product},
    {"aten::matmul", Layout::product},
    {"aten::_scaled_mm", Layout::product},
    {"aten::_int_mm", Layout::product},
    {"aten::addmm", Layout::product, 1},
    {"aten::_addmm_activation", Layout::product, 1},
    {"aten::addmm_", Layout::product, 1},
    {"aten::baddbmm", Layout::product, 1},
    {"aten::baddbmm_", Layout::product, 1},
    {"aten::addbmm", Layout::product, 1},
    {"aten::mv", Layout::vector},
    {"aten::addmv", Layout::vector, 1},
    {"aten::addmv_", Layout::vector, 1},
    {"aten::linear", Layout::linear},
    {"aten::scaled_dot_product_attention", Layout::heads_first},
    {"aten::_scaled_dot_product_flash_attention", Layout::heads_first},
    {"aten::_scaled_dot_product_efficient_attention", Layout::heads_first},
    {"aten::_scaled_dot_product_cudnn_attention", Layout::heads_first},
    {"aten::_cudnn_attention_forward", Layout::heads_first},
    {"aten::_flash_attention_forward", Layout::sequence_first},
    {"aten::_efficient_attention_forward", Layout::sequence_first},
    {"flash_attn::_flash_attn_forward", Layout::sequence_first},
    {"aten::_scaled_dot_product_flash_attention_backward", Layout::heads_first, 1, backward_by_forward},
    {"aten::_scaled_dot_product_efficient_attention_backward", Layout::heads_first, 1, backward_by_forward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Layout::heads_first, 1, backward_by_forward},
    {"aten::_cudnn_attention_backward", Layout::heads_first, 1, backward_by_forward},
    {"aten::_flash_attention_backward", Layout::sequence_first, 1, backward_by_forward},
    {"aten::_efficient_attention_backward", Layout::sequence_first, 1, backward_by_forward},
    {"flash_attn::_flash_attn_backward", Layout::sequence_first, 1, backward_by_forward},
});

double size_of(std::span<const std::int64_t> dims) {
  double size = 1;
  for (const std::int64_t dim : dims) size *= static_cast<double>(dim);
  return size;
}

std::optional<OperationFlops> product_flops(const Shape& a, const Shape& b) {
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return std::nullopt;
  // The batch of the larger operand: the smaller one is broadcast.
  const auto batch_a = std::span(a).first(a.size() - 2);
  const auto batch_b = std::span(b).first(b.size() - 2);
  const double batch = std::max(size_of(batch_a), size_of(batch_b));
  const double rows = static_cast<double>(a[a.size() - 2]);
  return OperationFlops{2 * batch * rows * static_cast<double>(a.back()) * static_cast<double>(b.back())};
}

std::optional<OperationFlops> linear_flops(const Shape& x, const Shape& weight) {
  if (x.empty() || weight.size() != 2 || x.back() != weight[1]) return std::nullopt;
  return OperationFlops{2 * size_of(x) * static_cast<double>(weight[0])};
}

std::optional<OperationFlops> vector_flops(const Shape& a, const Shape& x) {
  if (a.size() != 2 || x.size() != 1 || a[1] != x[0]) return std::nullopt;
  return OperationFlops{2 * size_of(a)};
}

std::optional<OperationFlops> attention_flops(const Shape& q, const Shape& k, const Shape& v, std::size_t heads_at,
                                              double factor) {
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  const std::size_t sequence_at = 3 - heads_at;
  const double scores = static_cast<double>(q[0]) * static_cast<double>(q[heads_at]) *
                        static_cast<double>(q[sequence_at]) * static_cast<double>(k[sequence_at]);
  const double depth = static_cast<double>(q[3]) + static_cast<double>(v[3]);
  return OperationFlops{factor * 2 * scores * depth, true, q[sequence_at] == k[sequence_at]};
}

std::optional<OperationFlops> flops_of(const Operation& operation, std::span<const Shape> shapes) {
  const bool is_attention = operation.layout == Layout::heads_first || operation.layout == Layout::sequence_first;
  const std::size_t operands = is_attention ? 3 : 2;
  if (shapes.size() < operation.at + operands) return std::nullopt;
  const auto s = shapes.subspan(operation.at);
  switch (operation.layout) {
    case Layout::product:
      return product_flops(s[0], s[1]);
    case Layout::linear:
      return linear_flops(s[0], s[1]);
    case Layout::vector:
      return vector_flops(s[0], s[1]);
    case Layout::heads_first:
      return attention_flops(s[0], s[1], s[2], 1, operation.factor);
    case Layout::sequence_first:
      return attention_flops(s[0], s[1], s[2], 2, operation.factor);
  }
  return std::nullopt;
}

// FlashAttention-2: flash_fwd_kernel<traits<…>, Is_dropout, Is_causal, …>; the split-KV kernels have no Is_dropout.
bool flash_template_says_causal(std::string_view name) {
  const bool split = name.find("splitkv") != std::string_view::npos;
  const std::size_t traits = name.find("kernel_traits<");
  if (traits == std::string_view::npos) return false;
  std::size_t at = name.find('<', traits);
  int depth = 0;
  for (; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>' && --depth == 0) break;
  }
  if (at >= name.size()) return false;
  constexpr std::string_view truth = "true";
  std::string_view rest = name.substr(at + 1);
  for (int skip = split ? 1 : 2; skip > 0; --skip) {
    const std::size_t comma = rest.find(',');
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest.starts_with(truth) || rest.starts_with("(bool)1");
}

}  // namespace

std::vector<Shape> parse_shapes(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
  if (!parsed.is_array()) return {};
  std::vector<Shape> shapes;
  for (const auto& item : parsed) {
    Shape shape;
    if (item.is_array()) {
      for (const auto& dim : item) {
        if (!dim.is_number_integer()) {
          shape.clear();
          break;
        }
        shape.push_back(dim.get<std::int64_t>());
      }
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::optional<OperationFlops> flops_of_operation(std::string_view op, std::span<const Shape> shapes) {
  for (const Operation& operation : operations) {
    if (operation.op != op) continue;
    const auto flops = flops_of(operation, shapes);
    return flops && flops->flops > 0 ? flops : std::nullopt;
  }
  return std::nullopt;
}

bool says_causal(std::string_view kernel_name) {
  const KernelName name = prepare_kernel_name(kernel_name);
  if (name.function.find("causal") != std::string::npos) return true;
  const bool flash = name.function.starts_with("flash_fwd") || name.function.starts_with("flash_bwd");
  return flash && flash_template_says_causal(name.whole);
}

}  // namespace kernwatt::attribution
