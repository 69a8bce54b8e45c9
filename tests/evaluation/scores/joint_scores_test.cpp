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

#include "evaluation/scores/smooth_field.hpp"
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

using namespace smooth_field;

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
