#include "inference/map_colours.hpp"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "supn/evaluation/scores/accuracy.hpp"

namespace supn {
namespace {

// The values whose depth lies below 80 m; all where none does, or where the unit is no metre.
at::Tensor near_values(const at::Tensor& values,
                       const at::Tensor& depth,
                       const OutputQuantity& output) {
  if (!in_metres(output)) return values;
  const at::Tensor near = values.masked_select(depth.lt(kMaxEvaluatedDepth));
  return near.numel() > 0 ? near : values;
}

// Logarithmic where that is possible: the lowest percentile of what is positive.
ColourRange logarithmic_range(const at::Tensor& values) {
  const at::Tensor positive = values.masked_select(values.gt(0.0));
  if (positive.numel() == 0) return percentile_range(values, 1.0, 99.0);
  ColourRange range = percentile_range(positive, 1.0, 99.0);
  range.scaling = ColourScaling::kLogarithmic;
  return range;
}

}  // namespace

ColourBar value_bar(const at::Tensor& map, const OutputQuantity& output) {
  const std::string unit(unit_of(output));
  if (output.quantity != Quantity::kDepth) {
    return {percentile_range(map, 1.0, 99.0), ColourMap::kMagma, unit};
  }
  return {logarithmic_range(near_values(map, map, output)), ColourMap::kMagmaReversed, unit};
}

ColourBar spread_bar(const at::Tensor& std, const at::Tensor& mean, const OutputQuantity& output) {
  const std::string unit(unit_of(output));
  if (output.quantity == Quantity::kDepth) {
    return {logarithmic_range(near_values(std, mean, output)), ColourMap::kViridis, unit};
  }
  return relative_spread_bar(std, output);
}

at::Tensor relative_to_depth(const at::Tensor& values,
                             const at::Tensor& mean,
                             const OutputQuantity& output) {
  return output.quantity == Quantity::kDepth ? values / mean : values;
}

std::string relative_unit(const OutputQuantity& output) {
  return output.quantity == Quantity::kDepth ? "of the depth" : std::string(unit_of(output));
}

ColourBar relative_spread_bar(const at::Tensor& relative, const OutputQuantity& output) {
  ColourBar bar{percentile_range(relative, 0.0, 98.0), ColourMap::kViridis, relative_unit(output)};
  bar.range.low = 0.0;
  return bar;
}

void widen(ColourBar& bar, const ColourBar& other) {
  bar.range.low = std::min(bar.range.low, other.range.low);
  bar.range.high = std::max(bar.range.high, other.range.high);
}

}  // namespace supn
