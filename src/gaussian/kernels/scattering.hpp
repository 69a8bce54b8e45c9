// Inner loops of solving for several sparse right-hand sides at once, a lane each (sparse/
// noise_rows.hpp). float64; a value has `lanes` numbers, a multiple of 8.
#pragma once

#include <cstdint>
#include <span>

namespace supn::scattering {

// One pixel's step of L⁻¹b: value = sum·inverse, and for every neighbour
// sums[neighbour·lanes + lane] −= coefficient·value[lane]; the pixel's own sum becomes 0.
struct Step {
  double* sum;
  double* value;
  double inverse;
  std::span<const std::int32_t> neighbours;
  std::span<const double> coefficients;
  double* sums;
};
void solve_step(const Step& step, std::int64_t lanes);

// sum[lane] += Σ_i values[i]·block[positions[i]·lanes + lane].
struct SparseRow {
  std::span<const double> values;
  std::span<const std::int32_t> positions;
};
void add_inner_products(const SparseRow& row, const double* block, std::int64_t lanes, double* sum);

// sums[4·i + j] += values[first + j]·values[second + j] of pair i, j < 4: each product is rounded.
struct LanePair {
  std::int64_t first;
  std::int64_t second;
};
void add_lane_products(const double* values, std::span<const LanePair> pairs, double* sums);

}  // namespace supn::scattering
