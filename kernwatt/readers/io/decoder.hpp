// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "kernwatt/core/result.hpp"

namespace kernwatt::readers {

/// Where bytes come from before decompression.
class RawInput {
 public:
  virtual ~RawInput() = default;
  /// Up to into.size() bytes; 0 only at the end. Errors: io.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

/// Turns the bytes of a RawInput into the bytes of the document.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Up to into.size() bytes; 0 only at the end, also when damaged data ended it. Errors: io.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  /// What was wrong with the data, a sentence; empty when nothing is.
  virtual std::string damage() const { return {}; }
};

std::unique_ptr<Decoder> make_plain_decoder(RawInput& input);
std::unique_ptr<Decoder> make_gzip_decoder(RawInput& input);
std::unique_ptr<Decoder> make_zstd_decoder(RawInput& input);

}  // namespace kernwatt::readers
