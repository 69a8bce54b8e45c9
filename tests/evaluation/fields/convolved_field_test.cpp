#include "supn/evaluation/fields/convolved_field.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "supn/evaluation/fields/factor_distance.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

constexpr std::int64_t kHigh = 6;
constexpr std::int64_t kWide = 9;
constexpr double kShareOfNugget = 0.1;

at::Tensor ramp(double first, double last) {
  const at::Tensor steps = at::arange(kHigh * kWide, at::kDouble) / (kHigh * kWide - 1);
  return (steps * (last - first) + first).view({kHigh, kWide});
}

// A jump of the feature between the columns 4 and 5.
ConvolutionMaps convolution_maps() {
  const at::Tensor feature = at::zeros({kHigh, kWide}, at::kDouble);
  feature.narrow(1, 5, 4).fill_(5.0);
  return {.std = ramp(0.2, 0.6), .range = ramp(1.5, 4.0), .feature = feature};
}

ConvolvedField convolved() { return {ramp(-1.0, 1.0), convolution_maps(), kShareOfNugget}; }

// The formula of the header, pixel by pixel.
at::Tensor covariance_of_formula() {
  const ConvolutionMaps maps = convolution_maps();
  constexpr std::int64_t kPixels = kHigh * kWide;
  at::Tensor kernel = at::zeros({kPixels, kPixels}, at::kDouble);
  const auto value = [](const at::Tensor& map, std::int64_t n) {
    return map.flatten()[n].item<double>();
  };
  for (std::int64_t n = 0; n < kPixels; ++n) {
    for (std::int64_t m = 0; m < kPixels; ++m) {
      const auto dy = static_cast<double>(n / kWide - m / kWide);
      const auto dx = static_cast<double>(n % kWide - m % kWide);
      const double df = value(maps.feature, n) - value(maps.feature, m);
      const double range = value(maps.range, n);
      const double t = std::sqrt((dy * dy + dx * dx) / (range * range) + df * df) / 2.5;
      if (t < 1.0) kernel[n][m].fill_((1.0 - t) * (1.0 - t));
    }
  }
  const at::Tensor std = maps.std.flatten();
  kernel = kernel / kernel.square().sum(1, true).sqrt() * std.unsqueeze(1) *
           std::sqrt(1.0 - kShareOfNugget * kShareOfNugget);
  at::Tensor covariance = at::matmul(kernel, kernel.t());
  covariance.diagonal().add_((std * kShareOfNugget).square());
  return covariance;
}

// The pixels' raster indices, image column after image column: the order of the root.
at::Tensor order_of_columns(std::int64_t height, std::int64_t width) {
  return at::arange(height * width, at::kLong).view({height, width}).t().flatten();
}

// Its root, times its own transpose, against its rows of Σ.
double error_of_root(const ConvolvedField& f) {
  const at::Tensor covariance = f.covariance(order_of_columns(f.size().height, f.size().width));
  return (at::matmul(f.dense_root(), f.dense_root().t()) - covariance).abs().max().item<double>();
}

TEST(ConvolvedField, HasTheCovarianceOfItsFormula) {
  const ConvolvedField f = convolved();
  const at::Tensor dense = covariance_of_formula();

  const at::Tensor rows = f.covariance_rows(at::arange(f.mean().numel(), at::kLong)).flatten(1);

  EXPECT_LT((rows - dense).abs().max().item<double>(), 1e-14);
  EXPECT_LT((f.variance().flatten() - dense.diagonal()).abs().max().item<double>(), 1e-14);
  EXPECT_LT(error_of_root(f), 1e-13);
  EXPECT_TRUE(at::equal(f.dense_root(), f.dense_root().tril()));
}

// Wider than kernels reach: much of Σ is zero.
TEST(ConvolvedField, HasTheRootOfAWideImageWithAnyNumberOfThreads) {
  const at::Tensor map = at::arange(3 * 45, at::kDouble).view({3, 45}) / 100.0 + 1.0;
  const ConvolvedField f(map, {map, map, map * 2.0}, kShareOfNugget);
  const ConvolvedField alone(map, {map, map, map * 2.0}, kShareOfNugget);

  EXPECT_LT(error_of_root(f), 1e-13);
  {
    const c10::InferenceMode inference;
    const at::Tensor same = map.clone();
    const ConvolvedField inferred(same, {same, same, same * 2.0}, kShareOfNugget);
    EXPECT_TRUE(at::equal(inferred.dense_root(), f.dense_root()));
  }
  const ThreadCount one(1);
  EXPECT_TRUE(at::equal(alone.dense_root(), f.dense_root()));
}

TEST(ConvolvedField, IsBrokenAtJumpsOfTheFeature) {
  const at::Tensor pixels = at::arange(3, 7, at::kLong) + 2 * kWide;
  const at::Tensor covariance = convolved().covariance(pixels);
  const at::Tensor std = covariance.diagonal().sqrt();
  const at::Tensor correlation = covariance / (std.unsqueeze(1) * std);

  EXPECT_GT(correlation[0][1].item<double>(), 0.6);
  EXPECT_EQ(correlation[1][2].item<double>(), 0.0);
}

