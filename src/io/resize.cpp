#include "supn/io/resize.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace supn {
namespace {

constexpr double kLobes = 3.0;
// 32 bits less 8 for the grey level less 2 for sums of weights above 1 and the sign.
constexpr int kPrecisionBits = 32 - 8 - 2;
constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);

double sinc(double t) {
  if (t == 0.0) return 1.0;
  return std::sin(std::numbers::pi * t) / (std::numbers::pi * t);
}

double lanczos(double t) { return t >= -kLobes && t < kLobes ? sinc(t) * sinc(t / kLobes) : 0.0; }

std::uint8_t to_grey_level(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

// The input pixels that make one output pixel of one dimension: weights[taps·x'] … for input
// pixels first[x'] … first[x'] + count[x'] − 1.
struct Filter {
  std::int64_t taps = 0;
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> count;
  std::vector<std::int32_t> weights;
};

Filter make_filter(std::int64_t input, std::int64_t output) {
  const double scale = static_cast<double>(input) / static_cast<double>(output);
  const double stretch = std::max(scale, 1.0);
  const double support = kLobes * stretch;
  Filter filter;
  filter.taps = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  filter.weights.resize(static_cast<std::size_t>(output * filter.taps));
  std::vector<double> weights(static_cast<std::size_t>(filter.taps));
  for (std::int64_t x = 0; x < output; ++x) {
    const double centre = (static_cast<double>(x) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - support + 0.5), 0);
    const auto end =
        std::min<std::int64_t>(static_cast<std::int64_t>(centre + support + 0.5), input);
    double sum = 0.0;
    for (std::int64_t i = first; i < end; ++i) {
      const double t = (static_cast<double>(i) - centre + 0.5) / stretch;
      sum += weights[static_cast<std::size_t>(i - first)] = lanczos(t);
    }
    for (std::int64_t i = 0; i < end - first; ++i) {
      filter.weights[static_cast<std::size_t>(x * filter.taps + i)] = static_cast<std::int32_t>(
          std::round(weights[static_cast<std::size_t>(i)] / sum * (1 << kPrecisionBits)));
    }
    filter.first.push_back(first);
    filter.count.push_back(end - first);
  }
  return filter;
}

template <int kChannels>
void filter_row(const std::uint8_t* row, const Filter& filter, std::uint8_t* out) {
  for (std::size_t x = 0; x < filter.first.size(); ++x) {
    const std::uint8_t* pixel = row + filter.first[x] * kChannels;
    const std::int32_t* weight = filter.weights.data() + static_cast<std::int64_t>(x) * filter.taps;
    std::int32_t sums[kChannels];
    std::fill(sums, sums + kChannels, kHalf);
    for (std::int64_t i = 0; i < filter.count[x]; ++i, pixel += kChannels) {
      for (int c = 0; c < kChannels; ++c) sums[c] += pixel[c] * weight[i];
    }
    for (int c = 0; c < kChannels; ++c) *out++ = to_grey_level(sums[c]);
  }
}

using RowFilter = void (*)(const std::uint8_t*, const Filter&, std::uint8_t*);
constexpr RowFilter kRowFilters[] = {filter_row<1>, filter_row<2>, filter_row<3>, filter_row<4>};

at::Tensor resize_width(const at::Tensor& image, std::int64_t width) {
  const std::int64_t height = image.size(0);
  const std::int64_t channels = image.size(2);
  const Filter filter = make_filter(image.size(1), width);
  at::Tensor resized = at::empty({height, width, channels}, at::kByte);
  const auto* in = image.const_data_ptr<std::uint8_t>();
  auto* out = resized.mutable_data_ptr<std::uint8_t>();
  for (std::int64_t y = 0; y < height; ++y) {
    kRowFilters[channels - 1](
        in + y * image.size(1) * channels, filter, out + y * width * channels);
  }
  return resized;
}

at::Tensor resize_height(const at::Tensor& image, std::int64_t height) {
  const std::int64_t row = image.size(1) * image.size(2);
  const Filter filter = make_filter(image.size(0), height);
  at::Tensor resized = at::empty({height, image.size(1), image.size(2)}, at::kByte);
  auto* out = resized.mutable_data_ptr<std::uint8_t>();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(row));
  for (std::int64_t y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const auto place = static_cast<std::size_t>(y);
    for (std::int64_t i = 0; i < filter.count[place]; ++i) {
      const std::uint8_t* in =
          image.const_data_ptr<std::uint8_t>() + (filter.first[place] + i) * row;
      const std::int32_t weight = filter.weights[static_cast<std::size_t>(y * filter.taps + i)];
      std::int32_t* sum = sums.data();
      for (std::int64_t x = 0; x < row; ++x) sum[x] += in[x] * weight;
    }
    out = std::transform(sums.begin(), sums.end(), out, to_grey_level);
  }
  return resized;
}

}  // namespace

at::Tensor resize_lanczos(const at::Tensor& image, const ImageSize& size) {
  TORCH_CHECK(image.dim() == 3 && image.scalar_type() == at::kByte && image.device().is_cpu() &&
                  image.numel() > 0 && image.size(2) <= 4,
              "resize_lanczos: expected a uint8 image [H,W,1..4] on the CPU, got ",
              image.scalar_type(),
              " ",
              image.sizes());
  TORCH_CHECK(size.height > 0 && size.width > 0,
              "resize_lanczos: expected a positive size, got ",
              size.width,
              "x",
              size.height);
  at::Tensor resized = image.contiguous();
  if (resized.size(1) != size.width) resized = resize_width(resized, size.width);
  if (resized.size(0) != size.height) resized = resize_height(resized, size.height);
  return resized;
}

at::Tensor resize_bilinear(const at::Tensor& maps, const ImageSize& size) {
  TORCH_CHECK(maps.is_floating_point() && (maps.dim() == 3 || maps.dim() == 4) && maps.numel() > 0,
              "resize_bilinear: expected floating-point maps [C,H,W] or [B,C,H,W], got ",
              maps.scalar_type(),
              " ",
              maps.sizes());
  TORCH_CHECK(size.height > 0 && size.width > 0,
              "resize_bilinear: expected a positive size, got ",
              size.width,
              "x",
              size.height);
  const at::Tensor batch = maps.dim() == 3 ? maps.unsqueeze(0) : maps;
  const at::Tensor resized = at::upsample_bilinear2d(batch, {size.height, size.width}, false);
  return maps.dim() == 3 ? resized.squeeze(0) : resized;
}

}  // namespace supn
