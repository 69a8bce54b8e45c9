#include "supn/evaluation/depth/conditioning_rivals.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "supn/evaluation/depth/held_back.hpp"

namespace supn {
namespace {

const ImageSize kSize{12, 20};
constexpr double kScale = 5.4;

at::Tensor mean_logit() {
  return at::arange(240, at::TensorOptions().dtype(at::kDouble)).view({12, 20}) * -0.005 - 2.0;
}

at::Tensor predicted_depth() {
  return depth_from_disparity(disparity_from_logit(mean_logit(), {}), kScale);
}

DepthMeasurements known_at(const at::Tensor& depth_m) {
  const at::Tensor pixels = at::tensor({0, 19, 100, 220, 239}, at::kLong);
  return {pixels, depth_m.flatten().index_select(0, pixels)};
}

RivalInputs inputs() {
  return {mean_logit(), kScale, {}, IsotropicField{.std = 1.0, .length = 1e5, .noise = 1e-3}};
}

// Where the truth is the mean's depth times one number, every rival that uses the mean finds it.
TEST(Rivals, FindARatioThatIsTheSameEverywhere) {
  const at::Tensor truth = predicted_depth() * 1.3;
  for (const Rival rival : {Rival::kRatio, Rival::kMedian, Rival::kIsotropic}) {
    const at::Tensor found = rival_depth(rival, inputs(), known_at(truth)).mean.exp();
    EXPECT_TRUE(found.allclose(truth, 1e-2)) << option_name(rival);
  }
}

TEST(Rivals, InterpolateDepthWithoutTheMean) {
  const at::Tensor truth = at::full({12, 20}, 17.0, at::kDouble);
  const at::Tensor found = rival_depth(Rival::kLogDepth, inputs(), known_at(truth)).mean.exp();
  EXPECT_TRUE(found.allclose(truth, 1e-9));
}

TEST(Rivals, OfTheIsotropicFieldKnowsItsError) {
  RivalInputs field = inputs();
  field.field = IsotropicField{.std = 0.2, .length = 4.0, .noise = 0.05};
  const LogDepthMarginals marginals =
      rival_depth(Rival::kIsotropic, field, known_at(predicted_depth()));
  const at::Tensor variance = marginals.variance(at::tensor({100, 60}, at::kLong));
  EXPECT_LT(variance[0].item<double>(), 2.0 * 0.05 * 0.05);  // known
  EXPECT_GT(variance[1].item<double>(), 0.1 * 0.1);          // far from any
  EXPECT_FALSE(rival_depth(Rival::kRatio, field, known_at(predicted_depth())).variance);
  field.field.reset();
  EXPECT_THROW(rival_depth(Rival::kIsotropic, field, known_at(predicted_depth())), c10::Error);
}

TEST(Rivals, LogDepthRatioIsOfTrueToPredicted) {
  const at::Tensor pixels = at::tensor({3, 50}, at::kLong);
  const at::Tensor truth = predicted_depth().flatten().index_select(0, pixels) * 2.0;
  const at::Tensor ratio =
      log_depth_ratio(mean_logit(), pixels, logit_from_depth(truth, kScale, {}), {});
  EXPECT_TRUE(ratio.allclose(at::full({2}, std::log(2.0), at::kDouble), 1e-9));
}

TEST(Rivals, AreScoredOnHeldBackPoints) {
  const at::Tensor depth = predicted_depth();
  const GroundTruth truth = ground_truth(depth * 1.1, AccuracyProtocol::kEigenBenchmark);
  const MeasurementModel model{kScale, {}, {}};
  const LogDepthMarginals marginals{depth.log(), [](const at::Tensor& pixels) {
                                      return at::full({pixels.size(0)}, 0.01, at::kDouble);
                                    }};
  const HeldBackScores scores = score_rival(marginals, truth, model);
  EXPECT_NEAR(scores.accuracy.abs_rel, 0.1 / 1.1, 1e-9);
  EXPECT_NEAR(scores.deviation_rms, std::log(1.1) / 0.1, 1e-9);
  EXPECT_EQ(scores.coverage_50, 0.0);
  EXPECT_EQ(scores.coverage_90, 1.0);
  EXPECT_NEAR(scores.depth.width, (std::exp(0.16449) - std::exp(-0.16449)) / 1.1, 1e-4);
}

}  // namespace
}  // namespace supn
