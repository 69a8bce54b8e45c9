#include "supn/evaluation/scores/image_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "evaluation/scores/fixture.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/tables/score_table.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

using evaluation_test::tensor_of;

constexpr std::int64_t kHeight = 8;
constexpr std::int64_t kWidth = 10;
constexpr double kStd = 0.05;

at::Tensor mean_logits() {
  return (at::arange(kHeight * kWidth, at::kDouble) * 0.9)
      .sin_()
      .sub_(2.5)
      .view({1, 1, kHeight, kWidth});
}

// Independent pixels with standard deviation `std`.
StructuredGaussian independent(double std) {
  return {mean_logits(),
          at::full({1, 1, kHeight, kWidth}, -std::log(std), at::kDouble),
          at::zeros({1, 0, kHeight, kWidth}, at::kDouble),
          Neighbourhood(0)};
}

// The depth of the mean times a factor that differs between pixels.
GroundTruth truth_beside_the_mean() {
  const at::Tensor depth =
      depth_from_disparity(disparity_from_logit(mean_logits().view({kHeight, kWidth}), {}), 5.4);
  const at::Tensor wave = (at::arange(kHeight * kWidth, at::kDouble) * 1.7).cos_().mul_(0.1);
  return ground_truth(depth * (wave.view({kHeight, kWidth}) + 1.0),
                      AccuracyProtocol::kEigenBenchmark);
}

EvaluationConfig config_of(std::int64_t samples) {
  EvaluationConfig config;
  config.protocol = AccuracyProtocol::kEigenBenchmark;
  config.samples = samples;
  config.ensemble_uncertainty = EnsembleUncertainty::kEmpirical;
  return config;
}

at::Tensor draws(double std, std::int64_t count, std::uint64_t seed) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return sample(independent(std), seeds, {.range = {0, count}}).values.select(0, 0);
}

TEST(ScoreGaussian, LikelihoodIsThatOfIndependentNormals) {
  const at::Tensor members = draws(kStd, 8, 5);

  const ImageScores scores =
      score_gaussian(independent(kStd), {.members = members, .seed = 1}, config_of(4));

  const at::Tensor z = (members - mean_logits().view({kHeight, kWidth})) / kStd;
  const double expected = -0.5 * z.square().mean().item<double>() - std::log(kStd) -
                          0.5 * std::log(2.0 * std::numbers::pi);
  ASSERT_TRUE(scores.likelihood.has_value());
  EXPECT_NEAR(scores.likelihood->nats_per_pixel, expected, 1e-10);
  EXPECT_NEAR(scores.likelihood->nats, expected * 8 * kHeight * kWidth, 1e-7);
  EXPECT_FALSE(scores.mean.has_value());
}

TEST(ScoreGaussian, SpreadIsTheRatioOfStds) {
  const at::Tensor members = draws(kStd, 400, 5);

  const ImageScores scores =
      score_gaussian(independent(3 * kStd), {.members = members, .seed = 1}, config_of(400));

  ASSERT_TRUE(scores.spread.has_value());
  EXPECT_NEAR(scores.spread->median, 3.0, 0.1);
  EXPECT_NEAR(*scores.logit_std, 3 * kStd, 0.005);
  EXPECT_LT(scores.spread->low, scores.spread->median);
  EXPECT_GT(scores.spread->high, scores.spread->median);
}

TEST(ScoreGaussian, AccuracyIsThatOfTheMeanAndOfTheBestSample) {
  const GroundTruth truth = truth_beside_the_mean();
  const EvaluationConfig config = config_of(6);

  const ImageScores scores = score_gaussian(independent(kStd), {.truth = truth, .seed = 9}, config);

  const auto of_logits = [&](const at::Tensor& logits) {
    return accuracy_of_disparity(disparity_from_logit(logits, {}), truth, {});
  };
  ASSERT_TRUE(scores.mean.has_value());
  EXPECT_DOUBLE_EQ(scores.mean->abs_rel, of_logits(mean_logits().select(0, 0))[0].abs_rel);
  const std::vector<Accuracy> each = of_logits(draws(kStd, 6, 9));
  double lowest = each[0].rmse;
  for (const Accuracy& one : each) lowest = std::min(lowest, one.rmse);
  EXPECT_DOUBLE_EQ(scores.best->rmse, lowest);
  EXPECT_FALSE(scores.likelihood.has_value());
}

TEST(ScoreGaussian, RanksByTheStdOfTheFirstSamples) {
  const GroundTruth truth = truth_beside_the_mean();
  EvaluationConfig config = config_of(12);
  config.std_samples = 5;
  for (const UncertaintySpace space : {UncertaintySpace::kSigmoid, UncertaintySpace::kLogit}) {
    config.uncertainty_space = space;

    const ImageScores scores =
        score_gaussian(independent(kStd), {.truth = truth, .seed = 9}, config);

    const at::Tensor first = draws(kStd, 5, 9);
    const at::Tensor values = space == UncertaintySpace::kLogit ? first : sigmoid_from_logit(first);
    const at::Tensor depth =
        scaled_depth(disparity_from_logit(mean_logits().select(0, 0), {}), truth, {});
    const Sparsification expected = sparsify(
        truth.depth, depth[0], at_ground_truth(marginal_std(values).unsqueeze(0), truth)[0]);
    ASSERT_TRUE(scores.sparsification.has_value());
    EXPECT_DOUBLE_EQ(scores.sparsification->rmse.aurg, expected.rmse.aurg);
    EXPECT_DOUBLE_EQ(scores.sparsification->abs_rel.ause, expected.abs_rel.ause);
  }
}

