// These rules say which measurements a Gaussian is conditioned on, and how metres become logits.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class PointSelection { kRandom, kActive };

template <>
struct OptionNames<PointSelection> {
  static constexpr std::array<std::pair<std::string_view, PointSelection>, 2> values{
      {{"random", PointSelection::kRandom}, {"active", PointSelection::kActive}}};
};

// depth = scale/disparity. kAuto: the fixed scale where the known points' median agrees with it
// within kAgreement, as for stereo-trained networks, else the median.
enum class ScaleMode { kAuto, kMedian, kFixed };
inline constexpr double kAgreement = 0.25;

struct ScaleRule {
  ScaleMode mode = ScaleMode::kAuto;
  double fixed = 5.4;
};

struct ChosenScale {
  double scale = 1.0;
  std::string reason;  // for log and sidecar
  // Median of the known depths / of those predicted with the rule's fixed scale; none without
  // points or where a median was asked for.
  std::optional<double> ratio = std::nullopt;
};

// Says what to look at where the ratio is not plausible (scale_ratio.hpp); empty where it is.
std::string scale_warning(const ScaleRule& rule, const std::optional<double>& ratio);

// Throws ConfigError if there is no measurement that a median could come from.
ChosenScale choose_scale(const ScaleRule& rule,
                         const at::Tensor& mean_logit,
                         const DepthMeasurements& known);

struct SelectionOptions {
  PointSelection selection = PointSelection::kRandom;
  std::int64_t count = 0;
  std::uint64_t seed = 1;
  ScaleRule scale;
  DepthNoise noise;
};

// Indices of `count` measurements in the order of choice, int64 [count]; all where there are fewer.
// kActive chooses by the Gaussian alone (active_measurement.hpp), among at most 1024 candidates
// taken at random; the scale only matters for the size of a noise in metres.
at::Tensor select_points(const StructuredGaussian& gaussian,
                         const DepthMeasurements& measurements,
                         const SelectionOptions& options);

}  // namespace supn
