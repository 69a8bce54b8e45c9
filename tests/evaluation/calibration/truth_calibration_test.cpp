// A joint Gaussian judged at ground-truth points.
#include "supn/evaluation/calibration/truth_calibration.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "evaluation/scores/smooth_field.hpp"
#include "gaussian/gaussian_fixture.hpp"
#include "supn/evaluation/calibration/member_calibration.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

using namespace smooth_field;

TEST(TruthCalibration, ReadsTheLogitsBack) {
  const at::Tensor logits = drawn(smooth(), 1, 4)[0];
  const TruthPoints points =
      truth_points(StructuredField(smooth()).mean(), truth_from(logits), config(), 1);
  ASSERT_EQ(points.pixels.size(0), kTruthPoints);
  EXPECT_TRUE(points.logits.allclose(logits.flatten().index_select(0, points.pixels), 1e-9, 1e-9));
  EXPECT_GT(points.pixels.diff().min().item<std::int64_t>(), 0);
}

TEST(TruthCalibration, IsRightOfTheTrueGaussianAndSeesIndependence) {
  const StructuredGaussian wrong_gaussian = without_coupling(smooth());
  const StructuredField right(smooth());
  const StructuredField wrong(wrong_gaussian);
  double right_squares = 0.0;
  double right_differences = 0.0;
  double wrong_differences = 0.0;
  double gain = 0.0;
  constexpr int kDraws = 12;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const TruthPoints points =
        truth_points(right.mean(), truth_from(drawn(smooth(), 1, seed)[0]), config(), seed);
    const TruthDeviations z =
        truth_deviations(point_gaussian(right, points.pixels), points, right.size(), {});
    right_squares += z.whitened.square().mean().item<double>() / kDraws;
    right_differences += z.differences.square().mean().item<double>() / kDraws;
    gain += (z.joint_log_density - z.independent_log_density) / kDraws;
    wrong_differences +=
        truth_deviations(point_gaussian(wrong, points.pixels), points, wrong.size(), {})
            .differences.square()
            .mean()
            .item<double>() /
        kDraws;
  }
  EXPECT_NEAR(right_squares, 1.0, 0.1);
  EXPECT_NEAR(right_differences, 1.0, 0.15);
  EXPECT_LT(wrong_differences, 0.7);
  EXPECT_GT(gain, 0.1);
}

// Tails hang on how far the covariance fell: none where it did not.
TEST(TruthCalibration, TailsWidenWhatIsLeftOnceOthersAreKnown) {
  const StructuredField field(smooth());
  const TruthPoints points =
      truth_points(field.mean(), truth_from(drawn(smooth(), 1, 3)[0]), config(), 3);
  const PointGaussian prior = point_gaussian(field, points.pixels);
  const Tails tails{.width = 0.2, .weight = 1.5};
  const auto widths = [&](const PointGaussian& gaussian, const std::optional<Tails>& by) {
    const auto tailed = by ? std::optional<TailedQuantiles>({*by, prior.covariance}) : std::nullopt;
    const DepthIntervals depths =
        truth_deviations(gaussian, points, field.size(), {}, tailed).depths;
    return std::array{depths.points->width, depths.regions->width, depths.differences->width};
  };
  const PointGaussian half{prior.mean, prior.covariance * 0.25};  // ρ = ½
  const auto plain = widths(prior, std::nullopt);
  const auto plain_half = widths(half, std::nullopt);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(widths(prior, tails)[i], plain[i], 1e-6 * plain[i]) << i;
    EXPECT_NEAR(widths(half, Tails{})[i], plain_half[i], 1e-6 * plain_half[i]) << i;
    // κ = 0.6, δ = 0.75: 0.6·sinh(0.75·1.645)/0.75 in place of 1.645 standard deviations.
    EXPECT_NEAR(widths(half, tails)[i] / plain_half[i], 0.763, 0.02) << i;
  }
}

