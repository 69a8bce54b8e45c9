#include "supn/evaluation/scores/accuracy.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {
namespace {

constexpr double kMinEigenDepth = 1e-3;
constexpr double kMaxEigenDepth = 80.0;
constexpr double kThreshold = 1.25;

// Says where one axis of a resized map reads: weight (1 − fraction) at low, fraction at high.
struct AxisTap {
  std::int64_t low;
  std::int64_t high;
  double fraction;
};

std::vector<AxisTap> axis_taps(std::int64_t from, std::int64_t to) {
  std::vector<AxisTap> taps;
  taps.reserve(static_cast<std::size_t>(to));
  const double ratio = static_cast<double>(from) / static_cast<double>(to);
  for (std::int64_t i = 0; i < to; ++i) {
    const double source = std::max(ratio * (static_cast<double>(i) + 0.5) - 0.5, 0.0);
    const std::int64_t low = std::min(static_cast<std::int64_t>(source), from - 1);
    taps.push_back({low, std::min(low + 1, from - 1), source - static_cast<double>(low)});
  }
  return taps;
}

// A running mean of the seven metrics' terms.
struct AccuracySums {
  double relative = 0.0;
  double squared_relative = 0.0;
  double squared = 0.0;
  double squared_log = 0.0;
  double within1 = 0.0;
  double within2 = 0.0;
  double within3 = 0.0;
};

Accuracy accuracy_of(const double* truth, const double* depth, std::int64_t count) {
  AccuracySums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    const double error = truth[i] - depth[i];
    const double log_error = std::log(truth[i]) - std::log(depth[i]);
    const double ratio = std::max(truth[i] / depth[i], depth[i] / truth[i]);
    sums.relative += std::abs(error) / truth[i];
    sums.squared_relative += error * error / truth[i];
    sums.squared += error * error;
    sums.squared_log += log_error * log_error;
    sums.within1 += ratio < kThreshold ? 1.0 : 0.0;
    sums.within2 += ratio < kThreshold * kThreshold ? 1.0 : 0.0;
    sums.within3 += ratio < kThreshold * kThreshold * kThreshold ? 1.0 : 0.0;
  }
  const auto n = static_cast<double>(count);
  return {.abs_rel = sums.relative / n,
          .sq_rel = sums.squared_relative / n,
          .rmse = std::sqrt(sums.squared / n),
          .rmse_log = std::sqrt(sums.squared_log / n),
          .a1 = sums.within1 / n,
          .a2 = sums.within2 / n,
          .a3 = sums.within3 / n};
}

// std::min alone would drop the NaN of a sample that overflowed.
double lower_or_nan(double a, double b) {
  if (std::isnan(a)) return a;
  return std::isnan(b) ? b : std::min(a, b);
}

void check_truth(const GroundTruth& truth, const char* function) {
  TORCH_CHECK(truth.count() > 0,
              function,
              ": expected at least one ground-truth pixel, got none; skip such images");
}

}  // namespace

Crop crop_of(const ImageSize& size, AccuracyProtocol protocol) {
  if (protocol == AccuracyProtocol::kEigenBenchmark) return {0, size.height, 0, size.width};
  const auto height = static_cast<double>(size.height);
  const auto width = static_cast<double>(size.width);
  return {static_cast<std::int64_t>(0.40810811 * height),
          static_cast<std::int64_t>(0.99189189 * height),
          static_cast<std::int64_t>(0.03594771 * width),
          static_cast<std::int64_t>(0.96405229 * width)};
}

GroundTruth ground_truth(const at::Tensor& depth_m, AccuracyProtocol protocol) {
  TORCH_CHECK(depth_m.dim() == 2 && depth_m.numel() > 0,
              "ground_truth: expected depth [H,W], got ",
              depth_m.sizes());
  const ImageSize size{depth_m.size(0), depth_m.size(1)};
  const Crop crop = crop_of(size, protocol);
  const at::Tensor contiguous = depth_m.to(at::kCPU, at::kDouble).contiguous();
  const double* depth = contiguous.const_data_ptr<double>();
  const bool eigen = protocol == AccuracyProtocol::kEigen;
  std::vector<std::int64_t> index;
  for (std::int64_t y = crop.top; y < crop.bottom; ++y) {
    for (std::int64_t x = crop.left; x < crop.right; ++x) {
      const std::int64_t i = y * size.width + x;
      const bool counts =
          eigen ? depth[i] > kMinEigenDepth && depth[i] < kMaxEigenDepth : depth[i] > 0.0;
      if (counts && std::isfinite(depth[i])) index.push_back(i);
    }
  }
  at::Tensor indices = at::empty({static_cast<std::int64_t>(index.size())}, at::kLong);
  std::copy(index.begin(), index.end(), indices.mutable_data_ptr<std::int64_t>());
  return {contiguous.view({-1}).index_select(0, indices), indices, size};
}

