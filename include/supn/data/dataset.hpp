// A split of a KITTI-like set as a list of examples.
//
//   KittiDataset train(config.data, Split::kTrain, {.scales = 4});
//   Example first = train.example(0, Augmentation());
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "supn/data/augmentation.hpp"
#include "supn/data/data_config.hpp"
#include "supn/data/image_cache.hpp"
#include "supn/data/kitti.hpp"

namespace supn {

enum class Presence { kUnused, kIfPresent, kRequired };

// Says which parts of an example are read.
struct ExampleContents {
  std::int64_t scales = 0;  // scales of the members' maps, 0 = none
  Presence depth = Presence::kUnused;
  Presence log_scale = Presence::kUnused;
  Presence image = Presence::kRequired;  // kUnused: nothing but maps and ground truth is read
};

struct Example {
  Frame frame;
  at::Tensor image;  // float32 [3,H,W], RGB in [0,1], resized (resize_lanczos); or undefined
  std::vector<at::Tensor> predictions;  // logits per scale, finest first: float32 [S,H/2^s,W/2^s]
  at::Tensor log_scale;                 // float32 [S,H,W] or undefined
  at::Tensor depth_m;  // float32 [h,w] of the image file's size, metres, 0 = none; or undefined
};

// S counts the members that are not excluded. A coarser scale comes from its own file where there
// is one, else from the next finer scale by 2×2 area averages. Files may be float16, float32 or
// float64.
//
// All const functions may be called from several threads at once. Errors of example() are IoErrors
// that name the file, what was expected, what was found and a remedy: missing or damaged files,
// other sizes than config.height × config.width (halved per scale), another S than in the first
// frame's file, values that are not finite, ground truth of another size than its image.
class KittiDataset {
 public:
  // Reads the split and, for members' maps, the header of the first frame's file. Throws
  // ConfigError for paths that are not set, a size that cannot be halved scales − 1 times, excluded
  // members that are not there or that are all; IoError as read_split, as ImageCache::open where
  // config.cache is set, and where the first file is missing or no sample file.
  KittiDataset(DataConfig config, Split split, ExampleContents contents);

  std::int64_t size() const { return static_cast<std::int64_t>(frames_.size()); }
  const Frame& frame(std::int64_t index) const;
  const std::vector<Frame>& frames() const { return frames_; }
  const DataConfig& config() const { return config_; }
  const ExampleContents& contents() const { return contents_; }
  // These are the members in the files, and S; 0 where contents().scales is 0.
  std::int64_t stored_members() const { return stored_members_; }
  std::int64_t members() const { return static_cast<std::int64_t>(kept_members_.size()); }

  Example example(std::int64_t index, const Augmentation& augmentation) const;

 private:
  bool has_images() const { return contents_.image != Presence::kUnused; }
  at::Tensor read_image(std::int64_t index) const;
  at::Tensor read_maps(const std::filesystem::path& file, std::int64_t scale) const;
  std::vector<at::Tensor> read_predictions(const Frame& frame) const;
  at::Tensor read_log_scale(const Frame& frame) const;
  at::Tensor read_depth(const Frame& frame) const;

  DataConfig config_;
  ExampleContents contents_;
  std::vector<Frame> frames_;
  std::shared_ptr<const ImageCache> cache_;  // null where the images are not cached
  std::int64_t stored_members_ = 0;
  std::vector<std::int64_t> kept_members_;
};

// Returns the frame's image as float32 [3,H,W], RGB in [0,1], resized to config.height ×
// config.width.
at::Tensor load_image(const DataConfig& config, const Frame& frame);

}  // namespace supn
