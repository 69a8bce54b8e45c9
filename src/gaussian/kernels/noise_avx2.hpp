// The forms of noise_kernels.hpp for float32 on a processor with AVX2: eight blocks of four pixels
// at once, the same bits. To be called only where processor_has_avx2().
#pragma once

#include <cstdint>

#include "gaussian/kernels/noise_kernels.hpp"

namespace supn::row::avx2 {

void fill_standard_normal(float* out, const NoiseStream& stream, std::int64_t count);

// lanes is a multiple of 8.
void fill_standard_normal_lanes(float* out,
                                const NoiseStream& stream,
                                std::int64_t blocks,
                                std::int64_t lanes);

}  // namespace supn::row::avx2
