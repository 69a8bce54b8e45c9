// Sparsification measures how well an uncertainty ranks the errors of one image: AUSE (lower is
// better) and AURG (higher).
//
// For k = 0..49 keep the pixels whose v = −uncertainty is at least t_k, the 2k-th percentile of v
// (linear interpolation; ties are kept), and take the metric of those; a 51st value 0 is appended.
// The area is the trapezoid over x = k/50, not normalised. The oracle ranks by each pixel's own
// error: |g−p|/g; (g−p)² for rmse; max(g/p, p/g) for a1, whose curve is the fraction of pixels with
// a ratio of at least 1.25.
//
//   AUSE = area(uncertainty) − area(oracle)      AURG = metric(all pixels) − area(uncertainty)
//
// AUSE + AURG does not depend on the uncertainty; a constant one gives AURG = metric(all)/100.
// Other definitions (pooled pixels, normalised sums of errors) are not comparable. See
// docs/method.md "Evaluation".
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

namespace supn {

inline constexpr int kSparsificationSteps = 50;

struct SparsificationScore {
  double ause = 0.0;
  double aurg = 0.0;
};

struct Sparsification {
  SparsificationScore abs_rel;
  SparsificationScore rmse;
  SparsificationScore a1;
};

enum class SparsifiedMetric { kAbsRel, kRmse, kA1 };

// Returns the 51 values of a curve; uncertainty [K] ranks, depth and predicted [K] give the errors.
// With the oracle's ranking: sparsification_curve(..., oracle_ranking(...)).
std::array<double, kSparsificationSteps + 1> sparsification_curve(SparsifiedMetric metric,
                                                                  const at::Tensor& depth,
                                                                  const at::Tensor& predicted,
                                                                  const at::Tensor& uncertainty);
at::Tensor oracle_ranking(SparsifiedMetric metric,
                          const at::Tensor& depth,
                          const at::Tensor& predicted);

// depth, predicted (both positive) and uncertainty [K]. Every score is NaN if an uncertainty or a
// prediction is not finite. Throws c10::Error if shapes differ or K = 0.
Sparsification sparsify(const at::Tensor& depth,
                        const at::Tensor& predicted,
                        const at::Tensor& uncertainty);

}  // namespace supn
