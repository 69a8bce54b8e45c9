// Gross errors among known depths, as reflections and wrong matches make them, and whether a gate
// found them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "supn/evaluation/depth/depth_observations.hpp"

namespace supn {

struct GrossErrors {
  DepthMeasurements measurements;
  at::Tensor is_wrong = {};  // bool [M]
};

// Every (1/share)-th measurement in their order, the first after half of that, is wrong: 1.5 to 3
// times too far or too near, at random, uniform in the log. Of the first measurements the same ones
// are wrong whatever follows. Throws c10::Error unless 0 ≤ share ≤ 1.
GrossErrors with_gross_errors(const DepthMeasurements& measurements,
                              double share,
                              std::uint64_t seed);

struct GateScores {
  std::int64_t dropped = 0;
  std::optional<double> recall = std::nullopt;     // of the wrong ones, the share that was dropped
  std::optional<double> precision = std::nullopt;  // of those dropped, the share that is wrong
};

// dropped: int64, indices into is_wrong.
GateScores gate_scores(const at::Tensor& is_wrong, const at::Tensor& dropped);

}  // namespace supn
