#include "supn/network/temperature.hpp"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "gaussian/gaussian_fixture.hpp"
#include "supn/errors.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn {
namespace {

class TemperatureFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("supn_temperature_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST(Temperature, ScalesEveryStandardDeviation) {
  const StructuredGaussian gaussian = test::random_gaussian(2);
  const StructuredGaussian warm = with_temperature(gaussian, 1.7);
  EXPECT_TRUE(marginal_variance(warm).allclose(marginal_variance(gaussian) * (1.7 * 1.7), 1e-10));
  EXPECT_TRUE(warm.mean().equal(gaussian.mean()));
}

TEST(Temperature, ThatFitsIsTheRootOfTheMeanWhitenedSquare) {
  const StructuredGaussian gaussian = test::random_gaussian(1);
  const at::Tensor d = gaussian.mean() + test::random_tensor({2, 5, 6, 8}, 4);
  const double best = std::sqrt(whiten(gaussian, d).square().mean().item<double>());
  const auto nats = [&](double temperature) {
    return log_prob(with_temperature(gaussian, temperature), d).sum().item<double>();
  };
  EXPECT_GT(nats(best), nats(best * 1.01));
  EXPECT_GT(nats(best), nats(best / 1.01));
}

TEST_F(TemperatureFile, IsReadAsItWasWritten) {
  EXPECT_FALSE(read_temperature(folder_, CalibratedOn::kMembers).has_value());
  write_temperature(folder_, CalibratedOn::kMembers, {1.25, "val_files.txt", 14, 3.5, 3.75});
  Temperature truth{4.0, "val_files.txt", 14, -5.0, 1.5, 1400, 0.2};
  truth.isotropic = {.std = 0.1, .length = 40.0, .noise = 0.05};
  truth.tails = {.width = 0.2, .weight = 1.5};
  write_temperature(folder_, CalibratedOn::kTruth, truth);

  const auto members = read_temperature(folder_, CalibratedOn::kMembers);
  ASSERT_TRUE(members.has_value());
  EXPECT_EQ(members->value, 1.25);
  EXPECT_EQ(members->fitted_on, "val_files.txt");
  EXPECT_EQ(members->images, 14);
  EXPECT_EQ(members->log_likelihood_after, 3.75);
  EXPECT_FALSE(members->isotropic.has_value());
  EXPECT_FALSE(members->tails.has_value());
  const auto read = read_temperature(folder_, CalibratedOn::kTruth);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value, 4.0);
  EXPECT_EQ(read->points, 1400);
  EXPECT_EQ(read->standard_error, 0.2);
  ASSERT_TRUE(read->isotropic.has_value());
  EXPECT_EQ(read->isotropic->length, 40.0);
  ASSERT_TRUE(read->tails.has_value());
  EXPECT_EQ(read->tails->width, 0.2);
  EXPECT_EQ(read->tails->weight, 1.5);
}

TEST_F(TemperatureFile, OfAnEarlierVersionIsRead) {
  std::ofstream(folder_ / "temperature.json")
      << R"({"temperature": 1.5, "fitted_on": "val.txt", "images": 3, "ll_before": 1, "ll_after": 2})";
  const auto read = read_temperature(folder_, CalibratedOn::kMembers);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value, 1.5);
  EXPECT_EQ(read->points, 0);
  EXPECT_EQ(read->standard_error, 0.0);
}

TEST_F(TemperatureFile, ThatIsDamagedIsRefused) {
  for (const char* text : {"{",
                           "{}",
                           R"({"temperature": -1, "fitted_on": "", "images": 1,
                               "ll_before": 0, "ll_after": 0})",
                           R"({"temperature": 1, "fitted_on": "", "images": 1, "ll_before": 0,
                               "ll_after": 0, "isotropic": {"std": 1, "length": 0, "noise": 1}})",
                           R"({"temperature": 1, "fitted_on": "", "images": 1, "ll_before": 0,
                               "ll_after": 0, "tails": {"width": 1.1, "weight": 1}})"}) {
    std::ofstream(folder_ / "temperature_truth.json") << text;
    EXPECT_THROW(read_temperature(folder_, CalibratedOn::kTruth), IoError) << text;
  }
}

TEST_F(TemperatureFile, IsChosenByWishThenByPreference) {
  const auto chosen = [&](const CalibrationRule& rule) {
    const AppliedTemperature applied = choose_temperature(folder_, rule);
    return std::pair{applied.on, applied.fit.value};
  };
  const CalibrationRule truth_first{.preferred = CalibratedOn::kTruth};
  EXPECT_EQ(chosen(truth_first), std::pair(CalibratedOn::kNone, 1.0));
  EXPECT_EQ(choose_temperature(folder_, truth_first).text(), "none");
  EXPECT_THROW(chosen({.wanted = CalibratedOn::kTruth}), ConfigError);

  write_temperature(folder_, CalibratedOn::kMembers, {.value = 1.25});
  EXPECT_EQ(chosen(truth_first), std::pair(CalibratedOn::kMembers, 1.25));

  write_temperature(folder_, CalibratedOn::kTruth, {.value = 4.0});
  EXPECT_EQ(chosen(truth_first), std::pair(CalibratedOn::kTruth, 4.0));
  EXPECT_EQ(chosen({}), std::pair(CalibratedOn::kMembers, 1.25));
  EXPECT_EQ(chosen({.wanted = CalibratedOn::kTruth}), std::pair(CalibratedOn::kTruth, 4.0));
  EXPECT_EQ(chosen({.wanted = CalibratedOn::kNone}), std::pair(CalibratedOn::kNone, 1.0));
}

}  // namespace
}  // namespace supn
