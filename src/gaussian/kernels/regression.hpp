// The inner loops of the sliding covariance window: float64, panels of kLanes columns, no threads.
//
// A W × W matrix is stored as panels: columns kLanes·p … kLanes·(p + 1) − 1 of all rows, row after
// row. A panel pointer points at row 0; `radius` rows of zeros come before it and after the last.
#pragma once

#include <cstdint>

namespace supn::window {

inline constexpr std::int64_t kLanes = 32;

// The regression of a new image row on the r rows below it, for one panel.
struct Regression {
  const double* weights;  // [W,K], −ψ_k·e^−φ of the new row; 0 where the neighbour is outside
  const double* const* later;  // r panels: the rows y + 1 … y + r against the panel's pixels
  double* own;                 // the panel of the new row itself
  std::int64_t radius;
  const double* destination;  // kLanes words a row from `first` on that are written next
};

// own[x] = Σ_dy Σ_dx w[x]·later_dy[x + dx] + Σ_dx w[x]·own[x + dx] for x = last, last − 1, …,
// first; the rows of `own` right of `last` are there already. The nearest neighbour comes last.
// Memory is the bottleneck: rows further on and the destination are fetched meanwhile.
void regress(const Regression& regression, std::int64_t first, std::int64_t last);

// to[j·kLanes + i] = from[i·kLanes + j], i, j < kLanes.
void transpose(const double* from, double* to);

}  // namespace supn::window
