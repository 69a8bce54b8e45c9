#include "gaussian/covariance_window.hpp"

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

CovarianceWindow::CovarianceWindow(const FactorView<double>& image, const double* inverse_diagonal)
    : image_(image),
      inverse_diagonal_(inverse_diagonal),
      r_(image.radius),
      y_(image.height),
      panels_((image.width + kLanes - 1) / kLanes),
      panel_size_((panels_ * kLanes + 2 * image.radius) * kLanes),
      blocks_(r_ * (r_ + 3) / 2 * panels_ * panel_size_),
      weights_(static_cast<std::size_t>((r_ + 1) * image.width * 2 * r_ * (r_ + 1))),
      band_(static_cast<std::size_t>(image.width * (r_ + 1))),
      zeros_(static_cast<std::size_t>(panel_size_)) {
  std::fill_n(blocks_.data(), r_ * (r_ + 3) / 2 * panels_ * panel_size_, 0.0);
  for (std::int64_t y = std::max<std::int64_t>(0, y_ - r_); y < y_; ++y) set_weights(y);
}

// Distances 0, 1, …, each with as many blocks as are needed at once.
std::int64_t CovarianceWindow::block(std::int64_t a, std::int64_t b) const {
  const std::int64_t distance = a - b;
  const std::int64_t before = distance * (distance + 1) / 2;
  return before + b % (distance == r_ ? r_ : distance + 1);
}

const double* CovarianceWindow::panel_or_zero(std::int64_t a,
                                              std::int64_t b,
                                              std::int64_t p) const {
  return a < image_.height ? panel(a, b, p) : zeros_.data() + r_ * kLanes;
}

std::int64_t CovarianceWindow::rows_below() const { return std::min(r_, image_.height - 1 - y_); }

std::int64_t CovarianceWindow::grain() const {
  const std::int64_t panel = image_.width * kLanes * 2 * r_ * (r_ + 1);
  return std::max<std::int64_t>(1, kMultiplyAddsPerTask / panel);
}

double* CovarianceWindow::weights(std::int64_t y) {
  return weights_.data() + y % (r_ + 1) * image_.width * 2 * r_ * (r_ + 1);
}
const double* CovarianceWindow::weights(std::int64_t y) const {
  return weights_.data() + y % (r_ + 1) * image_.width * 2 * r_ * (r_ + 1);
}

void CovarianceWindow::advance() {
  if (y_ < image_.height) extend_up();
  --y_;
  set_band();
  // Panel p has p + 1 blocks to do: pairs (0, last), (1, last − 1), … are alike.
  at::parallel_for(0, panels_, grain(), [&](std::int64_t begin, std::int64_t end) {
    const DenormalsAreZero guard;
    for (std::int64_t i = begin; i < end; ++i) own_panel(i % 2 == 0 ? i / 2 : panels_ - 1 - i / 2);
  });
}

void CovarianceWindow::set_weights(std::int64_t y) {
  const std::vector<Offset> offsets = Neighbourhood(r_).offsets();
  const double* inverse = inverse_diagonal_ + y * image_.width;
  double* weight = weights(y);
  for (std::int64_t x = 0; x < image_.width; ++x) {
    for (const Offset& offset : offsets) {
      const std::int64_t neighbour = x + offset.dx;
      const bool inside =
          y + offset.dy < image_.height && neighbour >= 0 && neighbour < image_.width;
      *weight++ = inside ? -coefficients<Side::kLater>(image_, offset, y)[x] * inverse[x] : 0.0;
    }
  }
}

void CovarianceWindow::extend_up() {
  if (y_ >= r_) set_weights(y_ - r_);
  at::parallel_for(0, panels_, grain(), [&](std::int64_t begin, std::int64_t end) {
    const DenormalsAreZero guard;
    for (std::int64_t p = begin; p < end; ++p) extend_panel(p);
  });
}

