// Against the values of make_coarse_to_fine_golden.py, an implementation of the page alone.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn::test {
namespace {

constexpr std::int64_t kHeight = 9;
constexpr std::int64_t kWidth = 13;
constexpr std::int64_t kNeighbours = 12;

std::map<std::string, at::Tensor> golden_values() {
  std::ifstream file(std::string(SUPN_SOURCE_DIR) + "/tests/gaussian/coarse_to_fine_golden.txt");
  std::map<std::string, at::Tensor> values;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    std::vector<double> numbers;
    for (double number = 0.0; fields >> number;) numbers.push_back(number);
    values[name] = at::tensor(numbers, at::kDouble);
  }
  return values;
}

at::Tensor pixels() { return at::arange(kHeight * kWidth, at::kDouble); }

// [1,1,H,W]
at::Tensor formula(double a, double b) {
  return pixels().mul(a).add(b).sin().view({1, 1, kHeight, kWidth});
}

StructuredGaussian gaussian_of(std::int64_t classes) {
  const at::Tensor channel = at::arange(kNeighbours, at::kDouble).mul(1.3).view({kNeighbours, 1});
  const at::Tensor psi = pixels().mul(0.9).add(channel).sin().mul(0.25);
  return {formula(0.0, 0.0),
          formula(1.7, 0.1).mul(0.4),
          psi.view({1, kNeighbours, kHeight, kWidth}),
          Neighbourhood(CoarseToFine{.classes = classes, .neighbours = kNeighbours, .levels = 2})};
}

class CoarseToFineGolden : public testing::TestWithParam<std::int64_t> {};

TEST_P(CoarseToFineGolden, IsWhatThePageSays) {
  const auto values = golden_values();
  const StructuredGaussian g = gaussian_of(GetParam());
  const auto expect = [&](const std::string& name, const at::Tensor& actual) {
    const at::Tensor wanted = values.at(name + "_" + std::to_string(GetParam()));
    ASSERT_EQ(actual.numel(), wanted.numel()) << name;
    const double scale = wanted.abs().max().item<double>();
    const double error = actual.reshape({-1}).sub(wanted).abs().max().item<double>();
    EXPECT_LT(error, 1e-9 * scale) << name;
  };
  const at::Tensor x = formula(0.7, 0.3).mul(2.0);
  expect("whitened", whiten(g, x));
  expect("coloured", colour(g, formula(1.1, 0.5)));
  expect("log_prob", log_prob(g, x));
  expect("variance", marginal_variance(g));
  expect("column", covariance_columns(g, at::tensor({4 * kWidth + 6}, at::kLong)));
}

INSTANTIATE_TEST_SUITE_P(Classes, CoarseToFineGolden, testing::Values(3, 12));

}  // namespace
}  // namespace supn::test
