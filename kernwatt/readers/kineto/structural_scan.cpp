// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/structural_scan.hpp"

#include <algorithm>
#include <vector>

#include "kernwatt/readers/kineto/structural_scan_kernel.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kernwatt::readers::kineto {

#if defined(__x86_64__)
void scan_blocks_avx2(const char* text, std::size_t blocks, ScanState& state, ScannedBlock* out);
#endif

namespace {

std::uint64_t prefix_xor_by_shifts(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

struct Scalar {
  static ByteMasks masks(const char* text) {
    ByteMasks masks{};
    for (unsigned i = 0; i < scan_block_size; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x20) masks.control |= bit;
      if (byte >= 0x80) masks.non_ascii |= bit;
      switch (text[i]) {
        case '"':
          masks.quote |= bit;
          break;
        case '\\':
          masks.backslash |= bit;
          break;
        case '{':
        case '[':
          masks.open |= bit;
          break;
        case '}':
        case ']':
          masks.close |= bit;
          break;
        default:
          break;
      }
    }
    return masks;
  }
  static std::uint64_t prefix_xor(std::uint64_t bits) { return prefix_xor_by_shifts(bits); }
};

#if defined(__x86_64__)
struct Sse2 {
  static ByteMasks masks(const char* text) {
    ByteMasks masks{};
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + std::size_t{16} * part));
      // '{' and '[' differ in bit 5 only, and so do '}' and ']'.
      const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      const unsigned shift = 16 * part;
      masks.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))) << shift;
      masks.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))) << shift;
      masks.open |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{'))) << shift;
      masks.close |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}'))) << shift;
      masks.control |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)) << shift;
      masks.non_ascii |= bits(bytes) << shift;
    }
    return masks;
  }
  static std::uint64_t prefix_xor(std::uint64_t value) { return prefix_xor_by_shifts(value); }

 private:
  static std::uint64_t bits(__m128i mask) { return static_cast<std::uint32_t>(_mm_movemask_epi8(mask)); }
};
#endif

std::vector<NamedScan> find_scans() {
  std::vector<NamedScan> scans;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul")) scans.push_back({"avx2", scan_blocks_avx2});
  scans.push_back({"sse2", scan_with<Sse2>});
#endif
  scans.push_back({"scalar", scan_with<Scalar>});
  return scans;
}

}  // namespace

std::span<const NamedScan> available_scans() {
  static const std::vector<NamedScan> scans = find_scans();
  return scans;
}

std::uint64_t count_newlines(std::string_view text) {
  std::uint64_t count = 0;
  std::size_t i = 0;
#if defined(__x86_64__)
  __m128i sums = _mm_setzero_si128();
  while (text.size() - i >= 16) {
    constexpr std::size_t most = 255;  // each byte of the counter holds this many
    const std::size_t vectors = std::min(most, (text.size() - i) / 16);
    __m128i counters = _mm_setzero_si128();
    for (std::size_t end = i + vectors * 16; i < end; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
      counters = _mm_sub_epi8(counters, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    }
    sums = _mm_add_epi64(sums, _mm_sad_epu8(counters, _mm_setzero_si128()));
  }
  count = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums)) +
          static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
#endif
  for (; i < text.size(); ++i) count += text[i] == '\n' ? 1U : 0U;
  return count;
}

}  // namespace kernwatt::readers::kineto
