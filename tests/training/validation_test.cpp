#include "supn/training/validation.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <limits>

#include "supn/gaussian/likelihood.hpp"
#include "training/tiny_batch.hpp"

namespace supn {
namespace {

using testing_data::tiny_batch;

SupnNetwork small_network() {
  at::manual_seed(1);
  NetworkConfig config;
  config.backbone = Backbone::kCompact;
  config.off_diagonal = OffDiagonalForm::kRelative;
  config.neighbourhood_radius = 1;
  return SupnNetwork(config);
}

BatchSource source_of(const std::vector<Batch>& batches) {
  return [&batches, next = std::size_t{0}]() mutable -> std::optional<Batch> {
    if (next == batches.size()) return std::nullopt;
    return batches[next++];
  };
}

void ignore(std::int64_t) {}

TEST(Validation, GivesTheMembersMeanLogDensityPerPixelAndScale) {
  SupnNetwork network = small_network();
  const std::vector<Batch> batches{tiny_batch(1, 2), tiny_batch(2, 1)};

  const ValidationReport report = validate(network, source_of(batches), {}, ignore);

  const at::NoGradGuard no_grad;
  std::vector<double> expected(3, 0.0);
  double l1 = 0.0;
  for (const Batch& batch : batches) {
    for (std::int64_t b = 0; b < batch.image.size(0); ++b) {
      const auto gaussians = network->forward(batch.image.slice(0, b, b + 1));
      for (std::size_t scale = 0; scale < 3; ++scale) {
        const at::Tensor members = batch.predictions[scale].slice(0, b, b + 1);
        expected[scale] += log_prob(gaussians[scale], members).mean().item<double>() /
                           static_cast<double>(gaussians[scale].pixels()) / 3.0;
      }
      const at::Tensor members_mean = batch.predictions[0][b].mean(0);
      l1 += (gaussians[0].mean()[0][0] - members_mean).abs().mean().item<double>() / 3.0;
    }
  }
  EXPECT_EQ(report.images, 3);
  ASSERT_EQ(report.log_likelihood.size(), 3U);
  for (std::size_t scale = 0; scale < 3; ++scale) {
    EXPECT_NEAR(report.log_likelihood[scale], expected[scale], 1e-4) << "scale " << scale;
  }
  EXPECT_NEAR(report.mean_l1, l1, 1e-5);
  EXPECT_FALSE(report.abs_rel.has_value());
  ASSERT_TRUE(report.factor.has_value());
  double whitened = 0.0;
  for (const Batch& batch : batches) {
    const StructuredGaussian gaussian = network->forward(batch.image)[0];
    whitened +=
        whiten(gaussian, batch.predictions[0]).square().mean({1, 2, 3}).sum().item<double>() / 3.0;
  }
  EXPECT_NEAR(report.factor->residual_variance, whitened, 1e-3 * whitened);
}

// e^-φ times the std of the members: shifting φ by log 2 must halve the ratio.
TEST(Validation, ReportsTheSpreadOfSamplesAgainstTheMembers) {
  SupnNetwork network = small_network();
  std::vector<Batch> batches{tiny_batch(1, 2)};
  const ValidationOptions options{.samples = 40, .evaluation = {}};
  const SpreadRatio ratio = *validate(network, source_of(batches), options, ignore).std_ratio;
  for (at::Tensor& members : batches[0].predictions) {
    const at::Tensor mean = members.mean(1, true);
    members = mean + (members - mean) * 2.0;
  }

  const SpreadRatio halved = *validate(network, source_of(batches), options, ignore).std_ratio;

  EXPECT_LT(ratio.low, ratio.median);
  EXPECT_LT(ratio.median, ratio.high);
  EXPECT_NEAR(halved.median, ratio.median / 2.0, 1e-5 * ratio.median);
}

// The same samples against the members' distance from the model's mean; texture is of the shape.
TEST(Validation, ReportsTheSpreadAboutTheMeanAndTheTexture) {
  SupnNetwork network = small_network();
  std::vector<Batch> batches{tiny_batch(1, 2)};
  const ValidationReport report = validate(network, source_of(batches), {}, ignore);
  const at::NoGradGuard no_grad;
  const at::Tensor mean = network->forward(batches[0].image)[0].mean();
  at::Tensor& members = batches[0].predictions[0];
  members = mean + (members - mean) * 2.0;

  const ValidationReport wider = validate(network, source_of(batches), {}, ignore);

  EXPECT_LT(report.std_ratio_about_mean->median, report.std_ratio->median);
  EXPECT_NEAR(wider.std_ratio_about_mean->median,
              report.std_ratio_about_mean->median / 2.0,
              1e-4 * report.std_ratio_about_mean->median);
  EXPECT_NEAR(wider.texture_ratio->roughness,
              report.texture_ratio->roughness,
              1e-4 * report.texture_ratio->roughness);
  EXPECT_GT(report.texture_ratio->roughness, 1.0);  // hardly coupled pixels, smooth members
  EXPECT_LT(report.texture_ratio->length_rows, 1.0);
  EXPECT_LT(report.texture_ratio->length_columns, 1.0);
}

TEST(Validation, IsTheSameForAnyBatchSize) {
  SupnNetwork network = small_network();
  const Batch both = tiny_batch(1, 2);
  std::vector<Batch> single;
  for (std::int64_t b = 0; b < 2; ++b) {
    Batch one;
    one.image = both.image.slice(0, b, b + 1);
    for (const auto& p : both.predictions) one.predictions.push_back(p.slice(0, b, b + 1));
    one.depth_m.resize(1);
    one.names = {both.names[static_cast<std::size_t>(b)]};
    single.push_back(one);
  }
  const std::vector<Batch> together{both};

  const ValidationReport a = validate(network, source_of(together), {}, ignore);
  const ValidationReport b = validate(network, source_of(single), {}, ignore);

  EXPECT_NEAR(a.log_likelihood[0], b.log_likelihood[0], 1e-4);
  EXPECT_NEAR(a.std_ratio->median, b.std_ratio->median, 1e-4 * a.std_ratio->median);
}

TEST(Validation, MeasuresAbsRelWhereThereIsGroundTruth) {
  SupnNetwork network = small_network();
  std::vector<Batch> batches{tiny_batch(1, 2)};
  // Disparity and depth of the mean itself, at the finest size: no error, then 25 % too near.
  network->eval();
  at::Tensor depth;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor mean = network->forward(batches[0].image)[0].mean()[0][0];
    depth = 5.4 / (0.01 + 9.99 * mean.sigmoid());
  }
  ValidationOptions options;
  options.evaluation.protocol = AccuracyProtocol::kEigenBenchmark;
  batches[0].depth_m[0] = depth;
  const ValidationReport exact = validate(network, source_of(batches), options, ignore);
  batches[0].depth_m[0] = depth / 1.25;
  const ValidationReport far = validate(network, source_of(batches), options, ignore);

