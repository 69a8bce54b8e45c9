// A substitution for many samples of one image: a lane of the vector registers is a sample, so a
// pixel's chain of operations is that of one sample alone, whatever the registers' width.
//
// The r + 1 rows of solutions that are still needed stay in the cache, as do a row's coefficients,
// which are set side by side once for all samples. A piece of a row at a time is read (or drawn),
// transposed, substituted and transposed back.
#pragma once

#include <cstdint>

#include "gaussian/kernels/factor_view.hpp"
#include "gaussian/kernels/substitution.hpp"

namespace supn {

// sink.values ← L⁻ᵀb (kLater) or L⁻¹b (kEarlier), plus the mean; residuals are for kLater only. T
// is float or double, any radius; no threads.
template <Side kSide, typename T>
void solve_samples_in_lanes(const FactorView<T>& view,
                            const RightHandSide<T>& b,
                            const Sink<T>& sink,
                            std::int64_t samples);

}  // namespace supn
