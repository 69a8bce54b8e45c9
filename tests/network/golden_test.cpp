// The formula-filled network against golden values computed in float64 by another implementation.
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../../src/network/resnet_mean_network.hpp"
#include "network/formula.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/serialization/npy.hpp"

namespace supn::test {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(SUPN_SHARED_DIR) / "golden";
constexpr double kAbsolute = 1e-5;
constexpr double kRelative = 1e-4;

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kGolden / "params.tsv")) {
      GTEST_SKIP() << "the golden data are not beside this checkout";
    }
    fill_by_formula(*network_);
    network_->eval();
  }

  SupnNetwork network_{NetworkConfig{}};
};

std::vector<std::vector<std::string>> read_table(const std::string& name) {
  std::ifstream stream(kGolden / name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(stream, line);  // the header
  while (std::getline(stream, line)) {
    auto& row = rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
  }
  return rows;
}

std::map<std::string, double> read_values(const std::string& name) {
  std::map<std::string, double> values;
  for (const auto& row : read_table(name)) values[row.at(0)] = std::stod(row.at(1));
  return values;
}

void expect_golden(const at::Tensor& actual, const std::string& name) {
  const at::Tensor expected = read_npy(kGolden / (name + ".npy")).to(at::kDouble);
  const at::Tensor difference =
      (actual.detach().to(at::kDouble).reshape(expected.sizes()) - expected).abs();
  EXPECT_LE(difference.max().item<double>(), kAbsolute) << name;
}

TEST_F(Golden, ParametersAreFilledAsTheTableSays) {
  const std::map<std::string, at::Tensor> state = state_of(*network_);
  std::size_t checked = 0;
  for (const auto& row : read_table("params.tsv")) {
    ASSERT_TRUE(state.count(row.at(0))) << row.at(0);
    const at::Tensor& tensor = state.at(row.at(0));
    std::string shape;
    for (const std::int64_t size : tensor.sizes()) {
      if (!shape.empty()) shape += 'x';
      shape += std::to_string(size);
    }
    EXPECT_EQ(shape, row.at(1)) << row.at(0);
    EXPECT_NEAR(tensor.sum(at::kDouble).item<double>(), std::stod(row.at(2)), 1e-6) << row.at(0);
    const at::Tensor values = tensor.detach().reshape({-1});
    EXPECT_FLOAT_EQ(values[0].item<float>(), std::stof(row.at(3))) << row.at(0);
    EXPECT_FLOAT_EQ(values[-1].item<float>(), std::stof(row.at(4))) << row.at(0);
    ++checked;
  }
  std::size_t named = 0;
  for (const auto& [name, tensor] : state) named += name.ends_with("num_batches_tracked") ? 0U : 1U;
  EXPECT_EQ(checked, named);
}

TEST_F(Golden, PredictsAtASmallSize) {
  const at::NoGradGuard no_grad;
  const auto scales = network_->forward(formula_image("image0", 64, 96));
  ASSERT_EQ(scales.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    const std::string suffix = std::to_string(s) + "_64x96";
    expect_golden(scales[s].mean(), "logit" + suffix);
    expect_golden(scales[s].log_diagonal(), "phi" + suffix);
    expect_golden(scales[s].off_diagonal(), "psi" + suffix);
  }
}

TEST_F(Golden, PredictsAtKittiSize) {
  const at::NoGradGuard no_grad;
  const auto scales = network_->forward(formula_image("image0", 192, 640));
  expect_golden(at::avg_pool2d(scales[0].mean(), 8), "logit0_192x640_avg8");
  expect_golden(at::avg_pool2d(scales[0].log_diagonal(), 8), "phi0_192x640_avg8");
  expect_golden(scales[3].mean(), "logit3_192x640");
}

// Mean, standard deviation, largest absolute value and first four values, as in the table.
void expect_row(const std::vector<std::string>& row, const at::Tensor& tensor) {
  const std::string where = row.at(0) + " " + row.at(1);
  const at::Tensor values = tensor.detach().to(at::kDouble);
  const double largest = std::stod(row.at(5));
  const double tolerance = kAbsolute * std::max(1.0, largest);
  EXPECT_NEAR(values.mean().item<double>(), std::stod(row.at(3)), tolerance) << where;
  EXPECT_NEAR(values.std(false).item<double>(), std::stod(row.at(4)), tolerance) << where;
  EXPECT_NEAR(values.abs().max().item<double>(), largest, tolerance) << where;
  std::stringstream first(row.at(6));
  std::int64_t i = 0;
  for (std::string cell; std::getline(first, cell, ','); ++i) {
    EXPECT_NEAR(values.reshape({-1})[i].item<double>(), std::stod(cell), tolerance) << where;
  }
  EXPECT_EQ(i, 4) << where;
}

// Every tensor of the table, by its name there: the image, the encoder's features f0…f4, the mean
// decoder's m0…m4, and logit, phi, psi of each scale.
std::map<std::string, at::Tensor> activations(SupnNetwork& network, const at::Tensor& image) {
  const auto encoder = std::make_shared<ResnetEncoder>();
  const auto decoder = std::make_shared<ResnetMeanDecoder>();
  torch::nn::Module owner;
  owner.register_module("encoder", encoder);
  owner.register_module("decoder", decoder);
  owner.eval();
  const std::map<std::string, at::Tensor> state = state_of(*network);
  for (const auto& item : owner.named_parameters()) {
    at::Tensor(item.value()).copy_(state.at(item.key()));
  }
  for (const auto& item : owner.named_buffers()) {
    at::Tensor(item.value()).copy_(state.at(item.key()));
  }

  std::map<std::string, at::Tensor> result{{"image", image}};
  const std::vector<at::Tensor> features = encoder->forward(image);
  const MeanFeatures mean = decoder->forward(features, FeatureDropout(), Scales::kAll);
  const auto scales = network->forward(image);
  const auto add = [&](const char* name, std::size_t i, const at::Tensor& tensor) {
    result.emplace(name + std::to_string(i), tensor);
  };
  for (std::size_t i = 0; i < features.size(); ++i) add("f", i, features[i]);
  for (std::size_t i = 0; i < mean.features.size(); ++i) add("m", i, mean.features[i]);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    add("logit", i, scales[i].mean());
    add("phi", i, scales[i].log_diagonal());
    add("psi", i, scales[i].off_diagonal());
  }
  return result;
}

