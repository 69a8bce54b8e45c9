#include "inference/quantity.hpp"

#include "supn/errors.hpp"
#include "supn/evaluation/depth/depth_moments.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/io/resize.hpp"
#include "supn/parse_number.hpp"
#include "supn/rounded.hpp"

namespace supn {
namespace {

// As evaluation.fixed_scale has them.
constexpr double kLeastScale = 1e-6;
constexpr double kLargestScale = 1e6;

}  // namespace

std::optional<double> fixed_scale(const std::string& text) {
  constexpr std::string_view kPrefix = "fixed:";
  std::string_view digits = text;
  if (digits.starts_with(kPrefix)) digits.remove_prefix(kPrefix.size());
  const auto number = parse_number<double>(digits);
  const bool plausible = number && number.value >= kLeastScale && number.value <= kLargestScale;
  return plausible ? std::optional(number.value) : std::nullopt;
}

void require_usual_depths(const EvaluationConfig& config) {
  const DepthRange usual;
  if (config.min_depth == usual.min_depth && config.max_depth == usual.max_depth) return;
  throw ConfigError("evaluation.min_depth, evaluation.max_depth: this program takes " +
                    rounded(usual.min_depth, 6) + " and " + rounded(usual.max_depth, 6) +
                    " alone, only supn_eval others; leave them out here");
}

bool in_metres(const OutputQuantity& output) {
  return output.quantity == Quantity::kDepth && output.scale.has_value();
}

std::string_view unit_of(const OutputQuantity& output) {
  switch (output.quantity) {
    case Quantity::kLogit:
      return "logit";
    case Quantity::kDisparity:
      return "relative";
    case Quantity::kDepth:
      return output.scale ? "m" : "relative";
  }
  return "";
}

at::Tensor to_quantity(const at::Tensor& logits,
                       const OutputQuantity& output,
                       const ImageSize& size) {
  const auto resized = [&](const at::Tensor& maps) {
    const bool fits = maps.size(1) == size.height && maps.size(2) == size.width;
    return fits ? maps : resize_bilinear(maps, size);
  };
  if (output.quantity == Quantity::kLogit) return resized(logits.to(at::kDouble));
  const at::Tensor disparity = resized(disparity_from_logit(logits, DepthRange()));
  if (output.quantity == Quantity::kDisparity) return disparity;
  return depth_from_disparity(disparity, output.scale.value_or(1.0));
}

at::Tensor exact_std(const LogitMarginals& marginals, const OutputQuantity& output) {
  const DepthRange range;
  switch (output.quantity) {
    case Quantity::kLogit:
      return marginals.variance.sqrt();
    case Quantity::kDisparity:
      return disparity_moments(marginals.mean, marginals.variance, range).variance.sqrt();
    case Quantity::kDepth:
      return depth_moments(marginals.mean, marginals.variance, output.scale.value_or(1.0), range)
          .variance.sqrt();
  }
  return {};
}

}  // namespace supn
