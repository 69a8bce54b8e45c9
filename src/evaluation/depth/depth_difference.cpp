#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "supn/evaluation/depth/depth_quantiles.hpp"

namespace supn {
namespace {

constexpr double kFarthest = 6.0;      // standard deviations; 2e-9 of the probability is beyond
constexpr double kPanel = 2.0;         // of the integral, before it is refined
constexpr double kNarrowest = 1e-9;    // half of a panel that is not refined further
constexpr double kPrecise = 1e-7;      // of a panel's probability
constexpr double kPreciseOdds = 1e-6;  // of the log odds of a quantile's probability
constexpr int kSecants = 25;
constexpr int kSteps = 150;
constexpr double kLeastShare = 1e-15;

double normal_density(double z) {
  return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double log_odds(double probability) { return std::log(probability / (1.0 - probability)); }

// Integrates by Gauss's 7 and Kronrod's 15 nodes (QUADPACK's qk15), and by halves where they differ.
template <class Function>
double integral(const Function& f, double low, double high) {
  constexpr std::array kNodes{0.991455371120812639206854697526329,
                              0.949107912342758524526189684047851,
                              0.864864423359769072789712788640926,
                              0.741531185599394439863864773280788,
                              0.586087235467691130294144691693013,
                              0.405845151377397166906606412076961,
                              0.207784955007898467600689403773245};
  constexpr std::array kKronrod{0.022935322010529224963732008058970,
                                0.063092092629978553290700663189204,
                                0.104790010322250183839876322541518,
                                0.140653259715525918745189590510238,
                                0.169004726639267902826583426598550,
                                0.190350578064785409913256402421014,
                                0.204432940075298892414161999234649,
                                0.209482141084727828012999174891714};
  constexpr std::array kGauss{0.129484966168869693270611432679082,
                              0.279705391489276667901467771423780,
                              0.381830050505118944950369775488975,
                              0.417959183673469387755102040816327};
  const double centre = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  const double middle = f(centre);
  double kronrod = middle * kKronrod.back();
  double gauss = middle * kGauss.back();
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    const double pair = f(centre - half * kNodes[i]) + f(centre + half * kNodes[i]);
    kronrod += pair * kKronrod[i];
    if (i % 2 == 1) gauss += pair * kGauss[i / 2];
  }
  const bool is_refined = std::abs(kronrod - gauss) * half > kPrecise && half > kNarrowest;
  if (!is_refined) return kronrod * half;
  return integral(f, low, centre) + integral(f, centre, high);
}

struct Normal {
  double mean;
  double variance;
};

// The difference of one pair's depths.
class Difference {
 public:
  Difference(
      const Normal& first, const Normal& second, double covariance, double scale, DepthRange range)
      : first_mean_(first.mean),
        first_std_(std::sqrt(first.variance)),
        second_mean_(second.mean),
        shared_std_(first_std_ > 0.0 ? covariance / first_std_ : 0.0),
        scale_(scale),
        range_(range),
        centre_(depth(first.mean) - depth(second.mean)) {
    // This is left of the second once the first is known; rounding must not make it negative.
    own_std_ = std::sqrt(std::max({second.variance - shared_std_ * shared_std_,
                                   second.variance * kLeastShare,
                                   std::numeric_limits<double>::min()}));
    const double a = depth_slope(first.mean);
    const double b = depth_slope(second.mean);
    spread_ = std::sqrt(
        std::max(a * a * first.variance + b * b * second.variance - 2.0 * a * b * covariance, 0.0));
    const double both = first.variance + second.variance;
    const bool is_same = first.mean == second.mean && both - 2.0 * covariance <= kLeastShare * both;
    is_certain_ = both == 0.0 || is_same;
  }

