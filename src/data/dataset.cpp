#include "supn/data/dataset.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "sample_file.hpp"
#include "supn/data/frame_depth.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/io/resize.hpp"

namespace supn {
namespace {

void check_paths(const DataConfig& config, const ExampleContents& contents) {
  if (config.root.empty()) {
    throw ConfigError("data.root: expected the folder of the images; add --set data.root=DIR");
  }
  const bool wants_samples = contents.scales > 0 || contents.log_scale == Presence::kRequired;
  if (wants_samples && config.samples.empty()) {
    throw ConfigError(
        "data.samples: expected the folder that supn_ensemble wrote; add --set data.samples=DIR");
  }
}

void check_size(const DataConfig& config, const ExampleContents& contents) {
  TORCH_CHECK(contents.scales >= 0 && contents.scales <= 16,
              "KittiDataset: expected 0 to 16 scales, got ",
              contents.scales);
  const std::int64_t factor = std::int64_t{1} << std::max<std::int64_t>(contents.scales - 1, 0);
  if (config.height % factor != 0 || config.width % factor != 0) {
    throw ConfigError("data.height, data.width: expected multiples of " + std::to_string(factor) +
                      " for " + std::to_string(contents.scales) + " scales, found " +
                      std::to_string(config.height) + " and " + std::to_string(config.width));
  }
}

std::vector<std::int64_t> kept_members(std::int64_t stored,
                                       const std::vector<std::int64_t>& excluded) {
  for (const std::int64_t member : excluded) {
    if (member < 0 || member >= stored) {
      throw ConfigError("data.exclude_members: expected members from 0 to " +
                        std::to_string(stored - 1) + " (the sample files have " +
                        std::to_string(stored) + "), found " + std::to_string(member));
    }
  }
  std::vector<std::int64_t> kept;
  for (std::int64_t member = 0; member < stored; ++member) {
    if (std::find(excluded.begin(), excluded.end(), member) == excluded.end()) {
      kept.push_back(member);
    }
  }
  if (kept.empty()) {
    throw ConfigError("data.exclude_members: all " + std::to_string(stored) +
                      " members are excluded; leave at least one");
  }
  return kept;
}

std::string depth_folders(const DataConfig& config) {
  std::string text;
  for (const std::string& folder : config.depth_folders)
    text += (text.empty() ? "" : ", ") + folder;
  return text;
}

}  // namespace

at::Tensor load_image(const DataConfig& config, const Frame& frame) {
  return augmented_image(resize_lanczos(read_rgb(image_path(config.root, frame)), config.size()),
                         Augmentation());
}

KittiDataset::KittiDataset(DataConfig config, Split split, ExampleContents contents)
    : config_(std::move(config)), contents_(contents) {
  check_paths(config_, contents_);
  check_size(config_, contents_);
  frames_ = read_split(config_, split);
  if (!config_.cache.empty() && has_images()) cache_ = ImageCache::open(config_, frames_);
  const bool has_log_scale =
      contents_.log_scale == Presence::kRequired ||
      (contents_.log_scale == Presence::kIfPresent && !config_.samples.empty() &&
       is_there(log_scale_path(config_.samples, frames_.front())));
  if (contents_.scales == 0 && !has_log_scale) return;
  const std::filesystem::path first = contents_.scales > 0
                                          ? sample_path(config_.samples, frames_.front(), 0)
                                          : log_scale_path(config_.samples, frames_.front());
  stored_members_ = check_sample_header(first, {0, config_.size()});
  kept_members_ = kept_members(stored_members_, config_.exclude_members);
}

const Frame& KittiDataset::frame(std::int64_t index) const {
  TORCH_CHECK(index >= 0 && index < size(),
              "KittiDataset: expected an index below ",
              size(),
              ", got ",
              index);
  return frames_[static_cast<std::size_t>(index)];
}

Example KittiDataset::example(std::int64_t index, const Augmentation& augmentation) const {
  Example example;
  example.frame = frame(index);
  if (has_images()) example.image = augmented_image(read_image(index), augmentation);
  for (const at::Tensor& maps : read_predictions(example.frame)) {
    example.predictions.push_back(augmented_maps(maps, augmentation));
  }
  example.log_scale = read_log_scale(example.frame);
  if (example.log_scale.defined()) {
    example.log_scale = augmented_maps(example.log_scale, augmentation);
  }
  example.depth_m = read_depth(example.frame);
  if (example.depth_m.defined()) example.depth_m = augmented_maps(example.depth_m, augmentation);
  return example;
}

// Returns uint8 [H,W,3], the same bytes either way.
at::Tensor KittiDataset::read_image(std::int64_t index) const {
  if (cache_ != nullptr) return cache_->read(index);
  return resize_lanczos(read_rgb(image_path(config_.root, frame(index))), config_.size());
}

at::Tensor KittiDataset::read_maps(const std::filesystem::path& file, std::int64_t scale) const {
  const ImageSize size{config_.height >> scale, config_.width >> scale};
  return select_members(read_sample_file(file, {stored_members_, size}), kept_members_);
}

std::vector<at::Tensor> KittiDataset::read_predictions(const Frame& frame) const {
  std::vector<at::Tensor> predictions;
  for (std::int64_t scale = 0; scale < contents_.scales; ++scale) {
    const std::filesystem::path file = sample_path(config_.samples, frame, scale);
    const bool from_finer = scale > 0 && !is_there(file);
    predictions.push_back(from_finer ? halved_maps(predictions.back()) : read_maps(file, scale));
  }
  return predictions;
}

at::Tensor KittiDataset::read_log_scale(const Frame& frame) const {
  if (contents_.log_scale == Presence::kUnused || stored_members_ == 0) return {};
  const std::filesystem::path file = log_scale_path(config_.samples, frame);
  if (contents_.log_scale == Presence::kIfPresent && !is_there(file)) return {};
  return read_maps(file, 0);
}

at::Tensor KittiDataset::read_depth(const Frame& frame) const {
  if (contents_.depth == Presence::kUnused) return {};
  at::Tensor depth_m = read_frame_depth(config_, frame);
  if (depth_m.defined() || contents_.depth == Presence::kIfPresent) return depth_m;
  throw IoError(config_.root / frame.drive,
                "expected ground truth of frame " + frame.id() + " in one of " +
                    depth_folders(config_) +
                    "; name its folder in data.depth_folders, or take the frame out of the split");
}

}  // namespace supn
