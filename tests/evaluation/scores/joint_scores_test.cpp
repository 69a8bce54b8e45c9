// What is judged of a joint Gaussian: fields, functionals, ground-truth points, distance.
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

#include "gaussian/gaussian_fixture.hpp"
#include "supn/evaluation/calibration/member_calibration.hpp"
#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/fields/factor_distance.hpp"
#include "supn/evaluation/scores/coupling.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

constexpr std::int64_t kFieldHeight = 24;
constexpr std::int64_t kFieldWidth = 40;
constexpr double kFieldStd = 0.1;

// First-order autoregression along rows and columns with stationary std kFieldStd: smooth.
StructuredGaussian smooth() {
  const double a = 0.9;
  const double innovation = kFieldStd * (1.0 - a * a);
  const at::Tensor map = at::zeros({1, 1, kFieldHeight, kFieldWidth}, at::kDouble);
  at::Tensor off_diagonal = map.repeat({1, 4, 1, 1});
  off_diagonal.select(1, 0).fill_(-a / innovation);     // right
  off_diagonal.select(1, 2).fill_(-a / innovation);     // below
  off_diagonal.select(1, 3).fill_(a * a / innovation);  // below right
  return {map.sub(2.5), map.sub(std::log(innovation)), off_diagonal, Neighbourhood(1)};
}

at::Tensor drawn(const StructuredGaussian& gaussian, std::int64_t count, std::uint64_t seed) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return sample(gaussian, seeds, {.range = {0, count}}).values[0];
}

// The same marginals, independent pixels.
StructuredGaussian without_coupling(const StructuredGaussian& gaussian) {
  const at::Tensor variance = StructuredField(gaussian).variance();
  return {gaussian.mean(),
          variance.log().mul(-0.5).view({1, 1, kFieldHeight, kFieldWidth}),
          at::zeros({1, 0, kFieldHeight, kFieldWidth}, at::kDouble),
          Neighbourhood(0)};
}

EvaluationConfig config() {
  EvaluationConfig result;
  result.protocol = AccuracyProtocol::kEigenBenchmark;
  result.samples = 40;
  return result;
}

TEST(JointField, CovarianceOfPixelsIsTheDenseOne) {
  const StructuredGaussian gaussian = test::random_gaussian(1).image(0);
  const StructuredField field(gaussian);
  const at::Tensor pixels = at::arange(0, gaussian.pixels(), 2, at::kLong);
  const at::Tensor columns = field.covariance(at::arange(gaussian.pixels(), at::kLong));
  EXPECT_TRUE(field.covariance(pixels).allclose(
      columns.index_select(0, pixels).index_select(1, pixels), 1e-10, 1e-12));
  EXPECT_TRUE(field.variance().flatten().allclose(columns.diagonal(), 1e-9, 1e-12));
}

TEST(MemberCalibration, FunctionalsAreMeansAndDifferences) {
  const at::Tensor ones = at::ones({kFieldHeight * kFieldWidth}, at::kDouble);
  const at::Tensor regions = region_weights({kFieldHeight, kFieldWidth}).flatten(1);
  const at::Tensor pairs = pair_weights({kFieldHeight, kFieldWidth}).flatten(1);
  ASSERT_EQ(regions.size(0), 32);
  ASSERT_EQ(pairs.size(0), 32);
  EXPECT_TRUE(at::matmul(regions, ones).allclose(at::ones({32}, at::kDouble)));
  EXPECT_TRUE(at::matmul(pairs, ones).allclose(at::zeros({32}, at::kDouble)));
  EXPECT_TRUE(pairs.abs().sum(1).eq(2.0).all().item<bool>());
}

TEST(MemberCalibration, IsRightOfTheTrueGaussian) {
  const StructuredField field(smooth());
  const MemberDeviations z = member_deviations(field, field.variance(), drawn(smooth(), 60, 1));
  EXPECT_NEAR(calibration(z.pixels).rms, 1.0, 0.05);
  EXPECT_NEAR(calibration(z.regions).rms, 1.0, 0.05);
  EXPECT_NEAR(calibration(z.differences).rms, 1.0, 0.05);
}

// Right marginals are not enough: independent pixels average out over a region.
TEST(MemberCalibration, SeesThatIndependentPixelsAreTooSureOfRegions) {
  const StructuredField field(without_coupling(smooth()));
  const MemberDeviations z = member_deviations(field, field.variance(), drawn(smooth(), 60, 1));
  EXPECT_NEAR(calibration(z.pixels).rms, 1.0, 0.05);
  EXPECT_GT(calibration(z.regions).rms, 2.0);
  EXPECT_LT(calibration(z.differences).rms, 0.9);
}

