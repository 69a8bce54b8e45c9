#include "supn/evaluation/calibration/temperature_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace supn {
namespace {

// log p(τ) of the header, up to the same constant for every τ.
double log_density(const std::vector<DensityEvidence>& images, double temperature) {
  double sum = 0.0;
  for (const DensityEvidence& image : images) {
    sum += -0.5 * image.squares / (temperature * temperature) -
           static_cast<double>(image.count) * std::log(temperature);
  }
  return sum;
}

TEST(TemperatureFit, HasTheLargestDensity) {
  const std::vector<DensityEvidence> images{{900.0, -100.0, 100}, {4.0, 3.0, 10}, {70.0, 5.0, 50}};
  const FittedTemperature fit = fit_temperature(images);
  EXPECT_NEAR(fit.value, std::sqrt(974.0 / 160.0), 1e-12);
  EXPECT_GT(log_density(images, fit.value), log_density(images, fit.value * 1.01));
  EXPECT_GT(log_density(images, fit.value), log_density(images, fit.value / 1.01));
  EXPECT_NEAR(fit.log_density_at_one, -92.0 / 160.0, 1e-12);
  EXPECT_NEAR((fit.log_density - fit.log_density_at_one) * 160.0,
              log_density(images, fit.value) - log_density(images, 1.0),
              1e-9);
}

// Images that agree leave no doubt; images that differ do, less of it the more there are.
TEST(TemperatureFit, IsAsSureAsTheImagesAgree) {
  const auto error = [](std::size_t images, double second) {
    std::vector<DensityEvidence> evidence;
    for (std::size_t i = 0; i < images; ++i) {
      evidence.push_back({i % 2 == 0 ? 100.0 : second, 0.0, 100});
    }
    return fit_temperature(evidence).standard_error;
  };
  EXPECT_NEAR(error(8, 100.0), 0.0, 1e-12);
  EXPECT_GT(error(8, 400.0), 0.1);
  EXPECT_LT(error(128, 400.0), 0.4 * error(8, 400.0));
}

}  // namespace
}  // namespace supn
