// Observations as the algorithms of conditioning take them: checked, float64 on the Gaussian's
// device, without exact values that only repeat another one, and near pixels near each other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "supn/gaussian/conditioning.hpp"

namespace supn {

// Messages about a wrong argument begin with this.
inline constexpr const char* kConditioned = "ConditionedGaussian: ";

struct ObservationSet {
  std::vector<std::int64_t> pixels;    // [m]
  at::Tensor values;                   // [m]
  at::Tensor noise_variance;           // [m], 0 = exact
  std::vector<bool> is_exact;          // [m]
  std::vector<std::int64_t> position;  // [m], place of each among those given
  std::int64_t given = 0;              // M ≥ m

  std::int64_t size() const { return static_cast<std::int64_t>(pixels.size()); }
  // Returns the indices of the exact ones among the m.
  std::vector<std::int64_t> exact_positions() const;
};

// Throws c10::Error as ConditionedGaussian's constructor says.
ObservationSet checked_observations(const Observations& observations,
                                    const ImageSize& size,
                                    const at::Device& device);

}  // namespace supn
