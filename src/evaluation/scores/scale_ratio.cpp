#include "supn/evaluation/scores/scale_ratio.hpp"

#include <cmath>
#include <cstdio>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/order_statistics.hpp"

namespace supn {

double scale_ratio(const at::Tensor& disparity, const GroundTruth& truth, double scale) {
  TORCH_CHECK(truth.count() > 0, "scale_ratio: expected a ground-truth pixel, got none");
  return median(truth.depth) /
         median(depth_from_disparity(at_ground_truth(disparity, truth), scale));
}

bool is_plausible_scale_ratio(double ratio) {
  return std::isnan(ratio) || (ratio >= 1.0 / kLargestScaleRatio && ratio <= kLargestScaleRatio);
}

std::string scale_ratio_text(double ratio, double scale) {
  char text[160];
  std::snprintf(text,
                sizeof text,
                "the measured depths are %.3g times those predicted (medians) with scale %g",
                ratio,
                scale);
  return text;
}

}  // namespace supn
