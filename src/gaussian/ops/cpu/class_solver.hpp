// L⁻ᵀb in the order from coarse to fine for a group of samples of one image: a few in planes, each
// in its own, more of them side by side in lanes. Both give the same bits. What is not a chain of
// steps takes threads where the caller has none at work.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "gaussian/kernels/samples_by_class.hpp"
#include "gaussian/kernels/substitution.hpp"
#include "gaussian/large_buffer.hpp"
#include "gaussian/ops/cpu/plane_factor.hpp"

namespace supn::cpu {

template <typename T>
class ClassSolver {
 public:
  static constexpr std::int64_t kMostSamples = by_class::kMostLanes<T>;
  // With fewer samples, lanes stand idle for longer than planes take.
  static constexpr std::int64_t kFewestInLanes = 4;

  // The factor's diagonal is e^−φ. No group has more samples.
  ClassSolver(const PlaneFactor<T>& factor, std::int64_t samples);

  // Solves for samples of image b, samples ≤ kMostSamples.
  void solve(std::int64_t b,
             const RightHandSide<T>& rhs,
             const Sink<T>& sink,
             std::int64_t samples);

 private:
  void solve_in_lanes(std::int64_t b,
                      const RightHandSide<T>& rhs,
                      const Sink<T>& sink,
                      const by_class::Group<T>& group);
  void solve_row(std::int64_t b,
                 const PlaneLevel& level,
                 const Plane& plane,
                 std::int64_t i,
                 const by_class::Group<T>& group,
                 double* residual_squares);
  void solve_in_planes(std::int64_t b,
                       const RightHandSide<T>& rhs,
                       const Sink<T>& sink,
                       std::int64_t samples);

  const PlaneFactor<T>& factor_;
  const PlaneLayout& layout_;
  LargeBuffer lanes_;
  std::vector<by_class::Neighbour> neighbours_;
};

}  // namespace supn::cpu
