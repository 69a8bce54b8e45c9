// KITTI's raw layout fixes what a split names and where its files are. <drive> is
// <date>/<date>_drive_XXXX_sync, <frame id> is <drive>/image_02|03/%010d (left|right).
//
//   <root>/<drive>/image_02|03/data/%010d.jpg|png        image
//   <root>/<drive>/<depth folder>/image_02|03/%010d.png  depth (depth_png.hpp)
//   <samples>/<frame id>/logit_{s}.npy                   members' logits [S,h,w], s = 0 the finest
//   <samples>/<frame id>/log_scale_0.npy                 members' log-scales [S,h,w], if any
//   <truth>/<frame id>.safetensors                       true Gaussians of a synthetic set
//
// Calibration is not needed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Camera { kLeft = 2, kRight = 3 };

struct Frame {
  std::string drive;  // <date>/<date>_drive_XXXX_sync
  std::int64_t index = 0;
  Camera camera = Camera::kLeft;

  std::string id() const;  // <drive>/image_02/%010d
  bool operator==(const Frame&) const = default;
};

enum class Split { kTrain, kVal, kTest, kSequence };

template <>
struct OptionNames<Split> {
  static constexpr std::array<std::pair<std::string_view, Split>, 4> values{
      {{"train", Split::kTrain},
       {"val", Split::kVal},
       {"test", Split::kTest},
       {"sequence", Split::kSequence}}};
};

// The split's file as configured, empty where it is not set.
const std::filesystem::path& split_file(const DataConfig& config, Split split);

// Reads lines `drive frame side`, side l or r, the frame's number with or without leading zeros;
// blank lines are skipped. Throws IoError with the line's number for anything else, for a missing
// file and for one without frames.
std::vector<Frame> read_split(const std::filesystem::path& file);

// Returns the configured split. Throws ConfigError if it is not set, IoError as above, and naming
// the key and where it was set for a list that is not there.
std::vector<Frame> read_split(const DataConfig& config, Split split);

// "data.test_split", and where it was set, as far as that is known.
std::string split_key(const DataConfig& config, Split split);

// The frame's image, .jpg or .png, whichever is there. Throws IoError if neither is.
std::filesystem::path image_path(const std::filesystem::path& root, const Frame& frame);

// The frame's ground truth in the first of `folders` that has it.
std::optional<std::filesystem::path> depth_path(const std::filesystem::path& root,
                                                const Frame& frame,
                                                std::span<const std::string> folders);

// These give the place, whether or not the file is there.
std::filesystem::path sample_path(const std::filesystem::path& samples,
                                  const Frame& frame,
                                  std::int64_t scale);
std::filesystem::path log_scale_path(const std::filesystem::path& samples, const Frame& frame);
std::filesystem::path truth_path(const std::filesystem::path& truth, const Frame& frame);

}  // namespace supn
