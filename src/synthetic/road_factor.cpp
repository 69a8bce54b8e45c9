#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "supn/gaussian/neighbour_regression.hpp"
#include "supn/synthetic/road.hpp"

namespace supn {
namespace {

constexpr std::int64_t kRadius = 2;
constexpr std::size_t kMaxNeighbours = 12;

// The covariance k(n,m) of road.hpp.
class RoadCovariance {
 public:
  explicit RoadCovariance(const RoadSpread& spread)
      : width_(spread.std.size(1)),
        std_(spread.std.contiguous()),
        range_(spread.range.contiguous()),
        feature_(spread.edge_feature.contiguous()) {}

  struct Site {
    double y, x, std, range, feature;
  };
  Site site(std::int64_t y, std::int64_t x) const {
    const std::int64_t n = y * width_ + x;
    return {static_cast<double>(y),
            static_cast<double>(x),
            std_.const_data_ptr<double>()[n],
            range_.const_data_ptr<double>()[n],
            feature_.const_data_ptr<double>()[n]};
  }
  // Returns the covariance of two different pixels.
  static double between(const Site& a, const Site& b) {
    const double mean_square = 0.5 * (a.range * a.range + b.range * b.range);
    const double dy = a.y - b.y;
    const double dx = a.x - b.x;
    const double df = a.feature - b.feature;
    const double t = std::sqrt(3.0 * ((dy * dy + dx * dx) / mean_square + df * df));
    return a.std * b.std * (a.range * b.range / mean_square) * (1.0 + t) * std::exp(-t);
  }
  static double variance(const Site& a) {
    return a.std * a.std * (1.0 + kRoadNugget * kRoadNugget);
  }

 private:
  std::int64_t width_;
  at::Tensor std_;
  at::Tensor range_;
  at::Tensor feature_;
};

// Exact covariance, under the factor so far, of the pixels that a pixel's window can reach: the
// 2W + 2 after it. Pixels are added from the last one backwards.
class WindowCovariance {
 public:
  explicit WindowCovariance(std::int64_t width)
      : slots_(static_cast<std::size_t>(2 * width + 3)),
        covariance_(slots_ * slots_, 0.0),
        row_(slots_) {}

  // Pixel n = Σ_i weights[i]·(pixel later[i]) + noise of this variance; returns the variance of n
  // and makes n ready for accept().
  double propose(std::span<const double> weights,
                 std::span<const std::int64_t> later,
                 double noise_variance) {
    // All neighbours in one pass over the row; missing ones have weight 0.
    std::array<double, kMaxNeighbours> weight{};
    std::array<const double*, kMaxNeighbours> from{};
    from.fill(covariance_.data());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weight[i] = weights[i];
      from[i] = &covariance_[slot(later[i]) * slots_];
    }
    for (std::size_t j = 0; j < slots_; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < kMaxNeighbours; ++i) sum += weight[i] * from[i][j];
      row_[j] = sum;
    }
    double variance = noise_variance;
    for (std::size_t i = 0; i < weights.size(); ++i) variance += weights[i] * row_[slot(later[i])];
    return variance;
  }
  // Adds factor·n in the place of the pixel that leaves the window.
  void accept(std::int64_t n, double factor, double variance) {
    const std::size_t own = slot(n);
    for (double& value : row_) value *= factor;
    row_[own] = factor * factor * variance;
    std::copy(row_.begin(), row_.end(), &covariance_[own * slots_]);
    for (std::size_t j = 0; j < slots_; ++j) covariance_[j * slots_ + own] = row_[j];
  }

 private:
  std::size_t slot(std::int64_t n) const { return static_cast<std::size_t>(n) % slots_; }

  std::size_t slots_;
  std::vector<double> covariance_;
  std::vector<double> row_;
};

