#include "supn/io/colour_map.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace supn {
namespace {

using Rgb = std::array<std::uint8_t, 3>;
using Palette = std::array<Rgb, 256>;

constexpr Rgb kNotFinite{255, 0, 255};

Palette opencv_palette(int map) {
  cv::Mat ramp(1, 256, CV_8UC1);
  std::iota(ramp.begin<std::uint8_t>(), ramp.end<std::uint8_t>(), std::uint8_t{0});
  cv::Mat bgr;
  cv::applyColorMap(ramp, bgr, map);
  Palette palette;
  for (int i = 0; i < 256; ++i) {
    const auto& colour = bgr.at<cv::Vec3b>(0, i);
    palette[static_cast<std::size_t>(i)] = {colour[2], colour[1], colour[0]};
  }
  return palette;
}

// Makes a palette that is piecewise linear between anchors at equal distances.
template <std::size_t kCount>
Palette anchored_palette(const std::array<Rgb, kCount>& anchors) {
  Palette palette;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const double place = static_cast<double>(i) / 255.0 * static_cast<double>(kCount - 1);
    const std::size_t first = std::min(static_cast<std::size_t>(place), kCount - 2);
    const double t = place - static_cast<double>(first);
    for (std::size_t c = 0; c < 3; ++c) {
      palette[i][c] = static_cast<std::uint8_t>(
          std::lround((1.0 - t) * anchors[first][c] + t * anchors[first + 1][c]));
    }
  }
  return palette;
}

Palette palette_of(ColourMap colours) {
  switch (colours) {
    case ColourMap::kGrey:
      return anchored_palette<2>({{{0, 0, 0}, {255, 255, 255}}});
    case ColourMap::kMagma:
      return opencv_palette(cv::COLORMAP_MAGMA);
    case ColourMap::kMagmaReversed: {
      Palette palette = opencv_palette(cv::COLORMAP_MAGMA);
      std::reverse(palette.begin(), palette.end());
      return palette;
    }
    case ColourMap::kViridis:
      return opencv_palette(cv::COLORMAP_VIRIDIS);
    case ColourMap::kTurbo:
      return opencv_palette(cv::COLORMAP_TURBO);
    case ColourMap::kRedBlue:
      return anchored_palette<7>({{{5, 48, 97},
                                   {67, 147, 195},
                                   {178, 214, 232},
                                   {248, 248, 248},
                                   {250, 196, 172},
                                   {214, 96, 77},
                                   {103, 0, 31}}});
  }
  TORCH_CHECK(false, "colourise: expected one of the colour maps");
}

// Returns the place in the palette, [0, 1].
double place_of(double value, const ColourRange& range) {
  if (range.high == range.low) return value > range.low ? 1.0 : 0.0;
  if (range.scaling == ColourScaling::kLogarithmic) {
    if (value <= range.low) return 0.0;
    return std::min(std::log(value / range.low) / std::log(range.high / range.low), 1.0);
  }
  const double t = std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
  if (range.scaling == ColourScaling::kLinear) return t;
  const double signed_distance = 2.0 * t - 1.0;
  return 0.5 + 0.5 * std::copysign(std::sqrt(std::abs(signed_distance)), signed_distance);
}

std::vector<double> finite_values(const at::Tensor& values) {
  const at::Tensor flat = values.detach().cpu().to(at::kDouble).contiguous();
  const auto* data = flat.const_data_ptr<double>();
  std::vector<double> finite;
  finite.reserve(static_cast<std::size_t>(flat.numel()));
  std::copy_if(data, data + flat.numel(), std::back_inserter(finite), [](double value) {
    return std::isfinite(value);
  });
  return finite;
}

// With linear interpolation between the two nearest ranks. Selects them, which leaves `values` in
// another order.
double percentile(std::vector<double>& values, double percent) {
  const double place = percent / 100.0 * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double low = *below;
  const double high = below + 1 == values.end() ? low : *std::min_element(below + 1, values.end());
  return low + (place - std::floor(place)) * (high - low);
}

}  // namespace

at::Tensor colourise(const at::Tensor& map, const ColourRange& range, ColourMap colours) {
  TORCH_CHECK(map.dim() == 2, "colourise: expected a map [H,W], got ", map.sizes());
  TORCH_CHECK(std::isfinite(range.low) && std::isfinite(range.high) && range.low <= range.high,
              "colourise: expected a finite range with low <= high, got ",
              range.low,
              " ... ",
              range.high);
  TORCH_CHECK(range.scaling != ColourScaling::kLogarithmic || range.low > 0.0,
              "colourise: expected a positive range for logarithmic colours, got ",
              range.low,
              " ... ",
              range.high);
  const Palette palette = palette_of(colours);
  const at::Tensor values = map.detach().cpu().to(at::kDouble).contiguous();
  at::Tensor rgb = at::empty({map.size(0), map.size(1), 3}, at::kByte);
  const auto* value = values.const_data_ptr<double>();
  auto* out = rgb.mutable_data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    Rgb colour = kNotFinite;
    if (std::isfinite(value[i])) {
      colour = palette[static_cast<std::size_t>(std::lround(255.0 * place_of(value[i], range)))];
    }
    std::copy(colour.begin(), colour.end(), out + 3 * i);
  }
  return rgb;
}

ColourRange percentile_range(const at::Tensor& values, double low_percent, double high_percent) {
  TORCH_CHECK(0.0 <= low_percent && low_percent <= high_percent && high_percent <= 100.0,
              "percentile_range: expected 0 <= low <= high <= 100, got ",
              low_percent,
              " and ",
              high_percent);
  std::vector<double> finite = finite_values(values);
  if (finite.empty()) return {};
  return {percentile(finite, low_percent), percentile(finite, high_percent)};
}

ColourRange symmetric_range(const at::Tensor& values, double percent) {
  const double reach = percentile_range(values.abs(), 0.0, percent).high;
  return {-reach, reach};
}

}  // namespace supn
