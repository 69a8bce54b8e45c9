// The quantity that maps are written in: logits as the Gaussian has them, disparity or depth.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "supn/evaluation/depth/held_back.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Quantity { kLogit, kDisparity, kDepth };

template <>
struct OptionNames<Quantity> {
  static constexpr std::array<std::pair<std::string_view, Quantity>, 3> values{
      {{"logit", Quantity::kLogit},
       {"disparity", Quantity::kDisparity},
       {"depth", Quantity::kDepth}}};
};

struct OutputQuantity {
  Quantity quantity = Quantity::kLogit;
  std::optional<double> scale = std::nullopt;  // of depth; none = relative depth 1/disparity
};

// "5.4" or "fixed:5.4": depth = 5.4/disparity, one way to write it for all apps. Nothing for
// another text, or a number that is not between 1e-6 and 1e6.
std::optional<double> fixed_scale(const std::string& text);

// Throws ConfigError if the configuration's depths lie between others than 0.1 and 100 before
// scaling: those are what every app but supn_eval makes of a logit.
void require_usual_depths(const EvaluationConfig& config);

// "m" for depth with a scale, else a word that claims no unit.
std::string_view unit_of(const OutputQuantity& output);
// Tells whether maps are depth in metres.
bool in_metres(const OutputQuantity& output);

// Returns logits [S,H,W] as the quantity at `size`, float64. Logits and disparities are resized
// bilinearly, depth as disparity.
at::Tensor to_quantity(const at::Tensor& logits,
                       const OutputQuantity& output,
                       const ImageSize& size);

// Exact standard deviation in the quantity, of logits with this mean and variance, which must be
// there; float64 of their shape.
at::Tensor exact_std(const LogitMarginals& marginals, const OutputQuantity& output);

}  // namespace supn
