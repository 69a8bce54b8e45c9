// CHOLMOD, float64: solves with L given as a ready simplicial factor, and the conditional
// distribution by a Cholesky factor of the precision of the unknown pixels.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "../competitor.hpp"
#include "../sparse_factor.hpp"

namespace supn::bench {

// L⁻ᵀb of b [1,S,H,W], `block` right-hand sides a call of cholmod_solve2, workspace and result kept
// from call to call. Throws c10::Error if CHOLMOD refuses the factor.
Competitor cholmod_transpose_solve(const SparseFactor& factor,
                                   const at::Tensor& b,
                                   std::int64_t block);

// A conditioning problem: pixels known exactly, and draws of the prior to be conditioned.
struct ConditioningProblem {
  at::Tensor mean;    // [1,1,H,W] float64
  at::Tensor draws;   // [1,S,H,W] float64
  at::Tensor pixels;  // [K] int64, ascending
  at::Tensor values;  // [K] float64
};

// The precision Λ = L Lᵀ, formed once, and what CHOLMOD makes of it for each set of known pixels.
class CholmodPrecision {
 public:
  explicit CholmodPrecision(const SparseFactor& factor);
  ~CholmodPrecision();
  CholmodPrecision(CholmodPrecision&&) noexcept;

  // [1,1+S,H,W]: conditional mean, then the draws by Matheron's rule. Timed are: taking Λ_UU and
  // the right-hand sides, ordering (CHOLMOD's own choice, AMD, or METIS), supernodal or simplicial
  // factorisation as CHOLMOD chooses, and one solve with 1 + S right-hand sides. Not timed: forming
  // Λ, and the draws. Valid as long as this object.
  std::vector<Competitor> conditionings(const ConditioningProblem& problem) const;

 private:
  struct Precision;
  std::shared_ptr<Precision> precision_;
};

}  // namespace supn::bench
