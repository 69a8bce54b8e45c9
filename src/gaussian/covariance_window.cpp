#include "covariance_window.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace supn {
namespace {

using window::kLanes;

constexpr std::int64_t kMultiplyAddsPerTask = 1 << 17;

// Covariances of far pixels fade below the smallest normal number, where arithmetic is many times
// slower: they count as 0 while this lives.
class DenormalsAreZero {
 public:
#if defined(__SSE2__)
  DenormalsAreZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushAndZero); }
  ~DenormalsAreZero() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kFlushAndZero = 0x8040;
  unsigned before_;
#else
  DenormalsAreZero() = default;
#endif

 public:
  DenormalsAreZero(const DenormalsAreZero&) = delete;
  DenormalsAreZero& operator=(const DenormalsAreZero&) = delete;
};

}  // namespace

CovarianceWindow::CovarianceWindow(const FactorImage<double>& image)
    : image_(image),
      r_(image.radius),
      y_(image.height),
      panels_((image.width + kLanes - 1) / kLanes),
      panel_size_((panels_ * kLanes + 2 * image.radius) * kLanes),
      blocks_((r_ + 1) * (r_ + 1) * panels_ * panel_size_),
      weights_(static_cast<std::size_t>(image.width * 2 * r_ * (r_ + 1))),
      band_(static_cast<std::size_t>(image.width * (r_ + 1))) {}

std::int64_t CovarianceWindow::rows_below() const { return std::min(r_, image_.height - 1 - y_); }

std::int64_t CovarianceWindow::grain() const {
  const std::int64_t panel = image_.width * kLanes * 2 * r_ * (r_ + 1);
  return std::max<std::int64_t>(1, kMultiplyAddsPerTask / panel);
}

void CovarianceWindow::advance() {
  --y_;
  set_weights();
  const std::int64_t below = rows_below();
  at::parallel_for(0, below * panels_, grain(), [&](std::int64_t begin, std::int64_t end) {
    const DenormalsAreZero guard;
    for (std::int64_t i = begin; i < end; ++i) cross_panel(1 + i / panels_, i % panels_);
  });
  set_band();
  // Panel p has p + 1 blocks to do: pairs (0, last), (1, last − 1), … are alike.
  at::parallel_for(0, panels_, grain(), [&](std::int64_t begin, std::int64_t end) {
    const DenormalsAreZero guard;
    for (std::int64_t i = begin; i < end; ++i) own_panel(i % 2 == 0 ? i / 2 : panels_ - 1 - i / 2);
  });
}

void CovarianceWindow::set_weights() {
  const std::vector<Offset> offsets = Neighbourhood(r_).offsets();
  const double* inverse = image_.diagonal_row(y_);
  double* weight = weights_.data();
  for (std::int64_t x = 0; x < image_.width; ++x) {
    for (const Offset& offset : offsets) {
      const std::int64_t neighbour = x + offset.dx;
      const bool inside =
          y_ + offset.dy < image_.height && neighbour >= 0 && neighbour < image_.width;
      *weight++ = inside ? -image_.coefficient_row(offset, y_)[x] * inverse[x] : 0.0;
    }
  }
}

// Panel p of the blocks (y + 1 … y + r, b).
std::vector<const double*> CovarianceWindow::later_panels(std::int64_t b, std::int64_t p) const {
  std::vector<const double*> later;
  for (std::int64_t dy = 1; dy <= r_; ++dy) later.push_back(panel(slot(y_ + dy), b, p));
  return later;
}

// Panel p of the block (y, y + d), and its transpose while it is in the cache.
void CovarianceWindow::cross_panel(std::int64_t d, std::int64_t p) {
  const std::int64_t other = slot(y_ + d);
  const std::vector<const double*> later = later_panels(other, p);
  double* own = panel(slot(y_), other, p);
  thread_local std::vector<double> scratch;
  if (d == r_) {
    scratch.resize(static_cast<std::size_t>(panel_size_));
    own = scratch.data() + r_ * kLanes;
    std::fill_n(scratch.data(), r_ * kLanes, 0.0);
    std::fill_n(own + panels_ * kLanes * kLanes, r_ * kLanes, 0.0);
  }
  std::fill_n(own + image_.width * kLanes, (panels_ * kLanes - image_.width) * kLanes, 0.0);
  const window::Regression regression{weights_.data(), later.data(), own, r_};
  for (std::int64_t q = panels_ - 1; q >= 0; --q) {
    const std::int64_t first = q * kLanes;
    window::regress(regression, first, std::min(first + kLanes, image_.width) - 1);
    window::transpose(own + first * kLanes, panel(other, slot(y_), q) + p * kLanes * kLanes);
  }
}

