// The configuration of data says where images, ground truth and ensemble samples are, and how they
// are loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

// Augmentations are drawn anew for each image and epoch of training (augmentation.hpp).
struct AugmentationConfig {
  double flip_probability = 0.5;
  double brightness = 0.2;
  double gamma = 0.2;
  double channel_gain = 0.1;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("flip_probability",
                 self.flip_probability,
                 "share of images mirrored, together with members' maps and depth")
              .range(0.0, 1.0));
    visit(
        option("brightness", self.brightness, "image times a factor of 1 ± this").range(0.0, 0.9));
    visit(option("gamma", self.gamma, "image to the power of 1 ± this").range(0.0, 0.9));
    visit(option("channel_gain", self.channel_gain, "each colour channel times 1 ± this")
              .range(0.0, 0.9));
  }
};

// Tells where a key's value was set.
struct KeyPlace {
  enum class Source { kFile, kBase, kOverride };
  std::string text;  // "<file>:<line>" or "--set <override>"
  Source source = Source::kFile;
};

struct DataConfig {
  std::filesystem::path root;
  std::filesystem::path samples;
  std::filesystem::path cache;
  std::filesystem::path truth;
  std::filesystem::path train_split;
  std::filesystem::path val_split;
  std::filesystem::path test_split;
  std::filesystem::path sequence_split;
  std::vector<std::string> depth_folders = {
      "proj_depth/groundtruth", "stereo_depth", "lidar_depth"};
  std::int64_t height = 192;
  std::int64_t width = 640;
  std::vector<std::int64_t> exclude_members;
  std::int64_t workers = 2;
  std::int64_t prefetch = 4;
  AugmentationConfig augmentation;
  std::map<std::string, KeyPlace> places = {};  // of the splits' keys, for messages; no option

  ImageSize size() const { return {height, width}; }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("root", self.root, "folder in KITTI's raw layout: <date>/<drive>/image_02/data/"));
    visit(option("samples", self.samples, "folder of the ensemble's sample files"));
    visit(option("cache",
                 self.cache,
                 "folder of decoded and resized images that supn_data cache wrote; empty = none"));
    visit(option("truth", self.truth, "folder of the true Gaussians (synthetic sets only)"));
    visit(option("train_split", self.train_split, "list of training images: `drive frame l|r`"));
    visit(option("val_split", self.val_split, "list of validation images"));
    visit(option("test_split", self.test_split, "list of test images"));
    visit(option("sequence_split", self.sequence_split, "list of consecutive frames"));
    visit(option("depth_folders",
                 self.depth_folders,
                 "ground truth below a drive; a frame's is the first of these that has it"));
    visit(option("height", self.height, "of images and finest maps, pixels").range(1, 16384));
    visit(option("width", self.width, "of images and finest maps, pixels").range(1, 16384));
    visit(
        option("exclude_members",
               self.exclude_members,
               "members (from 0) to leave out, such as the one that the network starts from; with "
               "ensemble.horizontal_flip its mirrored maps too: m and S/2 + m")
            .range(0, 65535));
    visit(option("workers", self.workers, "threads that load; 0 = load when needed").range(0, 256));
    visit(option("prefetch", self.prefetch, "batches loaded ahead").range(1, 1024));
    visit(section("augmentation", self.augmentation, "random changes of training images"));
  }
};

}  // namespace supn
