#include "supn/evaluation/scores/true_gaussian.hpp"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "evaluation/scores/smooth_field.hpp"

namespace supn {
namespace {

using namespace smooth_field;

std::map<std::string, double> distances(const ScoredTruth& truth,
                                        const StructuredGaussian& predicted,
                                        const ImageReference& reference) {
  std::map<std::string, double> found;
  const ImageScores scores = score_gaussian(predicted, reference, config());
  for (const auto& [key, value] : distances_from(truth, predicted, scores)) {
    found[std::string(key)] = value;
  }
  return found;
}

TEST(TrueGaussian, IsNotFarFromItself) {
  const ImageReference reference{.members = drawn(smooth(), 3, 1)};
  const ScoredTruth truth = score_truth(smooth(), reference, config());
  for (const auto& [key, value] : distances(truth, smooth(), reference)) {
    EXPECT_NEAR(value, 0.0, 1e-9) << key;
  }
}

TEST(TrueGaussian, IsFarFromOneOfTwiceItsWidth) {
  const ImageReference reference{.members = drawn(smooth(), 3, 1)};
  const ScoredTruth truth = score_truth(smooth(), reference, config());
  const StructuredGaussian wide{smooth().mean(),
                                smooth().log_diagonal() - std::log(2.0),
                                smooth().off_diagonal() / 2.0,
                                smooth().neighbourhood()};
  const auto found = distances(truth, wide, reference);
  EXPECT_NEAR(found.at("std_error"), std::log(2.0), 1e-9);
  EXPECT_NEAR(found.at("covariance_error"), 3.0, 1e-9);
  EXPECT_NEAR(found.at("kl"), std::log(2.0) - 0.5 * (1.0 - 0.25), 1e-9);
  EXPECT_NEAR(found.at("ll_gap"), found.at("kl"), 0.05);
}

// Smoothed noise too large for a dense density has distances, but no divergence.
TEST(TrueGaussian, WithoutADensityHasNoDivergence) {
  const auto map = [](double value) { return at::full({92, 92}, value, at::kDouble); };
  const at::Tensor mean = map(-2.0).view({1, 1, 92, 92});
  const StructuredGaussian independent{
      mean, mean * 0.0, at::zeros({1, 0, 92, 92}, at::kDouble), Neighbourhood(0)};
  const ScoredTruth truth{
      std::make_unique<ConvolvedField>(
          map(-2.0), ConvolutionMaps{.std = map(1.0), .range = map(2.0), .feature = map(0.0)}, 0.1),
      ImageScores()};
  std::map<std::string, double> found;
  for (const auto& [key, value] : distances_from(truth, independent, ImageScores())) {
    found[std::string(key)] = value;
  }
  EXPECT_NEAR(found.at("std_error"), 0.0, 1e-9);
  EXPECT_GT(found.at("covariance_error"), 0.1);
  EXPECT_EQ(found.size(), 2);
}

}  // namespace
}  // namespace supn
