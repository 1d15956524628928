// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernwatt/run/trace.hpp"

namespace kernwatt::attribution {

/// "model.layers.3.self_attn" -> {"model.layers", 3, "model.layers.3"}.
struct NumberedLayer {
  std::string family;  ///< what is numbered
  std::uint64_t number = 0;
  std::string name;  ///< family with its number
};

/// The numbered layer that a range's name speaks of: "nn.Module: LlamaDecoderLayer_3", "transformer.h.3.attn",
/// "layers[3]", "block 3". Numbers of other things (Linear_5, ProfilerStep#3, micro-batch 3) are none.
std::optional<NumberedLayer> numbered_layer(std::string_view range);

/// Layers by the names of ranges.
struct NamedLayers {
  std::vector<std::string> names;            ///< in program order
  std::vector<std::uint32_t> layer_of_site;  ///< index into names, or run::none
  bool empty() const { return names.empty(); }
};

/// The layer of a site is the outermost of its ranges whose family has at least two numbers.
NamedLayers named_layers(const run::Trace& trace);

}  // namespace kernwatt::attribution
