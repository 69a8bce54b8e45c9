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

#include "supn/errors.hpp"
#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/depth/outlier_gate.hpp"
#include "supn/evaluation/depth/point_choice.hpp"
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
  std::optional<double> gate;       // standard deviations
  std::optional<double> scale_std;  // of the log of the scale, solved with the field; none: known
  ConditioningMethod method = ConditioningMethod::kAuto;
  AccuracyProtocol protocol = AccuracyProtocol::kEigen;  // which held-back points count
  std::int64_t samples = 8;
};

// [H,W] of the image, in metres, 0 = none.
struct MeasuredMaps {
  at::Tensor depth_m;       // to choose from, and to judge by
  at::Tensor std_m = {};    // each measurement's own; undefined: the options' noise
  at::Tensor offered = {};  // depth_m without what is only for judging; undefined: all
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
  std::optional<CommonEstimate> log_scale;  // of the true scale to the one above
  ConditioningReport report;
  std::optional<HeldBackScores> before;  // on the measurements that were not chosen
  std::optional<HeldBackScores> after;
  // Two lines of code make this of the same points, by rival.
  std::vector<std::pair<Rival, HeldBackScores>> rivals;
};

// Throws ConfigError where the numbers do not allow it, with a remedy.
ConditionedImage condition_image(const StructuredGaussian& gaussian,
                                 const MeasuredMaps& maps,
                                 const ConditionOptions& options,
                                 std::uint64_t seed);

// Of the options: the method, and the scale as an unknown.
ConditioningOptions conditioning_options(const StructuredGaussian& gaussian,
                                         const ConditionOptions& options);

// The Gaussian's marginals given the observations; no variance by kPcg.
LogitMarginals conditioned_marginals(ConditionedGaussian& conditioned, ConditioningMethod method);

// Ends the message where conditioning.hpp finds something impossible (with_remedy.hpp).
inline constexpr const char* kConditionRemedy =
    "options: --noise-relative 0.02, --count-known, --method";

}  // namespace supn