// Rows y − 1 … y − r against panel p of row y, kLanes pixels at a time: each row follows the one
// below it by one such square, which holds the r pixels to the left that it needs of it.
void CovarianceWindow::extend_panel(std::int64_t p) {
  thread_local std::vector<double> scratch;
  scratch.resize(static_cast<std::size_t>(r_ * panel_size_));
  // Row y − e.
  const auto above = [&](std::int64_t e) {
    return scratch.data() + (e - 1) * panel_size_ + r_ * kLanes;
  };
  const std::int64_t count = std::min(r_, y_);
  for (std::int64_t e = 1; e <= count; ++e) {
    std::fill_n(above(e) - r_ * kLanes, r_ * kLanes, 0.0);
    std::fill_n(above(e) + image_.width * kLanes, panel_size_ - (image_.width + r_) * kLanes, 0.0);
  }
  std::vector<const double*> later(static_cast<std::size_t>(r_ * r_));
  for (std::int64_t e = 1; e <= count; ++e) {
    for (std::int64_t dy = 1; dy <= r_; ++dy) {
      later[static_cast<std::size_t>((e - 1) * r_ + dy - 1)] =
          dy < e ? above(e - dy) : panel_or_zero(y_ - e + dy, y_, p);
    }
  }
  for (std::int64_t step = panels_ - 1; step > -count; --step) {
    for (std::int64_t e = 1; e <= count; ++e) {
      const std::int64_t q = step + e - 1;
      if (q < 0 || q >= panels_) continue;
      const std::int64_t first = q * kLanes;
      double* destination = panel(y_, y_ - e, q) + p * kLanes * kLanes;
      const window::Regression regression{
          weights(y_ - e), later.data() + (e - 1) * r_, above(e), r_, destination};
      window::regress(regression, first, std::min(first + kLanes, image_.width) - 1);
      window::transpose(above(e) + first * kLanes, destination);
    }
  }
}

// The part of the regression of (y, x) that comes from the rows below, against (y, column).
double CovarianceWindow::regressed(std::int64_t x, std::int64_t column) const {
  const std::int64_t side = 2 * r_ + 1;
  const double* w = weights(y_) + x * 2 * r_ * (r_ + 1) + r_;
  double sum = 0.0;
  for (std::int64_t dy = 1; dy <= rows_below(); ++dy) {
    const double* below = panel(y_ + dy, y_, column / kLanes) + column % kLanes;
    for (std::int64_t dx = -r_; dx <= r_; ++dx) {
      sum += w[(dy - 1) * side + dx + r_] * below[(x + dx) * kLanes];
    }
  }
  return sum;
}

void CovarianceWindow::set_band() {
  const double* inverse = inverse_diagonal_ + y_ * image_.width;
  for (std::int64_t x = image_.width - 1; x >= 0; --x) {
    const double* w = weights(y_) + x * 2 * r_ * (r_ + 1);
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

// Returns panel p of the blocks (y + 1 … y + r, y).
std::vector<const double*> CovarianceWindow::later_panels(std::int64_t p) const {
  std::vector<const double*> later;
  for (std::int64_t dy = 1; dy <= r_; ++dy) later.push_back(panel_or_zero(y_ + dy, y_, p));
  return later;
}

// Panel p of the block (y, y): the square on the diagonal, then upwards, each square also to where
// it belongs by symmetry.
void CovarianceWindow::own_panel(std::int64_t p) {
  diagonal_block(p);
  const std::vector<const double*> later = later_panels(p);
  double* own = panel(y_, y_, p);
  for (std::int64_t q = p - 1; q >= 0; --q) {
    const std::int64_t first = q * kLanes;
    double* destination = panel(y_, y_, q) + p * kLanes * kLanes;
    const window::Regression regression{weights(y_), later.data(), own, r_, destination};
    window::regress(regression, first, first + kLanes - 1);
    window::transpose(own + first * kLanes, destination);
  }
}

// Row x needs the columns x, x − 1, …, x − r + 1 of the rows below it, which regression cannot
// give: they come from the band. Worked on aside, because the rows past the square belong to
// others.
void CovarianceWindow::diagonal_block(std::int64_t p) {
  const std::int64_t start = p * kLanes;
  const std::int64_t count = std::min(kLanes, image_.width - start);
  std::vector<double> square(static_cast<std::size_t>((kLanes + r_) * kLanes));
  std::vector<const double*> later = later_panels(p);
  for (const double*& rows : later) rows += start * kLanes;
  const double* own_weights = weights(y_) + start * 2 * r_ * (r_ + 1);
  const window::Regression regression{own_weights, later.data(), square.data(), r_, square.data()};
  for (std::int64_t x = std::min(count + r_ - 1, image_.width - start) - 1; x >= 0; --x) {
    if (x < count) window::regress(regression, x, x);
    double* row = square.data() + x * kLanes;
    for (std::int64_t column = std::max<std::int64_t>(0, x - r_ + 1);
         column <= std::min(x, kLanes - 1);
         ++column) {
      row[column] = band(start + column, x - column);
    }
  }
  double* own = panel(y_, y_, p) + start * kLanes;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < kLanes; ++j) {
      own[i * kLanes + j] =
          square[static_cast<std::size_t>(std::min(i, j) * kLanes + std::max(i, j))];
    }
  }
}

}  // namespace supn
