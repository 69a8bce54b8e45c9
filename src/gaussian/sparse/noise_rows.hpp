// Rows of V = L⁻ᵀ say which noise reaches a pixel, and with what weight. A draw is x = μ + Vε, so
// that
//
//   row n of V = (L⁻¹e_n)ᵀ     Var(x_n) = ‖row n‖²     Cov(x_n, x_m) = ⟨row n, row m⟩
//
// In the order from coarse to fine a row has about a thousand entries: a pixel depends on its
// surroundings level by level, and on the coarsest grid. Each solve visits only these, finest
// first, for several pixels near each other at once. In raster order rows are dense; use
// solve_factor. float64. See docs/method.md "The order of the factor".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gaussian/kernels/scattering.hpp"
#include "gaussian/large_buffer.hpp"
#include "gaussian/sparse/factor_graph.hpp"

namespace supn {

// A weight of a right-hand side: `value` at a pixel of lane `lane`.
struct LaneEntry {
  std::int64_t pixel;
  std::int64_t lane;
  double value;
};

// L⁻¹b for sparse right-hand sides, one a lane. Keeps scratch of the image's size; for one thread.
class SparseForwardSolver {
 public:
  // lanes is a multiple of 8.
  SparseForwardSolver(const FactorGraph& graph, std::int64_t lanes);

  std::int64_t lanes() const { return lanes_; }

  // visit(position, values[lanes]) for every position that is not zero in some lane, from the last
  // position of a sample back.
  template <typename Visit>
  void solve(std::span<const LaneEntry> right_sides, const Visit& visit) {
    scatter(right_sides);
    std::int64_t position = take_last();
    while (position >= 0) {
      const std::span<const std::int32_t> neighbours = graph_.neighbours(position);
      scattering::solve_step({sums_.data() + position * lanes_,
                              values_.data(),
                              graph_.inverse_diagonal(position),
                              neighbours,
                              graph_.coefficients(position),
                              sums_.data()},
                             lanes_);
      for (const std::int32_t neighbour : neighbours) mark(neighbour);
      const std::int64_t next = take_last();
      if (next >= 0) prefetch(next);
      visit(position, static_cast<const double*>(values_.data()));
      position = next;
    }
  }

 private:
  void scatter(std::span<const LaneEntry> right_sides);
  void mark(std::int64_t position) {
    marked_[static_cast<std::size_t>(position >> 6)] |= std::uint64_t{1} << (position & 63);
  }
  // Asks for the sums that a position's step adds to: they lie far apart.
  void prefetch(std::int64_t position) const {
    constexpr std::int64_t kLine = 8;  // of a cache, in numbers
    for (const std::int32_t neighbour : graph_.neighbours(position)) {
      const double* sum = sums_.data() + neighbour * lanes_;
      for (std::int64_t lane = 0; lane < lanes_; lane += kLine) __builtin_prefetch(sum + lane, 1);
    }
  }
  // Returns the last marked position, no longer marked; −1 if there is none.
  std::int64_t take_last();

  const FactorGraph& graph_;
  std::int64_t lanes_;
  std::vector<double> values_;         // of the position in work, [lane]
  LargeBuffer sums_;                   // [position, lane], zero between solves
  std::vector<std::uint64_t> marked_;  // a bit a position
  std::int64_t word_ = -1;             // no later word has a mark
};

// Sets channel c of pixel n of out [C,H,W] to Cov(n, n + offsets[c]), dy ≥ 0; 0 where that lies
// outside the image. Takes one image in float64 on the CPU.
void local_covariances_by_rows(const StructuredGaussian& gaussian,
                               const std::vector<Offset>& offsets,
                               double* out);

// Σ_n Var((Aᵀx)_n), x a draw of `gaussian` and A the factor L of another one of its size, in any
// order: tr(Λ_A Σ). For one image in float64 on the CPU.
double expected_square_by_rows(const StructuredGaussian& gaussian, const StructuredGaussian& other);

}  // namespace supn
