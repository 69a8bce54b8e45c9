// Covariances among chosen pixels from their rows of V = L⁻ᵀ (noise_rows.hpp), level by level:
//
//   Σ_KK = V_c V_cᵀ + Σ_levels V_l V_lᵀ
//
// The noise of the coarse levels reaches nearly every pixel, so V_c is a dense matrix; that of a
// finer level stays near, so that rows of pixels far apart have nothing in common and are not
// multiplied. For the order from coarse to fine. float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gaussian/large_buffer.hpp"
#include "gaussian/sparse/factor_graph.hpp"

namespace supn {

// Returns a pixel's place along a Z-shaped curve: neighbours on the curve are neighbours in the
// image.
std::int64_t place_on_curve(std::int64_t pixel, std::int64_t width);

class PixelRows {
 public:
  // Levels of this stride or more are coarse, and the coarsest grid on any image. Quickest for
  // pixels in the order of the curve.
  PixelRows(const FactorGraph& graph,
            std::span<const std::int64_t> pixels,
            std::int64_t coarse_stride);

  std::int64_t size() const { return size_; }
  // Returns V_c [size, coarse noises].
  const at::Tensor& coarse() const { return coarse_; }
  // Counts what V_l of the finer levels hold together.
  std::int64_t fine_entries() const;
  // Returns Vᵀw = L⁻¹(Σ_i w_i e_i) [S,pixels] for weights w [S,size].
  at::Tensor transpose_times(const at::Tensor& weights) const;

 private:
  friend class FineCovariance;

  // Says where the pixels of some noise lie.
  struct Extent {
    std::int64_t top = std::numeric_limits<std::int64_t>::max();
    std::int64_t bottom = -1;
    std::int64_t left = std::numeric_limits<std::int64_t>::max();
    std::int64_t right = -1;

    void add(const Extent& other);
    bool meets(const Extent& other) const {
      return top <= other.bottom && other.top <= bottom && left <= other.right &&
             other.left <= right;
    }
  };
  // One pixel's noise of one level.
  struct Row {
    std::vector<double> values;
    std::vector<std::int32_t> positions;
    Extent extent;
  };
  void solve_group(class SparseForwardSolver& solver,
                   std::span<const std::int64_t> pixels,
                   std::int64_t first);
  void add(std::int64_t row, std::int64_t position, double value);

  const FactorGraph& graph_;
  std::int64_t size_;
  std::int64_t first_fine_;  // position
  at::Tensor coarse_;
  std::vector<std::vector<Row>> levels_;  // [level][row]
};

// Rows that FineCovariance::add takes at once.
inline constexpr std::int64_t kRowLanes = 16;

// Σ_levels V_l V_lᵀ among the rows begin … begin + size − 1, row-major [size,size].
struct CovarianceBlock {
  double* data;
  std::int64_t begin;
  std::int64_t size;
};

// Keeps scratch; for one thread.
class FineCovariance {
 public:
  explicit FineCovariance(const FactorGraph& graph)
      : place_(static_cast<std::size_t>(graph.pixels()), kNone) {}

  // Adds what rows first … first + 15 have in common with rows from `first` on, and its mirror
  // image.
  void add(const PixelRows& rows, std::int64_t first, const CovarianceBlock& block);

 private:
  static constexpr std::int32_t kNone = -1;

  // Lays rows first … out side by side, [place, lane], and takes them away again.
  void spread(const std::vector<PixelRows::Row>& level, std::int64_t first, std::int64_t lanes);
  void clear(const std::vector<PixelRows::Row>& level, std::int64_t first, std::int64_t lanes);
  // Keeps what a row has at the places of the rows that are laid out.
  void select(const PixelRows::Row& row);

  std::vector<std::int32_t> place_;  // by position, of those that any of the rows reaches
  std::vector<double> block_;        // [place, lane]
  std::vector<double> values_;       // of the selected row
  std::vector<std::int32_t> places_;
};

// Returns the rows of pixels [q], divided where that serves covariance_of().
PixelRows rows_of_pixels(const FactorGraph& graph, std::span<const std::int64_t> pixels);

// Σ among the rows' pixels [q,q].
at::Tensor covariance_of(const FactorGraph& graph, const PixelRows& rows);

}  // namespace supn
