// Predictions of other programs, in one of two layouts:
//
//   <folder>/<frame id>/disparity.npy or depth.npy   float [h,w] or [1,h,w]
//                       samples.npy                  optional: float [S,h,w], of the same quantity
//                       uncertainty.npy              optional: float [h,w], larger = less certain
//   <folder>/raw/disp/%06d_10.png                    16 bit, 256 · disparity in pixels for a
//                                                    baseline of 0.1 m and a focal length of
//                                                    0.58 · width of the ground truth; 0 = farthest
//   <folder>/raw/uncert/%06d_10.png                  optional: 16 bit, larger = less certain
//
// <frame id> as in kitti.hpp, %06d the position in the split, from 0. Sizes are free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "supn/data/kitti.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/map_scores.hpp"
#include "supn/image_size.hpp"

namespace supn {

// A frame and its place in the split.
struct SplitFrame {
  const Frame& frame;
  std::int64_t position;
};

// The maps of a frame as disparities that the configuration's scale fits: depth.npy and PNG files
// are in metres where evaluation.scale is fixed. truth: the size of the ground truth. Throws
// IoError for a file that is missing, of another dtype or number of dimensions, negative or not
// finite.
PredictedMaps read_external_maps(const std::filesystem::path& folder,
                                 const SplitFrame& frame,
                                 const ImageSize& truth,
                                 const EvaluationConfig& config);

// The name of the folder's row in a table.
std::string external_row_name(const std::filesystem::path& folder);

}  // namespace supn
