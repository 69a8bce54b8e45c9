// The correlation length says how far a pixel's errors reach: it is the length ℓ, in pixels of the
// map, of the exponential that has the exact correlation ρ of two pixels h apart,
//
//   ρ = e^−h/ℓ    ℓ = −h/ln ρ
//
// with the largest distance the local covariances hold (marginal.hpp): h = 2r along a row, r along
// a column, less in images that are narrower. 0 where ρ is not positive, as for independent pixels;
// at the far border the pair looks back.
#pragma once

#include <ATen/core/Tensor.h>

#include "supn/gaussian/marginal.hpp"

namespace supn {

struct CorrelationLengths {
  at::Tensor along_rows;     // [B,1,H,W], float64
  at::Tensor along_columns;  // [B,1,H,W]
};

// correlations: as local_correlations gives them. Infinite where a correlation is 1.
CorrelationLengths correlation_lengths(const LocalCovariances& correlations);

}  // namespace supn
