// These functions condition one image's Gaussian on measured depths of some pixels.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "condition/known_points.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/depth/outlier_gate.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/option_fields.hpp"

namespace supn {

template <>
struct OptionNames<ConditioningMethod> {
  static constexpr std::array<std::pair<std::string_view, ConditioningMethod>, 4> values{
      {{"auto", ConditioningMethod::kAuto},
       {"dense", ConditioningMethod::kDense},
       {"sparse", ConditioningMethod::kSparse},
       {"pcg", ConditioningMethod::kPcg}}};
};

struct ConditionOptions {
  std::optional<std::int64_t> count_known;  // none = all measurements
  PointSelection selection = PointSelection::kRandom;
  ScaleRule scale;
  DepthNoise noise;
  std::optional<double> gate;  // standard deviations
  ConditioningMethod method = ConditioningMethod::kAuto;
  AccuracyProtocol protocol = AccuracyProtocol::kEigen;  // which held-back points count
  std::int64_t samples = 8;
};

struct ConditionedImage {
  DepthMeasurements known;  // on the Gaussian's grid, without those that the gate dropped
  DepthMeasurements gated;  // dropped
  at::Tensor gate_distances;
  std::int64_t measurements = 0;  // on the grid, before the choice
  std::int64_t out_of_range = 0;  // chosen ones that no logit expresses
  ChosenScale scale;
  LogitMarginals prior;      // exact
  LogitMarginals posterior;  // exact; no variance by kPcg
  at::Tensor samples;        // logits [S,h,w] of the posterior
  std::optional<double> log_evidence;
  ConditioningReport report;
  std::optional<HeldBackScores> before;  // on the measurements that were not chosen
  std::optional<HeldBackScores> after;
  // Two lines of code make this of the same points, by rival.
  std::vector<std::pair<Rival, HeldBackScores>> rivals;
};

// depth_m [H,W] in metres, 0 = none. Throws ConfigError where the numbers do not allow it, with a
// remedy.
ConditionedImage condition_image(const StructuredGaussian& gaussian,
                                 const at::Tensor& depth_m,
                                 const ConditionOptions& options,
                                 std::uint64_t seed);

// Returns the Gaussian's marginals given the observations; no variance by kPcg.
LogitMarginals conditioned_marginals(ConditionedGaussian& conditioned, ConditioningMethod method);

// Ends the message where conditioning.hpp finds something impossible (common/with_remedy.hpp).
inline constexpr const char* kConditionRemedy =
    "options: --noise-relative 0.02, --count-known, --method";

}  // namespace supn
