// One field of one image solved by the strips of staircase_kernels.hpp, shared out to threads; for a
// processor with AVX2, float32, radius 1 and 2. No result depends on the number of threads.
#pragma once

#include <cstdint>

#include "gaussian/kernels/avx2.hpp"
#include "gaussian/kernels/factor_rows.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/kernels/staircase_kernels.hpp"

namespace supn::cpu {

// Narrower or lower images are mostly edge.
inline bool staircase_fits(std::int64_t radius, std::int64_t height, std::int64_t width) {
  return processor_has_avx2() && (radius == 1 || radius == 2) && height >= staircase::kRows &&
         width >= 64;
}

// solution [H,W] ← L⁻ᵀb for kLater, L⁻¹b for kEarlier; b may be the same array. image.diagonal is φ.
template <Side kSide>
void solve_staircase(const FactorImage<float>& image, const float* b, float* solution);

// values [H,W] ← mean + L⁻ᵀε, ε the normals of a stream from its first block on.
staircase::Squares sample_staircase(const FactorImage<float>& image,
                                    const NoiseStream& stream,
                                    const float* mean,
                                    float* values);

}  // namespace supn::cpu
