// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

// Compiled with AVX2 and PCLMUL, called only where the processor has them.
#include <immintrin.h>

#include "kernwatt/readers/kineto/structural_scan_kernel.hpp"

namespace kernwatt::readers::kineto {
namespace {

struct Avx2 {
  static ByteMasks masks(const char* text) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    const __m256i fold = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    const __m256i last_control = _mm256_set1_epi8(0x1f);
    return {equal(low, high, '"'),
            equal(low, high, '\\'),
            equal(low_folded, high_folded, '{'),
            equal(low_folded, high_folded, '}'),
            join(_mm256_cmpeq_epi8(_mm256_min_epu8(low, last_control), low),
                 _mm256_cmpeq_epi8(_mm256_min_epu8(high, last_control), high)),
            join(low, high)};
  }
  /// Carry-less multiplication by all ones is the running exclusive or.
  static std::uint64_t prefix_xor(std::uint64_t bits) {
    const __m128i value = _mm_set_epi64x(0, static_cast<long long>(bits));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(value, _mm_set1_epi8(-1), 0)));
  }

 private:
  static std::uint64_t join(__m256i low, __m256i high) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
           (std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32U);
  }
  static std::uint64_t equal(__m256i low, __m256i high, char byte) {
    const __m256i wanted = _mm256_set1_epi8(byte);
    return join(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  }
};

}  // namespace

void scan_blocks_avx2(const char* text, std::size_t blocks, ScanState& state, ScannedBlock* out);
void scan_blocks_avx2(const char* text, std::size_t blocks, ScanState& state, ScannedBlock* out) {
  scan_with<Avx2>(text, blocks, state, out);
}

}  // namespace kernwatt::readers::kineto