TEST(ScoreGaussian, RanksInEverySpaceAndByDistance) {
  const GroundTruth truth = truth_beside_the_mean();
  EvaluationConfig config = config_of(12);
  const ImageScores by_sigmoid = score_gaussian(independent(kStd), {.truth = truth}, config);
  ASSERT_TRUE(by_sigmoid.spaces.has_value());
  EXPECT_EQ(by_sigmoid.spaces->sigmoid.abs_rel.aurg, by_sigmoid.exact_sparsification->abs_rel.aurg);
  config.uncertainty_space = UncertaintySpace::kDepth;
  const ImageScores by_depth = score_gaussian(independent(kStd), {.truth = truth}, config);
  EXPECT_EQ(by_depth.exact_sparsification->rmse.aurg, by_sigmoid.spaces->depth.rmse.aurg);
  const at::Tensor depth =
      scaled_depth(disparity_from_logit(mean_logits().select(0, 0), {}), truth, {});
  const Sparsification distance = sparsify(truth.depth, depth[0], depth[0]);
  EXPECT_EQ(by_sigmoid.spaces->distance.a1.aurg, distance.a1.aurg);
  for (const auto& [key, value] : distance_scores(by_sigmoid)) {
    if (key == "aurg_logit" || key == "aurg_abs_rel_exact") {
      EXPECT_EQ(value, distance.abs_rel.aurg);
    }
  }
}

TEST(ScoreGaussian, CountsValuesThatAreNotFinite) {
  const ImageScores scores =
      score_gaussian(independent(1e308),
                     {.members = draws(kStd, 8, 5), .truth = truth_beside_the_mean(), .seed = 1},
                     config_of(4));

  EXPECT_GT(scores.non_finite, 0);
  const std::vector<NamedScore> named = named_scores(scores);
  EXPECT_TRUE(std::any_of(
      named.begin(), named.end(), [](const NamedScore& s) { return s.first == "non_finite"; }));
}

TEST(ScoreGaussian, RejectsMembersOfAnotherSize) {
  EXPECT_THROW(score_gaussian(independent(kStd),
                              {.members = at::zeros({8, kHeight, kWidth + 1}, at::kDouble)},
                              config_of(4)),
               c10::Error);
}

TEST(ScoreEnsemble, MeanIsTheMeanOfSigmoids) {
  const GroundTruth truth = truth_beside_the_mean();
  const at::Tensor members = draws(1.0, 4, 2);

  const ImageScores scores = score_ensemble(members, at::Tensor(), {.truth = truth}, config_of(40));

  const at::Tensor disparity =
      disparity_from_sigmoid(sigmoid_from_logit(members).mean(0, true), {});
  EXPECT_DOUBLE_EQ(scores.mean->abs_rel, accuracy_of_disparity(disparity, truth, {})[0].abs_rel);
  EXPECT_DOUBLE_EQ(scores.best->a1,
                   best_of(accuracy_of_disparity(disparity_from_logit(members, {}), truth, {})).a1);
  EXPECT_FALSE(scores.likelihood.has_value());
}

TEST(ScoreEnsemble, LogScalesRankInSigmoidSpaceOnly) {
  EvaluationConfig config = config_of(4);
  config.ensemble_uncertainty = EnsembleUncertainty::kPaper;
  config.uncertainty_space = UncertaintySpace::kLogit;
  const at::Tensor members = draws(kStd, 3, 2);
  EXPECT_THROW(score_ensemble(members, at::zeros({3, kHeight, kWidth}), {}, config), c10::Error);
}

TEST(EnsembleUncertainty, FollowsTheFormulas) {
  const at::Tensor sigmoids = tensor_of({0.1, 0.3}).view({2, 1, 1});
  const at::Tensor u = tensor_of({-2.0, -1.0}).view({2, 1, 1});
  const double variance = 0.02;
  const auto value = [&](EnsembleUncertainty variant) {
    return ensemble_uncertainty(variant, sigmoids, u).item<double>();
  };
  EXPECT_NEAR(value(EnsembleUncertainty::kEmpirical), variance, 1e-15);
  EXPECT_NEAR(value(EnsembleUncertainty::kRelease2020), variance - 3.0, 1e-14);
  EXPECT_NEAR(
      value(EnsembleUncertainty::kRelease2021a), variance + std::exp(-2.0) + std::exp(-1.0), 1e-14);
  EXPECT_NEAR(
      value(EnsembleUncertainty::kRelease2021b), variance + std::exp(-4.0) + std::exp(-2.0), 1e-14);
  EXPECT_NEAR(
      value(EnsembleUncertainty::kPaper), variance + (std::exp(-4.0) + std::exp(-2.0)) / 2, 1e-14);
}

TEST(EnsembleUncertainty, AsksForLogScalesWhereItNeedsThem) {
  const at::Tensor sigmoids = tensor_of({0.1, 0.3}).view({2, 1, 1});
  EXPECT_THROW(ensemble_uncertainty(EnsembleUncertainty::kPaper, sigmoids, at::Tensor()),
               c10::Error);
  EXPECT_NO_THROW(ensemble_uncertainty(EnsembleUncertainty::kEmpirical, sigmoids, at::Tensor()));
}

}  // namespace
}  // namespace supn
