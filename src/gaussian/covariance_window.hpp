// The window holds the dense covariance of r + 1 neighbouring image rows and slides from the last
// row to the first.
//
// Block (a, b), b ≤ a ≤ b + r, holds Cov(row a's pixels, row b's pixels) in the panels of
// regression.hpp, row b along the lanes. One step up from row y computes, panel by panel of y,
// the covariances of the r rows above with y, each from the one before while that is in the cache,
// and stores their transposes (y, y − e); then the block of the new row itself: above the diagonal
// by regression, below by symmetry. What its diagonal needs of itself is only the band of r next
// pixels, which one serial pass computes first; so all panels are independent. Blocks at distance
// d = a − b are needed for d steps (d = r) or d + 1: r(r + 3)/2 blocks in all.
#pragma once

#include <cstdint>
#include <vector>

#include "gaussian/kernels/factor_view.hpp"
#include "gaussian/kernels/regression.hpp"
#include "gaussian/large_buffer.hpp"

namespace supn {

class CovarianceWindow {
 public:
  // Takes an image of radius ≥ 1 and its e^−φ [H,W]; the maps must outlive the window.
  CovarianceWindow(const FactorView<double>& image, const double* inverse_diagonal);

  // Adds the next row up; the first call adds the last row of the image.
  void advance();

  std::int64_t row() const { return y_; }
  // Returns the covariance of the pixels (row(), x) and (row() + dy, x2), 0 ≤ dy ≤ r and inside the
  // image.
  double covariance(std::int64_t dy, std::int64_t x, std::int64_t x2) const {
    return panel(y_ + dy, y_, x / window::kLanes)[x2 * window::kLanes + x % window::kLanes];
  }
  double variance(std::int64_t x) const { return band_[static_cast<std::size_t>(x * (r_ + 1))]; }

 private:
  std::int64_t block(std::int64_t a, std::int64_t b) const;
  // Returns panel p of block (a, b) of image rows.
  double* panel(std::int64_t a, std::int64_t b, std::int64_t p) const {
    return blocks_.data() + (block(a, b) * panels_ + p) * panel_size_ + r_ * window::kLanes;
  }
  // Returns the same to be read only, zeros for a row below the image.
  const double* panel_or_zero(std::int64_t a, std::int64_t b, std::int64_t p) const;
  // Returns Cov of (y, x) and (y, x + j), j ≤ r, of the new row.
  double& band(std::int64_t x, std::int64_t j) {
    return band_[static_cast<std::size_t>(x * (r_ + 1) + j)];
  }
  std::int64_t rows_below() const;
  std::int64_t grain() const;
  double* weights(std::int64_t y);
  const double* weights(std::int64_t y) const;

  void set_weights(std::int64_t y);
  void extend_up();
  void extend_panel(std::int64_t p);
  void set_band();
  double regressed(std::int64_t x, std::int64_t column) const;
  std::vector<const double*> later_panels(std::int64_t p) const;
  void own_panel(std::int64_t p);
  void diagonal_block(std::int64_t p);

  FactorView<double> image_;
  const double* inverse_diagonal_;
  std::int64_t r_;
  std::int64_t y_;
  std::int64_t panels_;
  std::int64_t panel_size_;
  LargeBuffer blocks_;
  std::vector<double> weights_;  // [r+1,W,K], of rows y − r … y at y mod (r + 1)
  std::vector<double> band_;     // [W,r+1]
  std::vector<double> zeros_;    // a panel
};

}  // namespace supn