TEST_F(Golden, ActivationsAtBothSizes) {
  const at::NoGradGuard no_grad;
  const std::map<std::string, std::map<std::string, at::Tensor>> actual{
      {"64x96", activations(network_, formula_image("image0", 64, 96))},
      {"192x640", activations(network_, formula_image("image0", 192, 640))}};
  std::size_t checked = 0;
  for (const auto& row : read_table("activations.tsv")) {
    ASSERT_TRUE(actual.at(row.at(0)).contains(row.at(1))) << row.at(1);
    expect_row(row, actual.at(row.at(0)).at(row.at(1)));
    ++checked;
  }
  EXPECT_EQ(checked, 2U * 23U);
}

// Loss, its terms, log-densities, and every parameter's gradient norm, in float64.
void expect_losses(SupnNetwork& network, const std::string& table) {
  network->to(at::kDouble);
  const at::Tensor image =
      at::cat({formula_image("image0", 64, 96), formula_image("image1", 64, 96)}).to(at::kDouble);
  const at::Tensor finest = at::cat({formula_targets(0, 4), formula_targets(1, 4)}).to(at::kDouble);
  const std::map<std::string, double> golden = read_values(table);
  const auto expect_value = [&](const std::string& name, double actual) {
    ASSERT_TRUE(golden.count(name)) << name;
    EXPECT_NEAR(actual, golden.at(name), kRelative * std::abs(golden.at(name)) + 1e-12) << name;
  };

  const auto scales = network->forward(image);
  std::vector<at::Tensor> terms;
  for (std::size_t s = 0; s < scales.size(); ++s) {
    const std::int64_t factor = std::int64_t{1} << s;
    const at::Tensor targets = s == 0 ? finest : at::avg_pool2d(finest, factor);
    const at::Tensor density = log_prob(scales[s], targets);
    terms.push_back(-density.mean() / static_cast<double>(scales[s].pixels()));
    expect_value("scale" + std::to_string(s), terms.back().item<double>());
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t k = 0; k < 4; ++k) {
        expect_value("logprob scale" + std::to_string(s) + " image" + std::to_string(b) +
                         " member" + std::to_string(k),
                     density[b][k].item<double>());
      }
    }
  }
  const at::Tensor loss = terms[0] + terms[1] + terms[2] + terms[3];
  expect_value("loss", loss.item<double>());
  loss.backward();
  for (const auto& item : network->named_parameters()) {
    expect_value("gradnorm " + item.key(), item.value().grad().norm().item<double>());
  }
}

TEST_F(Golden, LossAndGradientsInEvaluationMode) { expect_losses(network_, "nll_eval.tsv"); }

TEST_F(Golden, LossAndGradientsInTrainingMode) {
  network_->train();
  expect_losses(network_, "nll_train.tsv");
}

}  // namespace
}  // namespace supn::test
