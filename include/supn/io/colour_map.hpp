// These functions show maps of numbers as colours.
#pragma once

#include <ATen/core/Tensor.h>

namespace supn {

// Sequential: kGrey, kMagma, kViridis, kTurbo (low to high); kMagmaReversed shows depth as kMagma
// shows disparity, near pixels bright. Diverging: kRedBlue, from blue over white at the range's
// middle to red.
enum class ColourMap { kGrey, kMagma, kMagmaReversed, kViridis, kTurbo, kRedBlue };

// kSignedRoot shows sign(t)·√|t| with t the signed distance from the range's middle over half its
// width: small deviations become visible beside large ones. kLogarithmic gives equal ratios equal
// steps, for depths; its range must be positive.
enum class ColourScaling { kLinear, kSignedRoot, kLogarithmic };

struct ColourRange {
  double low = 0.0;
  double high = 1.0;
  ColourScaling scaling = ColourScaling::kLinear;
};

// map: floating point or integer [H,W]; gives uint8 RGB [H,W,3]. Values beyond the range take its
// ends' colours; values that are not finite are magenta, a colour of none of the maps. With low =
// high, values up to low take the low end's colour. Throws c10::Error for another shape, or a range
// that is not finite, upside down, or logarithmic and not positive.
at::Tensor colourise(const at::Tensor& map, const ColourRange& range, ColourMap colours);

// Returns the range of the finite values between two percentiles (0 … 100, low first); [0, 1] where
// none is finite. Any shape.
ColourRange percentile_range(const at::Tensor& values, double low_percent, double high_percent);

// Returns [−m, m] with m that percentile of the finite values' magnitudes, for diverging maps.
ColourRange symmetric_range(const at::Tensor& values, double percent);

}  // namespace supn