  ASSERT_TRUE(exact.abs_rel.has_value());
  EXPECT_NEAR(*exact.abs_rel, 0.0, 1e-5);
  EXPECT_NEAR(*far.abs_rel, 0.25, 1e-4);
  EXPECT_NEAR(*exact.scale_ratio, 1.0, 1e-5);
  EXPECT_NEAR(*far.scale_ratio, 0.8, 1e-4);
}

TEST(Validation, RunsNoSupnDecoderInTheWarmUp) {
  SupnNetwork network = small_network();
  const std::vector<Batch> batches{tiny_batch(1, 2)};
  const ValidationReport report =
      validate(network, source_of(batches), {.stage = Stage::kWarmUp, .evaluation = {}}, ignore);
  EXPECT_TRUE(report.log_likelihood.empty());
  EXPECT_FALSE(report.std_ratio.has_value());
  EXPECT_FALSE(report.factor.has_value());
  EXPECT_GT(report.mean_l1, 0.0);
}

ValidationReport validation_of(double log_likelihood, double median_ratio) {
  ValidationReport report;
  report.log_likelihood = {log_likelihood};
  report.std_ratio = SpreadRatio{0.9 * median_ratio, median_ratio, 1.1 * median_ratio};
  return report;
}

TEST(IsBetter, PrefersThePlausibleSpreadThenTheLikelihood) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_better(validation_of(4.0, 1.0), validation_of(3.0, 1.2)));
  EXPECT_FALSE(is_better(validation_of(3.0, 1.0), validation_of(4.0, 1.2)));
  EXPECT_FALSE(is_better(validation_of(5.0, 40.0), validation_of(3.0, 1.0)));
  EXPECT_TRUE(is_better(validation_of(3.0, 1.0), validation_of(5.0, inf)));
  EXPECT_TRUE(is_better(validation_of(5.0, 40.0), validation_of(3.0, 0.1)));
  EXPECT_FALSE(is_better(validation_of(nan, 1.0), validation_of(3.0, 1.0)));
  EXPECT_FALSE(is_better(validation_of(3.0, 1.0), validation_of(3.0, 1.0)));
  EXPECT_TRUE(is_better(validation_of(3.0, 40.0), validation_of(nan, 1.0)));
}

}  // namespace
}  // namespace supn
