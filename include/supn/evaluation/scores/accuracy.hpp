// These metrics give the accuracy of predicted depth against sparse ground truth, per image.
//
//   abs_rel  mean |g−p|/g      rmse      √mean (g−p)²          a1, a2, a3  fraction of pixels with
//   sq_rel   mean (g−p)²/g     rmse_log  √mean (ln g − ln p)²              max(g/p, p/g) < 1.25^k
//
// Predictions come as disparity at the network's size; they are read at the ground truth's pixels
// by bilinear interpolation (half-pixel centres, align_corners=false, no antialiasing), turned into
// depth, scaled, and clipped to [1e-3, 80] m. K = ground-truth pixels that count, S = maps. All in
// float64. See docs/method.md "Evaluation".
//
//   const GroundTruth truth = ground_truth(depth_m, AccuracyProtocol::kEigen);
//   std::vector<Accuracy> each = accuracy(scaled_depth(disparity, truth, {}), truth);
//   Accuracy best = best_of(each);
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "supn/evaluation/evaluation_config.hpp"
#include "supn/image_size.hpp"

namespace supn {

inline constexpr double kMinEvaluatedDepth = 1e-3;  // metres
inline constexpr double kMaxEvaluatedDepth = 80.0;  // metres

// Rows [top, bottom), columns [left, right).
struct Crop {
  std::int64_t top = 0;
  std::int64_t bottom = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;
  bool operator==(const Crop&) const = default;
};

// eigen: rows [0.40810811h, 0.99189189h), columns [0.03594771w, 0.96405229w), truncated
// (375×1242: 153:371, 44:1197); eigen_benchmark: everything.
Crop crop_of(const ImageSize& size, AccuracyProtocol protocol);

// The pixels of one image that count.
struct GroundTruth {
  at::Tensor depth;  // [K] float64, metres
  at::Tensor index;  // [K] int64, raster index in `size`
  ImageSize size;
  std::int64_t count() const { return depth.size(0); }
};

// depth_m [H,W], 0 = none. count() may be 0: such an image must be skipped.
GroundTruth ground_truth(const at::Tensor& depth_m, AccuracyProtocol protocol);

// Returns maps [S,h,w] resized to the ground truth's size, at its pixels: [S,K] float64. Equals
// upsample_bilinear2d(align_corners=false) followed by a gather, without the full-size maps.
at::Tensor at_ground_truth(const at::Tensor& maps, const GroundTruth& truth);

struct DepthScale {
  DepthScaleMode mode = DepthScaleMode::kFixed;
  double fixed = 5.4;
};

// Turns disparity [S,h,w] into depth [S,K] at the ground truth's pixels, scaled and clipped. With
// kMedian each map gets its own scale, median(g)/median(p). Throws c10::Error if count() is 0.
at::Tensor scaled_depth(const at::Tensor& disparity,
                        const GroundTruth& truth,
                        const DepthScale& scale);

struct Accuracy {
  double abs_rel = 0.0;
  double sq_rel = 0.0;    // metres
  double rmse = 0.0;      // metres
  double rmse_log = 0.0;  // natural log
  double a1 = 0.0;
  double a2 = 0.0;
  double a3 = 0.0;
};

// Turns depth [S,K] into one Accuracy a map.
std::vector<Accuracy> accuracy(const at::Tensor& depth, const GroundTruth& truth);

// Applies scaled_depth, then accuracy, to one map at a time, so that memory does not grow with S.
std::vector<Accuracy> accuracy_of_disparity(const at::Tensor& disparity,
                                            const GroundTruth& truth,
                                            const DepthScale& scale);

// Returns the best value of each metric by itself: lowest error, highest a1..a3; an error is NaN if
// any is. Throws c10::Error for none.
Accuracy best_of(std::span<const Accuracy> accuracies);

}  // namespace supn