GroundTruth truth_from(const at::Tensor& logits) {
  const at::Tensor depth = depth_from_disparity(disparity_from_logit(logits, {}), 5.4);
  return ground_truth(depth, AccuracyProtocol::kEigenBenchmark);
}

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

TEST(Coupling, CountsByHand) {
  at::Tensor off_diagonal = at::zeros({1, 4, 2, 2}, at::kDouble);
  off_diagonal[0][0][0][0] = -3.0;  // gain 1.5
  off_diagonal[0][0][0][1] = 3.0;   // ρ = 1.5, gain −1.5
  off_diagonal[0][1][1][0] = -1.0;  // ρ = 0.5
  const StructuredGaussian gaussian(at::zeros({1, 1, 2, 2}, at::kDouble),
                                    at::full({1, 1, 2, 2}, std::log(2.0), at::kDouble),
                                    off_diagonal,
                                    Neighbourhood(1));
  EXPECT_DOUBLE_EQ(coupling(gaussian).coupled_share, 0.5);
  EXPECT_DOUBLE_EQ(coupling(gaussian).growing_share, 0.25);
}

TEST(Coupling, JacobiResidualIsZeroOnceItIsExact) {
  EXPECT_GT(jacobi_residual(smooth(), 3, 5), 1e-3);
  EXPECT_LT(jacobi_residual(smooth(), 3, kFieldWidth + 2 * kFieldHeight), 1e-9);
}

TEST(FactorDistance, IsZeroToItselfAndKnownForAScale) {
  const FactorDistance none = factor_distance(smooth(), smooth());
  EXPECT_NEAR(none.kl.value(), 0.0, 1e-9);
  EXPECT_EQ(none.std_error, 0.0);
  const StructuredGaussian g = smooth();
  const double t = 2.0;
  const StructuredGaussian wider(
      g.mean(), g.log_diagonal() - std::log(t), g.off_diagonal() / t, g.neighbourhood());
  const FactorDistance distance = factor_distance(g, wider);
  EXPECT_NEAR(distance.kl.value(), 0.5 / (t * t) - 0.5 + std::log(t), 1e-9);
  EXPECT_NEAR(distance.std_error, std::log(t), 1e-9);
  EXPECT_NEAR(distance.covariance_error, t * t - 1.0, 1e-9);
}

TEST(ScoreGaussian, OfItsOwnDrawsIsCalibratedInEveryRespect) {
  const StructuredGaussian g = smooth();
  const ImageScores scores = score_gaussian(
      g, {.members = drawn(g, 60, 5), .truth = truth_from(drawn(g, 1, 6)[0]), .seed = 9}, config());
  EXPECT_NEAR(scores.exact_spread->median, 1.0, 0.05);
  EXPECT_NEAR(scores.texture->roughness / scores.member_texture->roughness, 1.0, 0.05);
  EXPECT_NEAR(scores.texture->length_rows / scores.member_texture->length_rows, 1.0, 0.35);
  EXPECT_NEAR(scores.whiteness->variance, 1.0, 0.02);
  EXPECT_NEAR(scores.whiteness->kurtosis, 3.0, 0.1);
  EXPECT_NEAR(scores.whiteness->autocorrelation, 0.0, 0.02);
  EXPECT_NEAR(scores.member_scores->pixels.in_90, 0.9, 0.02);
  EXPECT_TRUE(scores.truth_scores.has_value());
  EXPECT_TRUE(scores.exact_sparsification.has_value());
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

TEST(ScoreGaussian, LeavesRegionsOutWhereNoCellHoldsTwoPoints) {
  const StructuredGaussian g = smooth();
  GroundTruth truth = truth_from(drawn(g, 1, 6)[0]);
  const at::Tensor corners = at::arange(2) * (truth.depth.numel() - 1);
  truth.index = truth.index.index_select(0, corners);
  truth.depth = truth.depth.index_select(0, corners);
  const ImageScores scores = score_gaussian(g, {.truth = truth, .seed = 9}, config());
  ASSERT_TRUE(scores.truth_scores.has_value());
  EXPECT_FALSE(scores.truth_scores->regions.has_value());
}

TEST(ScoreGaussian, FittedMembersSayNothingOfLikelihoodAndCalibration) {
  const StructuredGaussian g = smooth();
  const ImageScores scores = score_gaussian(
      g,
      {.members = drawn(g, 5, 5), .second_members = drawn(g, 3, 7), .role = MemberRole::kFitted},
      config());
  EXPECT_FALSE(scores.likelihood.has_value());
  EXPECT_FALSE(scores.member_scores.has_value());
  EXPECT_TRUE(scores.spread.has_value());
  EXPECT_TRUE(scores.second_likelihood.has_value());
}

}  // namespace
}  // namespace supn