  // Returns the quantile at Φ(deviate). The log odds of the distribution function are nearly
  // straight, so that secants lead there from the straight line's quantile; bisection where not.
  double quantile(double deviate) const {
    if (std::isnan(centre_) || std::isnan(spread_)) return std::numeric_limits<double>::quiet_NaN();
    if (is_certain_) return centre_;
    const double wanted = normal_probability(deviate);
    double high = scale_ * range_.max_depth;  // all depths lie between 0 and this
    double low = -high;
    double t = std::clamp(centre_ + deviate * spread_, low, high);
    double slope = normal_density(deviate) / (wanted * (1.0 - wanted) * spread_);
    double last_t = std::numeric_limits<double>::quiet_NaN();
    double last_excess = last_t;
    for (int i = 0; i < kSteps; ++i) {
      const double reached = probability(t);
      const double excess = log_odds(reached) - log_odds(wanted);
      (reached < wanted ? low : high) = t;
      if (std::abs(excess) <= kPreciseOdds || high - low <= kLeastShare * scale_) break;
      if (i > 0) slope = (excess - last_excess) / (t - last_t);
      last_t = t;
      last_excess = excess;
      t -= excess / slope;
      const bool is_secant_kept = t > low && t < high && (i < kSecants || i % 2 == 0);
      if (!is_secant_kept) t = 0.5 * (low + high);
    }
    return t;
  }

 private:
  double depth(double logit) const {
    return scale_ / (1.0 / range_.max_depth + span() / (1.0 + std::exp(-logit)));
  }
  // −∂depth/∂logit.
  double depth_slope(double logit) const {
    const double sigmoid = 1.0 / (1.0 + std::exp(-logit));
    const double far = depth(logit);
    return far * far / scale_ * span() * sigmoid * (1.0 - sigmoid);
  }
  // Infinite for depths that no logit has, 0 and less among them.
  double logit(double depth) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (depth <= scale_ * range_.min_depth) return kInfinity;
    const double sigmoid = (scale_ / depth - 1.0 / range_.max_depth) / span();
    return sigmoid > 0.0 ? log_odds(sigmoid) : -kInfinity;
  }
  double span() const { return 1.0 / range_.min_depth - 1.0 / range_.max_depth; }

  // P(D₁ − D₂ ≤ t).
  double probability(double t) const {
    const auto density = [&](double z) {
      const double most = logit(depth(first_mean_ + first_std_ * z) - t);  // of the second
      return normal_density(z) *
             normal_probability((most - second_mean_ - shared_std_ * z) / own_std_);
    };
    double sum = 0.0;
    for (double low = -kFarthest; low < kFarthest; low += kPanel) {
      sum += integral(density, low, low + kPanel);
    }
    return sum;
  }

  double first_mean_;
  double first_std_;
  double second_mean_;
  double shared_std_;  // of the second's part that moves with the first
  double own_std_;     // of the rest
  double scale_;
  DepthRange range_;
  double centre_;  // without variance
  double spread_;  // where depths are straight lines of logits
  bool is_certain_;
};

}  // namespace

at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      std::span<const double> probabilities,
                                      double scale,
                                      const DepthRange& range) {
  return depth_difference_quantiles(pairs, normal_deviates(probabilities), scale, range);
}

at::Tensor depth_difference_quantiles(const LogitPairs& pairs,
                                      const Deviates& deviates,
                                      double scale,
                                      const DepthRange& range) {
  const std::int64_t count = pairs.first_mean.numel();
  const auto doubles = [](const at::Tensor& x) { return x.to(at::kDouble).contiguous(); };
  const at::Tensor first_mean = doubles(pairs.first_mean);
  const at::Tensor second_mean = doubles(pairs.second_mean);
  const at::Tensor first_variance = doubles(pairs.first_variance).clamp_min(0.0);
  const at::Tensor second_variance = doubles(pairs.second_variance).clamp_min(0.0);
  const at::Tensor covariance = doubles(pairs.covariance);
  const at::Tensor at = doubles(deviates.values.expand({-1, count}));
  at::Tensor quantiles = at::empty_like(at);
  double* const out = quantiles.mutable_data_ptr<double>();
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const auto of = [k](const at::Tensor& values) { return values.const_data_ptr<double>()[k]; };
      const Difference difference({of(first_mean), of(first_variance)},
                                  {of(second_mean), of(second_variance)},
                                  of(covariance),
                                  scale,
                                  range);
      for (std::int64_t q = k; q < at.numel(); q += count) {
        out[q] = difference.quantile(at.const_data_ptr<double>()[q]);
      }
    }
  });
  return quantiles;
}

}  // namespace supn
