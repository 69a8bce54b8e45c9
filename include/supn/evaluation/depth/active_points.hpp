// Measurements chosen by the Gaussian alone: where measuring helps most (active_measurement.hpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

struct ActiveOptions {
  std::int64_t count = 0;
  std::uint64_t seed = 0;       // of the candidates
  double noise_variance = 0.0;  // of a measurement, in logits
};

// Indices of `count` measurements in the order of choice, int64; all where there are fewer. Among at
// most 1024 of them taken at random, or `count` if that is more. Fewer if nothing is left to reduce.
at::Tensor active_points(const StructuredGaussian& gaussian,
                         const DepthMeasurements& measurements,
                         const ActiveOptions& options);

// Median over those that some logit expresses; 0 where there are none.
double typical_noise_variance(const DepthMeasurements& measurements,
                              double scale,
                              const DepthNoise& noise,
                              const DepthRange& range);

}  // namespace supn