TEST(ConvolvedField, DensityAndFunctionalsAreTheDenseOnes) {
  const ConvolvedField f = convolved();
  const at::Tensor dense = covariance_of_formula();
  const at::Tensor d = f.samples(3, {0, 2}).values;

  for (std::int64_t s = 0; s < 2; ++s) {
    const at::Tensor e = (d[s] - f.mean()).flatten();
    const double squares = at::matmul(at::matmul(e, at::linalg_inv(dense)), e).item<double>();
    const double nats = -0.5 * (squares + dense.logdet().item<double>() +
                                static_cast<double>(e.numel()) * std::log(2.0 * std::numbers::pi));
    EXPECT_NEAR(f.log_prob(d)[s].item<double>(), nats, 1e-8);
  }
  const at::Tensor weights = d.flatten(1);
  const at::Tensor variance = (at::matmul(weights, dense) * weights).sum(1);
  EXPECT_TRUE(f.functional_variance(d).allclose(variance));
}

TEST(ConvolvedField, SamplesHaveItsCovariance) {
  const ConvolvedField f = convolved();
  constexpr std::int64_t kDraws = 20000;
  const at::Tensor x = (f.samples(1, {0, kDraws}).values - f.mean()).flatten(1);
  const at::Tensor dense = covariance_of_formula();

  const at::Tensor error = at::matmul(x.t(), x) / kDraws - dense;
  const at::Tensor variance = dense.diagonal();
  // Of a product of two normals, over the draws.
  const at::Tensor standard_error =
      ((variance.unsqueeze(1) * variance + dense.square()) / kDraws).sqrt();

  EXPECT_LT((error / standard_error).abs().max().item<double>(), 5.0);
  EXPECT_LT((error / standard_error).square().mean().item<double>(), 2.0);
}

TEST(ConvolvedField, SamplesDoNotDependOnRangeAndThreads) {
  const ConvolvedField f = convolved();
  const at::Tensor all = f.samples(7, {0, 5}).values;
  EXPECT_TRUE(at::equal(f.samples(7, {3, 2}).values, all.narrow(0, 3, 2)));
  const ThreadCount one(1);
  EXPECT_TRUE(at::equal(f.samples(7, {0, 5}).values, all));
}

TEST(ConvolvedField, DeviationsOfSeveralSeedsAreThoseOfEachOneAlone) {
  const ConvolvedField f = convolved();
  const std::array<SeededRange, 2> ranges{{{7, {0, 1}}, {8, {3, 2}}}};
  const auto [smooth, own] = f.deviations(ranges);
  const at::Tensor values = f.mean() + smooth + own;
  EXPECT_TRUE(at::equal(values.narrow(0, 0, 1), f.samples(7, {0, 1}).values));
  EXPECT_TRUE(at::equal(values.narrow(0, 1, 2), f.samples(8, {3, 2}).values));
}

TEST(ConvolvedField, HasNoDensityWhereItWouldBeTooLarge) {
  const at::Tensor ones = at::full({91, 91}, 1.0, at::kDouble);
  const ConvolvedField f(ones, {.std = ones, .range = ones, .feature = ones}, kShareOfNugget);
  ASSERT_FALSE(f.has_density());
  EXPECT_THROW(f.log_prob(ones.unsqueeze(0)), c10::Error);

  const ImageScores scores =
      score_field(f, {.members = f.samples(1, {0, 3}).values}, EvaluationConfig{.samples = 4});
  EXPECT_FALSE(scores.likelihood.has_value());
  EXPECT_TRUE(scores.exact_spread.has_value());
}

TEST(ConvolvedField, RefusesWhatIsNoField) {
  const at::Tensor map = ramp(0.1, 1.0);
  EXPECT_THROW(ConvolvedField(map, {map, map, map}, 0.0), c10::Error);
  EXPECT_THROW(ConvolvedField(map, {map - 0.1, map, map}, 0.1), c10::Error);
  EXPECT_THROW(ConvolvedField(map, {map, map.narrow(0, 0, 2), map}, 0.1), c10::Error);
}

TEST(FactorDistance, FromAConvolutionIsTheDenseOne) {
  const ConvolvedField truth = convolved();
  const at::Tensor map = ramp(-0.5, 0.4).view({1, 1, kHigh, kWide});
  const StructuredGaussian predicted(
      map * 0.3, map + 1.0, map.repeat({1, 4, 1, 1}) * 0.4, Neighbourhood(1));
  const StructuredField as_field(predicted);
  const at::Tensor pixels = at::arange(kHigh * kWide, at::kLong);
  const at::Tensor first = covariance_of_formula();
  const at::Tensor second = as_field.covariance(pixels);
  const at::Tensor inverse = at::linalg_inv(second);
  const at::Tensor offset = (truth.mean() - as_field.mean()).flatten();
  const double kl =
      0.5 * (at::matmul(inverse, first).trace() - kHigh * kWide +
             at::matmul(at::matmul(offset, inverse), offset) + second.logdet() - first.logdet())
                .item<double>();

  const FactorDistance distance = factor_distance(truth, predicted);

  ASSERT_TRUE(distance.kl.has_value());
  EXPECT_NEAR(*distance.kl, kl / (kHigh * kWide), 1e-9);
  const at::Tensor log_ratio = (second.diagonal() / first.diagonal()).log() * 0.5;
  EXPECT_NEAR(distance.std_error, log_ratio.square().mean().sqrt().item<double>(), 1e-9);
  EXPECT_GT(distance.covariance_error, 0.0);
}

}  // namespace
}  // namespace supn
