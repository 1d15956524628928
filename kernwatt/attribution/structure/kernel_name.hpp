// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

/// Kernel names as compilers and vendors write them, brought into a form that a table of rules can match.
namespace kernwatt::attribution {

/// A kernel name prepared for matching: both in lower case.
struct KernelName {
  /// Everything, template arguments and parameters included.
  std::string whole;
  /// The function alone: "void at::native::foo<4, bar>(int)" -> "foo". A mangled name stays whole, because its parts
  /// cannot be told apart without the ABI's demangler.
  std::string function;
};

KernelName prepare_kernel_name(std::string_view name);

/// True if `text` is as `pattern`, in which '*' stands for any characters. Linear in practice, never exponential.
bool matches(std::string_view pattern, std::string_view text);

/// Where a pattern is looked for.
enum class NamePart : unsigned char { function, whole };

/// Text that a rule demands, and what it then means. Rules are data: the first that matches decides.
template <class Meaning>
struct NameRule {
  NamePart part;
  std::string_view pattern;
  Meaning meaning;
};

/// The meaning of the first rule that matches; nullptr if none does.
template <class Meaning>
const Meaning* first_match(std::span<const NameRule<Meaning>> rules, const KernelName& name) {
  for (const auto& rule : rules) {
    if (matches(rule.pattern, rule.part == NamePart::function ? name.function : name.whole)) return &rule.meaning;
  }
  return nullptr;
}

}  // namespace kernwatt::attribution