// The part of the regression of (y, x) that comes from the rows below, against (y, column).
double CovarianceWindow::regressed(std::int64_t x, std::int64_t column) const {
  const std::int64_t side = 2 * r_ + 1;
  const double* w = weights_.data() + x * 2 * r_ * (r_ + 1) + r_;
  double sum = 0.0;
  for (std::int64_t dy = 1; dy <= rows_below(); ++dy) {
    const double* below = panel(slot(y_ + dy), slot(y_), column / kLanes) + column % kLanes;
    for (std::int64_t dx = -r_; dx <= r_; ++dx) {
      sum += w[(dy - 1) * side + dx + r_] * below[(x + dx) * kLanes];
    }
  }
  return sum;
}

void CovarianceWindow::set_band() {
  const double* inverse = image_.diagonal_row(y_);
  for (std::int64_t x = image_.width - 1; x >= 0; --x) {
    const double* w = weights_.data() + x * 2 * r_ * (r_ + 1);
    const std::int64_t reach = std::min(r_, image_.width - 1 - x);
    for (std::int64_t j = reach; j >= 0; --j) {
      double sum = regressed(x, x + j);
      for (std::int64_t i = 1; i <= reach; ++i) {
        const double earlier = j == 0 ? band(x, i) : band(x + std::min(i, j), std::abs(i - j));
        sum += w[i - 1] * earlier;
      }
      band(x, j) = j == 0 ? sum + inverse[x] * inverse[x] : sum;
    }
  }
}

// Panel p of the block (y, y): the square on the diagonal, then upwards, each square also to where
// it belongs by symmetry.
void CovarianceWindow::own_panel(std::int64_t p) {
  diagonal_block(p);
  const std::vector<const double*> later = later_panels(slot(y_), p);
  double* own = panel(slot(y_), slot(y_), p);
  const window::Regression regression{weights_.data(), later.data(), own, r_};
  for (std::int64_t q = p - 1; q >= 0; --q) {
    const std::int64_t first = q * kLanes;
    window::regress(regression, first, first + kLanes - 1);
    window::transpose(own + first * kLanes, panel(slot(y_), slot(y_), q) + p * kLanes * kLanes);
  }
}

// Row x needs the columns x, x − 1, …, x − r + 1 of the rows below it, which regression cannot
// give: they come from the band. Worked on aside, because the rows past the square belong to
// others.
void CovarianceWindow::diagonal_block(std::int64_t p) {
  const std::int64_t start = p * kLanes;
  const std::int64_t count = std::min(kLanes, image_.width - start);
  std::vector<double> square(static_cast<std::size_t>((kLanes + r_) * kLanes));
  std::vector<const double*> later = later_panels(slot(y_), p);
  for (const double*& rows : later) rows += start * kLanes;
  const double* weights = weights_.data() + start * 2 * r_ * (r_ + 1);
  const window::Regression regression{weights, later.data(), square.data(), r_};
  for (std::int64_t x = std::min(count + r_ - 1, image_.width - start) - 1; x >= 0; --x) {
    if (x < count) window::regress(regression, x, x);
    double* row = square.data() + x * kLanes;
    for (std::int64_t column = std::max<std::int64_t>(0, x - r_ + 1);
         column <= std::min(x, kLanes - 1);
         ++column) {
      row[column] = band(start + column, x - column);
    }
  }
  double* own = panel(slot(y_), slot(y_), p) + start * kLanes;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < kLanes; ++j) {
      own[i * kLanes + j] =
          square[static_cast<std::size_t>(std::min(i, j) * kLanes + std::max(i, j))];
    }
  }
}

}  // namespace supn