// The factor's maps, built from the last pixel backwards.
class FactorBuilder {
 public:
  explicit FactorBuilder(const RoadSpread& spread)
      : covariance_(spread),
        height_(spread.std.size(0)),
        width_(spread.std.size(1)),
        window_(width_),
        scaling_(static_cast<std::size_t>(height_ * width_)),
        log_diagonal_(at::empty({1, 1, height_, width_}, at::kFloat)),
        off_diagonal_(at::zeros({1, neighbourhood_.size(), height_, width_}, at::kFloat)) {}

  StructuredGaussian build(const at::Tensor& mean) {
    for (std::int64_t n = height_ * width_ - 1; n >= 0; --n) add_pixel(n);
    return {mean.to(at::kFloat).view({1, 1, height_, width_}),
            log_diagonal_,
            off_diagonal_,
            neighbourhood_};
  }

 private:
  void add_pixel(std::int64_t n) {
    regress(n);
    const std::size_t count = regression_.weights().size();
    std::array<double, kMaxNeighbours> weights{};
    for (std::size_t i = 0; i < count; ++i) {
      weights[i] = regression_.weights()[i] / scaling_[static_cast<std::size_t>(later_[i])];
    }
    const double variance =
        window_.propose({weights.data(), count}, {later_.data(), count}, regression_.variance());
    const double std = covariance_.site(n / width_, n % width_).std;
    const double factor = std / std::sqrt(variance);
    window_.accept(n, factor, variance);
    scaling_[static_cast<std::size_t>(n)] = factor;

    const double inverse = 1.0 / (factor * std::sqrt(regression_.variance()));
    log_diagonal_.mutable_data_ptr<float>()[n] = static_cast<float>(std::log(inverse));
    auto* psi = off_diagonal_.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < count; ++i) {
      const auto plane = static_cast<std::int64_t>(channels_[i]) * height_ * width_;
      psi[plane + n] = static_cast<float>(-factor * weights[i] * inverse);
    }
  }

  // Of one pixel on its later neighbours inside the image.
  void regress(std::int64_t n) {
    const std::int64_t y = n / width_;
    const std::int64_t x = n % width_;
    std::size_t count = 0;
    for (std::size_t k = 0; k < neighbourhood_.offsets().size(); ++k) {
      const auto [dy, dx] = neighbourhood_.offsets()[k];
      if (y + dy >= height_ || x + dx < 0 || x + dx >= width_) continue;
      later_[count] = n + dy * width_ + dx;
      channels_[count] = k;
      sites_[count++] = covariance_.site(y + dy, x + dx);
    }
    const RoadCovariance::Site centre = covariance_.site(y, x);
    regression_.set(
        count,
        RoadCovariance::variance(centre),
        [&](std::size_t i, std::size_t j) {
          return i == j ? RoadCovariance::variance(sites_[i])
                        : RoadCovariance::between(sites_[i], sites_[j]);
        },
        [&](std::size_t i) { return RoadCovariance::between(sites_[i], centre); });
    regression_.solve();
  }

  RoadCovariance covariance_;
  std::int64_t height_;
  std::int64_t width_;
  Neighbourhood neighbourhood_{kRadius};
  NeighbourRegression regression_;
  WindowCovariance window_;
  // The neighbours of the pixel at hand: pixels, maps of ψ, and what their covariance needs.
  std::array<std::int64_t, kMaxNeighbours> later_{};
  std::array<std::size_t, kMaxNeighbours> channels_{};
  std::array<RoadCovariance::Site, kMaxNeighbours> sites_{};
  std::vector<double> scaling_;
  at::Tensor log_diagonal_;
  at::Tensor off_diagonal_;
};

}  // namespace

StructuredGaussian road_factor(const RoadSpread& spread, const at::Tensor& mean) {
  TORCH_CHECK(mean.sizes() == spread.std.sizes(),
              "road_factor: expected a mean of the spread's size ",
              spread.std.sizes(),
              ", got ",
              mean.sizes());
  return FactorBuilder(spread).build(mean);
}

}  // namespace supn
