#include "supn/network/temperature.hpp"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

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
  EXPECT_FALSE(read_temperature(folder_).has_value());
  write_temperature(folder_, {1.25, "val_files.txt", 14, 3.5, 3.75});
  const auto read = read_temperature(folder_);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value, 1.25);
  EXPECT_EQ(read->fitted_on, "val_files.txt");
  EXPECT_EQ(read->images, 14);
  EXPECT_EQ(read->log_likelihood_after, 3.75);
}

TEST_F(TemperatureFile, ThatIsDamagedIsRefused) {
  for (const char* text : {"{", "{}", R"({"temperature": -1, "fitted_on": "", "images": 1,
                                       "ll_before": 0, "ll_after": 0})"}) {
    std::ofstream(folder_ / "temperature.json") << text;
    EXPECT_THROW(read_temperature(folder_), IoError) << text;
  }
}

}  // namespace
}  // namespace supn
