// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/run/comparison.hpp"

namespace kernwatt::run {

std::string_view to_string(ComparedPer per) {
  switch (per) {
    case ComparedPer::recording:
      return "recording";
    case ComparedPer::iteration:
      return "iteration";
    case ComparedPer::token:
      return "token";
  }
  return "";
}

std::string_view to_string(Match match) {
  switch (match) {
    case Match::same:
      return "same";
    case Match::other_shape:
      return "other-shape";
    case Match::renumbered:
      return "renumbered";
    case Match::same_role:
      return "same-role";
    case Match::same_order:
      return "same-order";
    case Match::gone:
      return "gone";
    case Match::appeared:
      return "new";
  }
  return "";
}

}  // namespace kernwatt::run
