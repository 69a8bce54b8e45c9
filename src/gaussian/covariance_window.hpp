// The dense covariance of r + 1 neighbouring image rows, sliding from the last row to the first.
//
// Ring slots y mod (r + 1) name the rows; block (a, b) holds Cov(row a's pixels, row b's pixels) in
// the panels of window_kernels.hpp, row b along the lanes. One step computes, for the new row y and
// d = 1 … r, the blocks (y, y + d) and their transposes (the transpose alone for d = r, whose other
// form nobody reads), then the block (y, y): above the diagonal by regression, below by symmetry.
// What its diagonal needs of itself is only the band of r next pixels, which one serial pass
// computes first; so all panels are independent.
#pragma once

#include <cstdint>
#include <vector>

#include "factor_rows.hpp"
#include "large_buffer.hpp"
#include "window_kernels.hpp"

namespace supn {

class CovarianceWindow {
 public:
  // Of an image with inverse diagonal e^−φ and radius ≥ 1; its maps must outlive the window.
  explicit CovarianceWindow(const FactorImage<double>& image);

  // Adds the next row up; the first call adds the last row of the image.
  void advance();

  std::int64_t row() const { return y_; }
  // Of the pixels (row(), x) and (row() + dy, x2), 0 ≤ dy ≤ r and inside the image.
  double covariance(std::int64_t dy, std::int64_t x, std::int64_t x2) const {
    return value(slot(y_ + dy), slot(y_), x2, x);
  }
  double variance(std::int64_t x) const { return band_[static_cast<std::size_t>(x * (r_ + 1))]; }

 private:
  std::int64_t slot(std::int64_t y) const { return y % (r_ + 1); }
  double* panel(std::int64_t a, std::int64_t b, std::int64_t p) const {
    return blocks_.data() + ((a * (r_ + 1) + b) * panels_ + p) * panel_size_ + r_ * window::kLanes;
  }
  double value(std::int64_t a, std::int64_t b, std::int64_t row, std::int64_t column) const {
    return panel(a, b, column / window::kLanes)[row * window::kLanes + column % window::kLanes];
  }
  // Cov of (y, x) and (y, x + j), j ≤ r, of the new row.
  double& band(std::int64_t x, std::int64_t j) {
    return band_[static_cast<std::size_t>(x * (r_ + 1) + j)];
  }
  std::int64_t rows_below() const;
  std::int64_t grain() const;

  void set_weights();
  void cross_panel(std::int64_t d, std::int64_t p);
  void set_band();
  double regressed(std::int64_t x, std::int64_t column) const;
  std::vector<const double*> later_panels(std::int64_t b, std::int64_t p) const;
  void own_panel(std::int64_t p);
  void diagonal_block(std::int64_t p);

  FactorImage<double> image_;
  std::int64_t r_;
  std::int64_t y_;
  std::int64_t panels_;
  std::int64_t panel_size_;
  LargeBuffer blocks_;
  std::vector<double> weights_;  // [W,K]
  std::vector<double> band_;     // [W,r+1]
};

}  // namespace supn
