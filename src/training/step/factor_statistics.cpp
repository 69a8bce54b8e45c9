#include "supn/training/factor_statistics.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "supn/gaussian/class_view.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn {
namespace {

// −20 … 20 in steps of 0.05: e^φ from 2e-9 to 5e8.
std::vector<double> phi_limits() {
  std::vector<double> limits;
  for (int i = -400; i <= 400; ++i) limits.push_back(0.05 * i);
  return limits;
}

// Factors of 1.1, from 1e-9 to beyond 1e9, and 0.
std::vector<double> positive_limits() {
  std::vector<double> limits{0.0};
  for (double limit = 1e-9; limit < 1e9; limit *= 1.1) limits.push_back(limit);
  return limits;
}

std::vector<double> signed_limits() {
  const std::vector<double> positive = positive_limits();
  std::vector<double> limits;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) limits.push_back(-*limit);
  limits.insert(limits.end(), positive.begin() + 1, positive.end());
  return limits;
}

at::Tensor finite_values(const at::Tensor& values) {
  const at::Tensor flat = values.detach().cpu().reshape(-1);
  const at::Tensor finite = at::isfinite(flat);
  return finite.all().item<bool>() ? flat : flat.masked_select(finite);
}

}  // namespace

ValueHistogram::ValueHistogram(std::vector<double> limits)
    : limits_(std::move(limits)),
      counts_(limits_.size() + 1, 0.0),
      minimum_(std::numeric_limits<double>::infinity()),
      maximum_(-std::numeric_limits<double>::infinity()) {}

void ValueHistogram::add(const at::Tensor& values) {
  const at::Tensor finite = finite_values(values);
  if (finite.numel() == 0) return;
  minimum_ = std::min(minimum_, finite.min().item<double>());
  maximum_ = std::max(maximum_, finite.max().item<double>());
  sum_ += finite.sum(at::kDouble).item<double>();
  sum_of_squares_ += finite.to(at::kDouble).square().sum().item<double>();
  const at::Tensor limits =
      at::from_blob(limits_.data(), {static_cast<std::int64_t>(limits_.size())}, at::kDouble)
          .to(finite.scalar_type());
  const at::Tensor counts = at::bincount(at::bucketize(finite, limits), {}, limits.numel() + 1);
  const auto* count = counts.const_data_ptr<std::int64_t>();
  for (double& total : counts_) total += static_cast<double>(*count++);
}

HistogramEvent ValueHistogram::event() const {
  HistogramEvent event;
  const auto filled = [](double count) { return count > 0.0; };
  const auto first = std::find_if(counts_.begin(), counts_.end(), filled);
  if (first == counts_.end()) return event;
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), filled).base();
  for (auto count = first; count != last; ++count) {
    const auto i = static_cast<std::size_t>(count - counts_.begin());
    event.limits.push_back(i < limits_.size() ? limits_[i] : std::numeric_limits<double>::max());
    event.counts.push_back(*count);
  }
  event.minimum = minimum_;
  event.maximum = maximum_;
  event.sum = sum_;
  event.sum_of_squares = sum_of_squares_;
  return event;
}

FactorAccumulator::FactorAccumulator()
    : phi_(phi_limits()), psi_(signed_limits()), rho_(positive_limits()) {}

void FactorAccumulator::add(const StructuredGaussian& gaussian,
                            const at::Tensor& members,
                            const at::Tensor& log_prob) {
  if (!gaussian.neighbourhood().is_raster()) add_levels(gaussian, members);
  const at::Tensor phi = gaussian.log_diagonal();
  const at::Tensor rho = gaussian.off_diagonal().abs().sum(1, /*keepdim=*/true) / phi.exp();
  phi_.add(phi);
  psi_.add(gaussian.off_diagonal());
  rho_.add(rho);
  // A ρ that is not finite is no less coupled.
  coupled_ += rho.numel() - (rho <= 1.0).sum().item<std::int64_t>();
  pixels_ += rho.numel();
  images_ += gaussian.batch();
  const auto pixels = static_cast<double>(gaussian.pixels());
  for (std::int64_t b = 0; b < gaussian.batch(); ++b) {
    residual_variance_ += residual_variance(phi[b].mean(at::kDouble).item<double>(),
                                            log_prob[b].mean(at::kDouble).item<double>() / pixels);
  }
}

void FactorAccumulator::add_levels(const StructuredGaussian& gaussian, const at::Tensor& members) {
  const auto squares = mean_by_level(gaussian.neighbourhood(), whiten(gaussian, members).square());
  const auto phis = mean_by_level(gaussian.neighbourhood(), gaussian.log_diagonal());
  const auto images = static_cast<double>(gaussian.batch());
  levels_.resize(squares.size());
  for (std::size_t level = 0; level < squares.size(); ++level) {
    const double square = squares[level].item<double>();
    const double phi = phis[level].item<double>();
    levels_[level].log_likelihood +=
        images * (phi - 0.5 * square - 0.5 * std::log(2.0 * std::numbers::pi));
    levels_[level].residual_variance += images * square;
  }
}

FactorStatistics FactorAccumulator::statistics() const {
  TORCH_CHECK(images_ > 0, "FactorAccumulator::statistics: expected at least one image, got none");
  const auto images = static_cast<double>(images_);
  std::vector<LevelStatistics> levels = levels_;
  for (LevelStatistics& level : levels) {
    level.log_likelihood /= images;
    level.residual_variance /= images;
  }
  return {.residual_variance = residual_variance_ / images,
          .coupled_share = static_cast<double>(coupled_) / static_cast<double>(pixels_),
          .lowest_phi = phi_.minimum(),
          .highest_phi = phi_.maximum(),
          .phi = phi_.event(),
          .psi = psi_.event(),
          .rho = rho_.event(),
          .levels = std::move(levels)};
}

double residual_variance(double mean_phi, double log_likelihood_per_pixel) {
  return 2.0 * (mean_phi - log_likelihood_per_pixel) - std::log(2.0 * std::numbers::pi);
}

}  // namespace supn