at::Tensor at_ground_truth(const at::Tensor& maps, const GroundTruth& truth) {
  TORCH_CHECK(maps.dim() == 3 && maps.numel() > 0,
              "at_ground_truth: expected maps [S,h,w], got ",
              maps.sizes());
  const at::Tensor source = maps.to(at::kCPU, at::kDouble).contiguous();
  const std::int64_t width = source.size(2);
  const std::vector<AxisTap> rows = axis_taps(source.size(1), truth.size.height);
  const std::vector<AxisTap> columns = axis_taps(width, truth.size.width);
  at::Tensor values = at::empty({source.size(0), truth.count()}, at::kDouble);
  const double* const all_maps = source.const_data_ptr<double>();
  const std::int64_t* const index = truth.index.const_data_ptr<std::int64_t>();
  double* const out = values.mutable_data_ptr<double>();
  const std::int64_t count = truth.count();
  const std::int64_t pixels = source.size(1) * width;
  for (std::int64_t s = 0; s < source.size(0); ++s) {
    const double* const map = all_maps + s * pixels;
    for (std::int64_t i = 0; i < count; ++i) {
      const AxisTap& y = rows[static_cast<std::size_t>(index[i] / truth.size.width)];
      const AxisTap& x = columns[static_cast<std::size_t>(index[i] % truth.size.width)];
      const double* const upper = map + y.low * width;
      const double* const lower = map + y.high * width;
      out[s * count + i] =
          (1.0 - y.fraction) * ((1.0 - x.fraction) * upper[x.low] + x.fraction * upper[x.high]) +
          y.fraction * ((1.0 - x.fraction) * lower[x.low] + x.fraction * lower[x.high]);
    }
  }
  return values;
}

at::Tensor scaled_depth(const at::Tensor& disparity,
                        const GroundTruth& truth,
                        const DepthScale& scale) {
  check_truth(truth, "scaled_depth");
  at::Tensor depth = at_ground_truth(disparity, truth).reciprocal_();
  if (scale.mode == DepthScaleMode::kFixed) {
    depth.mul_(scale.fixed);
  } else {
    const double truth_median = median(truth.depth);
    for (std::int64_t s = 0; s < depth.size(0); ++s) {
      at::Tensor row = depth.select(0, s);
      row.mul_(truth_median / median(row));
    }
  }
  return depth.clamp_(kMinEvaluatedDepth, kMaxEvaluatedDepth);
}

std::vector<Accuracy> accuracy(const at::Tensor& depth, const GroundTruth& truth) {
  check_truth(truth, "accuracy");
  TORCH_CHECK(depth.dim() == 2 && depth.size(1) == truth.count(),
              "accuracy: expected depth [S,",
              truth.count(),
              "], got ",
              depth.sizes());
  const at::Tensor predicted = depth.to(at::kCPU, at::kDouble).contiguous();
  const double* const values = predicted.const_data_ptr<double>();
  const double* const reference = truth.depth.const_data_ptr<double>();
  std::vector<Accuracy> result(static_cast<std::size_t>(depth.size(0)));
  for (std::int64_t s = 0; s < depth.size(0); ++s) {
    result[static_cast<std::size_t>(s)] =
        accuracy_of(reference, values + s * truth.count(), truth.count());
  }
  return result;
}

std::vector<Accuracy> accuracy_of_disparity(const at::Tensor& disparity,
                                            const GroundTruth& truth,
                                            const DepthScale& scale) {
  std::vector<Accuracy> result;
  for (std::int64_t s = 0; s < disparity.size(0); ++s) {
    result.push_back(accuracy(scaled_depth(disparity.narrow(0, s, 1), truth, scale), truth)[0]);
  }
  return result;
}

Accuracy best_of(std::span<const Accuracy> accuracies) {
  TORCH_CHECK(!accuracies.empty(), "best_of: expected at least one accuracy, got none");
  Accuracy best = accuracies.front();
  for (const Accuracy& one : accuracies.subspan(1)) {
    for (const auto error :
         {&Accuracy::abs_rel, &Accuracy::sq_rel, &Accuracy::rmse, &Accuracy::rmse_log}) {
      best.*error = lower_or_nan(best.*error, one.*error);
    }
    for (const auto rate : {&Accuracy::a1, &Accuracy::a2, &Accuracy::a3}) {
      best.*rate = std::max(best.*rate, one.*rate);
    }
  }
  return best;
}

}  // namespace supn
