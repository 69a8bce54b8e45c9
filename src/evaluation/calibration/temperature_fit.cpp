#include "supn/evaluation/calibration/temperature_fit.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "supn/evaluation/scores/bootstrap.hpp"
#include "supn/evaluation/scores/summary.hpp"

namespace supn {

FittedTemperature fit_temperature(std::span<const DensityEvidence> images) {
  std::vector<double> squares;
  std::vector<double> counts;
  double log_density = 0.0;
  for (const DensityEvidence& image : images) {
    squares.push_back(image.squares);
    counts.push_back(static_cast<double>(image.count));
    log_density += image.log_density;
  }
  const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double mean_square = std::accumulate(squares.begin(), squares.end(), 0.0) / count;
  std::vector<double> resampled =
      Bootstrap(images.size(), BootstrapOptions()).ratios(squares, counts);
  for (double& value : resampled) value = std::sqrt(value);
  const double at_one = log_density / count;
  return {.value = std::sqrt(mean_square),
          .standard_error = summarise(resampled).std,
          .log_density_at_one = at_one,
          .log_density = at_one + 0.5 * (mean_square - 1.0) - 0.5 * std::log(mean_square)};
}

}  // namespace supn
