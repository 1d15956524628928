// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/attribution/structure/category.hpp"

#include <fmt/format.h>

#include <array>

#include "kernwatt/attribution/structure/category_rules.hpp"

namespace kernwatt::attribution {

std::string_view to_string(Category category) {
  constexpr std::array<std::string_view, 9> names{"matrix product", "attention",     "normalisation",
                                                  "element-wise",   "reduction",     "copy",
                                                  "optimizer",      "communication", "other"};
  return names[static_cast<std::size_t>(category)];
}

Category category_of(std::string_view kernel_name, run::LaunchKind kind) {
  if (kind != run::LaunchKind::kernel) return Category::copy;
  const Category* found = first_match(category_rules(), prepare_kernel_name(kernel_name));
  return found != nullptr ? *found : Category::other;
}

std::string collective_of(std::string_view kernel_name) {
  const std::string_view* found = first_match(collective_rules(), prepare_kernel_name(kernel_name));
  return found != nullptr ? std::string(*found) : std::string();
}

void categorise(const run::Trace& trace, ProgramStructure& structure, QualityLedger& quality) {
  structure.class_category.assign(trace.classes.size(), Category::other);
  structure.collective_of_class.assign(trace.classes.size(), {});
  std::uint64_t unknown = 0;
  std::string_view example;
  for (std::size_t c = 0; c < trace.classes.size(); ++c) {
    const run::KernelClass& kernel_class = trace.classes[c];
    const std::string_view name =
        kernel_class.name == run::none ? std::string_view() : trace.names.at(kernel_class.name);
    const Category category = category_of(name, kernel_class.kind);
    structure.class_category[c] = category;
    if (category == Category::communication) structure.collective_of_class[c] = collective_of(name);
    if (category == Category::other) {
      if (unknown++ == 0) example = name;
    }
  }
  if (unknown > 0) {
    constexpr std::size_t longest = 80;
    quality.add("structure.category-unknown", Severity::info,
                fmt::format("the names of some kernel classes fit no rule, so their category is \"other\"; the first: "
                            "{}",
                            example.substr(0, longest)),
                unknown);
  }
}

}  // namespace kernwatt::attribution
