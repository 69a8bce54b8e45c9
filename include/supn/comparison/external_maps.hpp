// Predictions of other programs are read in one of three layouts:
//
//   <folder>/<frame id>/disparity.npy or depth.npy   numbers [h,w], [1,h,w] or [1,1,h,w]
//                       samples.npy                  optional: [S,h,w], of the same quantity
//                       uncertainty.npy              optional: [h,w], larger = less certain
//   <folder>/disparity.npy or depth.npy              numbers [N,h,w] or [N,1,h,w]: the maps of all
//            uncertainty.npy                         N images of the split in its order; a .npy
//                                                    file given by itself holds disparities so
//   <folder>/raw/disp/%06d_10.png                    16 bit, 256 · disparity in pixels for a focal
//                                                    length of 0.58 · width of the ground truth and
//                                                    a baseline that is given; 0 = farthest
//   <folder>/raw/uncert/%06d_10.png                  optional: 16 bit, larger = less certain
//
// <frame id> as in kitti.hpp, %06d the position in the split, from 0. Sizes are free: a map shows
// the whole image, and is resized to its ground truth.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "supn/data/kitti.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/scores/map_scores.hpp"
#include "supn/image_size.hpp"

namespace supn {

// These baselines, in metres, are of the stereo pairs that the PNG files' disparities are of: 0.1
// is the one that monocular and mixed training of monodepth2's kind takes for KITTI's, 0.54 KITTI's
// own.
inline constexpr double kNominalBaseline = 0.1;
inline constexpr double kKittiBaseline = 0.54;

// A frame and its place in the split, which has so many.
struct SplitFrame {
  const Frame& frame;
  std::int64_t position;
};

class ExternalMaps {
 public:
  // folder or .npy file. frames: of the split. Throws IoError for a stack of another number.
  ExternalMaps(std::filesystem::path source, std::int64_t frames, double baseline);

  // Names the row in a table.
  const std::string& name() const { return name_; }

  // The maps of a frame as disparities that the configuration's scale fits: depth.npy and PNG files
  // are in metres where evaluation.scale is fixed. truth: the size of the ground truth. Throws
  // IoError for a file that is missing, of another number of dimensions, negative or not finite.
  PredictedMaps read(const SplitFrame& frame,
                     const ImageSize& truth,
                     const EvaluationConfig& config) const;

 private:
  PredictedMaps read_stacks(std::int64_t position, const EvaluationConfig& config) const;
  PredictedMaps read_pngs(std::int64_t position,
                          const ImageSize& truth,
                          const EvaluationConfig& config) const;

  std::filesystem::path folder_;
  std::string name_;
  double baseline_;
  std::filesystem::path stack_;  // of all frames; empty in the other layouts
  at::Tensor maps_;              // [N,h,w] as stored
  at::Tensor uncertainty_;       // [N,h,w] or undefined
};

// Tells whether a map has nearly, but not quite, the ground truth's size, as crops have, which
// would be stretched.
bool looks_cropped(const at::Tensor& map, const ImageSize& truth);

}  // namespace supn
