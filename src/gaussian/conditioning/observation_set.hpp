// Observations as the algorithms of conditioning take them: checked, float64 on the CPU, without
// exact values that only repeat another one, and in an order in which near pixels are near.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/conditioning.hpp"

namespace supn {

// What messages about a wrong argument begin with.
inline constexpr const char* kConditioned = "ConditionedGaussian: ";

struct ObservationSet {
  std::vector<std::int64_t> pixels;    // [m]
  at::Tensor values;                   // [m]
  at::Tensor noise_variance;           // [m], 0 = exact
  std::vector<std::int64_t> position;  // [m], place of each among those given
  std::int64_t given = 0;              // M ≥ m

  std::int64_t size() const { return static_cast<std::int64_t>(pixels.size()); }
  // R_i == 0.
  bool exact(std::int64_t i) const { return noise_variance.const_data_ptr<double>()[i] == 0.0; }
  // Pixels and values of the exact ones.
  std::vector<std::int64_t> exact_positions() const;
};

// Throws c10::Error as ConditionedGaussian's constructor says.
ObservationSet checked_observations(const Observations& observations, const ImageSize& size);

}  // namespace supn
