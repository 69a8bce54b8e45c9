#include "supn/network/supn_decoder.hpp"

#include <ATen/Context.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

// Every form but these two exists for every radius.
bool exists(const NetworkConfig& config) {
  const std::int64_t radius = config.neighbourhood_radius;
  if (config.off_diagonal == OffDiagonalForm::kFactored) return radius <= 2;
  if (config.off_diagonal == OffDiagonalForm::kTwofold) return radius == 2;
  return true;
}

class EveryForm : public ::testing::TestWithParam<OffDiagonalForm> {};

double weighted_output(SupnBlock& block, const at::Tensor& feature) {
  const FactorPrediction prediction = block.forward(feature);
  return (prediction.log_diagonal.sin().sum() + prediction.off_diagonal.cos().sum()).item<double>();
}

TEST_P(EveryForm, GradientsMatchFiniteDifferences) {
  at::manual_seed(2);
  SupnBlock block(3, {.neighbourhood_radius = 2, .off_diagonal = GetParam()});
  block.to(at::kDouble);
  const at::Tensor feature = at::randn({2, 3, 4, 5}, at::TensorOptions(at::kDouble));
  const FactorPrediction prediction = block.forward(feature);
  (prediction.log_diagonal.sin().sum() + prediction.off_diagonal.cos().sum()).backward();

  constexpr double kStep = 1e-6;
  for (const auto& item : block.named_parameters()) {
    const at::NoGradGuard no_grad;
    at::Tensor values = item.value().view({-1});
    for (const std::int64_t i : {std::int64_t{0}, values.numel() / 2, values.numel() - 1}) {
      values[i] += kStep;
      const double above = weighted_output(block, feature);
      values[i] -= 2 * kStep;
      const double below = weighted_output(block, feature);
      values[i] += kStep;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(item.value().grad().view({-1})[i].item<double>(),
                  expected,
                  1e-5 * (1.0 + std::abs(expected)))
          << item.key() << "[" << i << "]";
    }
  }
}

TEST_P(EveryForm, GivesFiniteMapsOfTheDeclaredShape) {
  at::manual_seed(2);
  SupnBlock block(3, {.neighbourhood_radius = 2, .off_diagonal = GetParam()});

  const FactorPrediction prediction = block.forward(at::randn({2, 3, 6, 7}) * 10);

  EXPECT_EQ(prediction.log_diagonal.sizes(), at::IntArrayRef({2, 1, 6, 7}));
  EXPECT_EQ(prediction.off_diagonal.sizes(), at::IntArrayRef({2, 12, 6, 7}));
  EXPECT_TRUE(prediction.off_diagonal.isfinite().all().item<bool>());
}

TEST_P(EveryForm, StartsWhereTheMethodSays) {
  for (const std::int64_t radius : {1, 2, 3}) {
    const NetworkConfig config{.neighbourhood_radius = radius, .off_diagonal = GetParam()};
    if (!exists(config)) continue;
    SupnBlock block(3, config);
    const auto parameters = block.named_parameters();

    EXPECT_EQ(parameters["ab.weight"].abs().max().item<float>(), 0.0F);
    EXPECT_TRUE(parameters["ab.bias"].equal(at::tensor({0.0F, -4.0F})));
    const bool scaled =
        GetParam() == OffDiagonalForm::kPaper || GetParam() == OffDiagonalForm::kRelative;
    ASSERT_EQ(parameters.contains("gamma"), scaled);
    if (!scaled) continue;
    const float start = GetParam() == OffDiagonalForm::kPaper ? -4.0F : -2.0F;
    EXPECT_TRUE(parameters["gamma"].equal(at::full({Neighbourhood(radius).size()}, start)));
  }
}

TEST_P(EveryForm, WorksForEveryRadiusItExistsFor) {
  at::manual_seed(2);
  const at::Tensor feature = at::randn({1, 3, 5, 6});
  for (const std::int64_t radius : {0, 1, 3, 4}) {
    const NetworkConfig config{.neighbourhood_radius = radius, .off_diagonal = GetParam()};
    if (!exists(config)) continue;
    SupnBlock block(3, config);

    const FactorPrediction prediction = block.forward(feature);

    EXPECT_EQ(prediction.off_diagonal.sizes(),
              at::IntArrayRef({1, Neighbourhood(radius).size(), 5, 6}));
    EXPECT_TRUE(prediction.off_diagonal.isfinite().all().item<bool>());
  }
}

INSTANTIATE_TEST_SUITE_P(SupnBlock,
                         EveryForm,
                         ::testing::Values(OffDiagonalForm::kPaper,
                                           OffDiagonalForm::kNone,
                                           OffDiagonalForm::kRelative,
                                           OffDiagonalForm::kContractive,
                                           OffDiagonalForm::kFactored,
                                           OffDiagonalForm::kTwofold),
                         [](const auto& form) { return std::string(option_name(form.param)); });

TEST(SupnBlock, PaperFormIsScaledTanh) {
  SupnBlock block(3, {.neighbourhood_radius = 1});
  const at::Tensor feature = at::randn({1, 3, 6, 7}) * 1000;

  const at::Tensor psi = block.forward(feature).off_diagonal;

  // |ψ| ≤ c = e^−4 at the start, and extreme features reach it.
  EXPECT_NEAR(psi.abs().max().item<double>(), std::exp(-4.0), 1e-6);
}

TEST(SupnBlock, RelativeFormIsScaledTanhOfTheDiagonal) {
  SupnBlock block(3, {.neighbourhood_radius = 1, .off_diagonal = OffDiagonalForm::kRelative});

  const FactorPrediction prediction = block.forward(at::randn({1, 3, 6, 7}) * 1000);

  // |ψ|/e^φ ≤ c = e^−2 at the start, and extreme features reach it.
  const at::Tensor ratio = prediction.off_diagonal.abs() / prediction.log_diagonal.exp();
  EXPECT_NEAR(ratio.masked_select(ratio.isfinite()).max().item<double>(), std::exp(-2.0), 1e-6);
}

TEST(SupnBlock, DiagonalScalingFollowsItsFormula) {
  SupnBlock scaled(3, {.neighbourhood_radius = 0});
  SupnBlock plain(3, {.neighbourhood_radius = 0, .diagonal_scaling = false});
  const at::NoGradGuard no_grad;
  for (const auto& item : plain.named_parameters()) {
    at::Tensor(item.value()).copy_(scaled.named_parameters()[item.key()]);
  }
  const at::Tensor feature = at::randn({1, 3, 6, 7});

  // a = 0 and b = −4 at the start: φ = log(e^D + e^−4).
  const at::Tensor expected = (plain.forward(feature).log_diagonal.exp() + std::exp(-4.0)).log();
  EXPECT_TRUE(scaled.forward(feature).log_diagonal.allclose(expected, 1e-5, 1e-6));
}

}  // namespace
}  // namespace supn
