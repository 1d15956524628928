// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/attribution.hpp"

namespace kernwatt::run {

std::string_view to_string(View view) {
  switch (view) {
    case View::kernel_class:
      return "class";
    case View::operator_:
      return "operator";
    case View::layer:
      return "layer";
    case View::phase:
      return "phase";
    case View::category:
      return "category";
    case View::iteration:
      return "iteration";
  }
  return "class";
}

std::optional<View> view_from_string(std::string_view text) {
  for (const View view : all_views)
    if (to_string(view) == text) return view;
  return std::nullopt;
}

}  // namespace kernwatt::run