// The same as conditioning the whole image.
TEST(TruthCalibration, ConditionsPointsAsTheImageIs) {
  const StructuredField field(smooth());
  const at::Tensor pixels = at::arange(0, 900, 30, at::kLong);
  const at::Tensor values = at::full({10}, -2.3, at::kDouble);
  const at::Tensor noise = at::full({10}, 0.001, at::kDouble);
  const PointGaussian given = given_first(point_gaussian(field, pixels), values, noise);

  ConditionedGaussian whole(smooth(), {pixels.narrow(0, 0, 10), values, noise});
  const at::Tensor rest = pixels.narrow(0, 10, pixels.size(0) - 10);
  EXPECT_TRUE(given.mean.allclose(whole.mean().flatten().index_select(0, rest), 1e-9, 1e-10));
  EXPECT_TRUE(given.covariance.diagonal().allclose(
      whole.variance().flatten().index_select(0, rest), 1e-8, 1e-12));
}

// One measurement after the other, each posterior the next prior, is all at once.
TEST(TruthCalibration, ConditionsOneAfterTheOtherAsAllAtOnce) {
  const PointGaussian joint =
      point_gaussian(StructuredField(smooth()), at::arange(0, 900, 30, at::kLong));
  const at::Tensor values = joint.mean.narrow(0, 0, 12) + at::arange(12, at::kDouble) * 0.02 - 0.1;
  const at::Tensor noise = at::full({12}, 0.0005, at::kDouble);
  PointGaussian step = joint;
  for (std::int64_t i = 0; i < 12; ++i) {
    step = given_first(step, values.narrow(0, i, 1), noise.narrow(0, i, 1));
  }
  const PointGaussian at_once = given_first(joint, values, noise);
  EXPECT_TRUE(step.mean.allclose(at_once.mean, 1e-9, 1e-9));
  EXPECT_TRUE(step.covariance.allclose(at_once.covariance, 1e-9, 1e-12));
}

// Depths of the true Gaussian are covered as often as they should be; so are the differences.
TEST(TruthCalibration, CoversDepthsOfTheTrueGaussian) {
  const StructuredField field(smooth());
  double points = 0.0;
  double differences = 0.0;
  double regions = 0.0;
  constexpr int kDraws = 30;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const TruthPoints truth =
        truth_points(field.mean(), truth_from(drawn(smooth(), 1, seed)[0]), config(), seed);
    const TruthDeviations z =
        truth_deviations(point_gaussian(field, truth.pixels), truth, field.size(), {});
    points += z.depths.points->in_90 / kDraws;
    regions += z.depths.regions->in_90 / kDraws;
    differences += z.depths.differences->in_90 / kDraws;
  }
  EXPECT_NEAR(points, 0.9, 0.03);
  EXPECT_NEAR(regions, 0.9, 0.03);
  EXPECT_NEAR(differences, 0.9, 0.03);
}

// Twice as wide against the truth is twice as wide there and nowhere else.
TEST(TruthCalibration, TakesTheTemperatureOfTheTruth) {
  const StructuredField field(smooth());
  const at::Tensor member = drawn(smooth(), 4, 7);
  ImageReference reference{.members = member, .truth = truth_from(member[0]), .seed = 3};
  const ImageScores plain = score_field(field, reference, config());
  reference.truth_temperature = 2.0;
  const ImageScores wide = score_field(field, reference, config());
  EXPECT_NEAR(wide.truth_scores->points.rms, 0.5 * plain.truth_scores->points.rms, 1e-9);
  EXPECT_NEAR(
      wide.truth_scores->whitened_variance, 0.25 * plain.truth_scores->whitened_variance, 1e-6);
  EXPECT_GT(wide.intervals.points->width, 1.9 * plain.intervals.points->width);
  EXPECT_EQ(wide.member_scores->pixels.rms, plain.member_scores->pixels.rms);
  EXPECT_EQ(wide.likelihood->nats, plain.likelihood->nats);
}

TEST(TruthPoints, AreNoneWhereTheMeanGivesNoScale) {
  const StructuredGaussian g = smooth();
  EvaluationConfig median = config();
  median.scale = DepthScaleMode::kMedian;
  const GroundTruth truth = truth_from(drawn(g, 1, 6)[0]);
  const at::Tensor mean = g.mean()[0][0];
  const GroundTruth empty = ground_truth(at::zeros_like(mean), AccuracyProtocol::kEigenBenchmark);
  EXPECT_GT(truth_points(mean, truth, median, 1).pixels.size(0), 0);
  EXPECT_EQ(truth_points(at::full_like(mean, NAN), truth, median, 1).pixels.size(0), 0);
  EXPECT_EQ(truth_points(mean, empty, median, 1).pixels.size(0), 0);
}

}  // namespace
}  // namespace supn
