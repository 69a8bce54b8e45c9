#include "supn/evaluation/scores/whiteness.hpp"

#include <cmath>
#include <cstdint>

#include "supn/gaussian/class_view.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/whitening_test.hpp"

namespace supn {

Whiteness whiteness(const StructuredGaussian& gaussian, const at::Tensor& members) {
  const WhiteningTest test = whitening_test(gaussian, members.unsqueeze(0));
  const auto n = static_cast<double>(members.numel());
  Whiteness result{.mean = test.mean.item<double>() / std::sqrt(n),
                   .variance = 1.0 + test.variance.item<double>() * std::sqrt(2.0 / n),
                   .kurtosis = 3.0 + test.kurtosis.item<double>() * std::sqrt(24.0 / n)};
  for (std::size_t k = 0; k < kWhiteningLags.size(); ++k) {
    const std::int64_t pairs = members.size(0) * (members.size(1) - kWhiteningLags[k].dy) *
                               (members.size(2) - std::abs(kWhiteningLags[k].dx));
    if (pairs <= 0) continue;
    const double value = test.autocorrelation[0][static_cast<std::int64_t>(k)].item<double>() /
                         std::sqrt(static_cast<double>(pairs)) / result.variance;
    if (std::isnan(value) || std::abs(value) > std::abs(result.autocorrelation)) {
      result.autocorrelation = value;
    }
  }
  return result;
}

std::vector<double> level_variances(const StructuredGaussian& gaussian, const at::Tensor& members) {
  if (gaussian.neighbourhood().is_raster()) return {};
  const at::Tensor z = whiten(gaussian, members.unsqueeze(0));
  std::vector<double> variances;
  for (const at::Tensor& mean : mean_by_level(gaussian.neighbourhood(), z.square())) {
    variances.push_back(mean.item<double>());
  }
  return variances;
}

}  // namespace supn
