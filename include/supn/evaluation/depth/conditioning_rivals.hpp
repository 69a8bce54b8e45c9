// Rivals predict from known depths in a few lines of code, without a network's covariance;
// conditioning has to beat them. With z_i the known depths, D the depth of the network's mean and
// ρ_i = z_i/D_i:
//
//   kLogDepth   exp of the log z_i, interpolated (scattered.hpp); no network at all
//   kRatio      D·exp of the log ρ_i, interpolated
//   kIsotropic  D·exp of a Gaussian process on the log ρ_i (isotropic_field.hpp)
//   kMedian     D·median ρ_i
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/gaussian/isotropic_field.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Rival { kLogDepth, kRatio, kIsotropic, kMedian };

template <>
struct OptionNames<Rival> {
  static constexpr std::array<std::pair<std::string_view, Rival>, 4> values{
      {{"interpolation of log depth", Rival::kLogDepth},
       {"mean x interpolated ratio", Rival::kRatio},
       {"mean x isotropic GP of the ratio", Rival::kIsotropic},
       {"mean x median ratio", Rival::kMedian}}};
};

// All of them, or all but kIsotropic where there is no field.
std::vector<Rival> rivals_of(const std::optional<IsotropicField>& field);

// Returns log(z/D) [K] at pixels int64 [K]: mean_logit [h,w], logits of the measured depths z.
at::Tensor log_depth_ratio(const at::Tensor& mean_logit,
                           const at::Tensor& pixels,
                           const at::Tensor& logits,
                           const DepthRange& range);

// The marginals are normal in the log of the depth in metres.
struct LogDepthMarginals {
  at::Tensor mean;  // [h,w]
  // [P] of pixels int64 [P], as new measurements; empty but by kIsotropic.
  std::function<at::Tensor(const at::Tensor&)> variance = {};
};

struct RivalInputs {
  at::Tensor mean_logit;  // [h,w]
  double scale = 1.0;
  DepthRange range = {};
  std::optional<IsotropicField> field = std::nullopt;  // for kIsotropic
};

// known: one or more, each in the range. Throws c10::Error for none, and for kIsotropic without a
// field.
LogDepthMarginals rival_depth(Rival rival,
                              const RivalInputs& inputs,
                              const DepthMeasurements& known);

}  // namespace supn
