#include "supn/data/kitti.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

// A million frames take some 50 MB.
constexpr std::uintmax_t kLargestSplit = std::uintmax_t{1} << 28;
// Ten digits name a frame's files.
constexpr std::int64_t kMaxFrameIndex = 9'999'999'999;

std::string camera_folder(Camera camera) {
  return camera == Camera::kLeft ? "image_02" : "image_03";
}

std::string frame_name(std::int64_t index) {
  std::string digits = std::to_string(index);
  return std::string(10 - std::min<std::size_t>(digits.size(), 10), '0') + digits;
}

// A drive must stay below the root.
bool is_safe_folder(const std::filesystem::path& folder) {
  return folder.is_relative() &&
         std::none_of(folder.begin(), folder.end(), [](const auto& part) { return part == ".."; });
}

std::optional<std::int64_t> parse_index(const std::string& text) {
  const auto index = parse_number<std::int64_t>(text);
  if (!index || index.value < 0 || index.value > kMaxFrameIndex) return {};
  return index.value;
}

// The error's text, or the frame.
struct ParsedLine {
  std::optional<Frame> frame;
  std::string fault;
};

ParsedLine parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string drive;
  std::string index_text;
  std::string side;
  std::string rest;
  words >> drive >> index_text >> side;
  if (side.empty() || words >> rest)
    return {{}, "expected `drive frame side`, found '" + excerpt(line) + "'"};
  if (!is_safe_folder(drive)) {
    return {{}, "expected a drive's folder below the root, found '" + excerpt(drive) + "'"};
  }
  const std::optional<std::int64_t> index = parse_index(index_text);
  if (!index) return {{}, "expected the frame's number, found '" + excerpt(index_text) + "'"};
  if (side != "l" && side != "r") {
    return {{},
            "expected the side l (left camera) or r (right camera), found '" + excerpt(side) + "'"};
  }
  return {Frame{drive, *index, side == "l" ? Camera::kLeft : Camera::kRight}, ""};
}

}  // namespace

std::string Frame::id() const {
  return drive + '/' + camera_folder(camera) + '/' + frame_name(index);
}

const std::filesystem::path& split_file(const DataConfig& config, Split split) {
  switch (split) {
    case Split::kTrain:
      return config.train_split;
    case Split::kVal:
      return config.val_split;
    case Split::kTest:
      return config.test_split;
    case Split::kSequence:
      return config.sequence_split;
  }
  TORCH_CHECK(false, "split_file: expected one of the four splits");
}

std::vector<Frame> read_split(const std::filesystem::path& file) {
  if (!is_there(file)) {
    throw IoError(file, "there is no such file; check the path of the list (data.*_split)");
  }
  std::istringstream stream(read_text(file, kLargestSplit));
  std::vector<Frame> frames;
  std::string line;
  for (std::int64_t number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (line.back() == '\r') line.pop_back();
    const ParsedLine parsed = parse_line(line);
    if (!parsed.frame) {
      throw IoError(
          file.string() + ':' + std::to_string(number),
          parsed.fault + "; write lines like `2011_09_26/2011_09_26_drive_0001_sync 5 l`");
    }
    frames.push_back(*parsed.frame);
  }
  if (frames.empty()) {
    throw IoError(file, "names no frames; write a line `drive frame side` for each image");
  }
  return frames;
}

std::vector<Frame> read_split(const DataConfig& config, Split split) {
  const std::filesystem::path& file = split_file(config, split);
  const std::string key = split_key(config, split);
  if (file.empty()) {
    throw ConfigError(key + ": expected the list of images; add --set data." +
                      std::string(option_name(split)) + "_split=FILE");
  }
  if (std::error_code error; !std::filesystem::is_regular_file(file, error)) {
    throw IoError(file, "the split's list cannot be read; check " + key);
  }
  return read_split(file);
}

std::string split_key(const DataConfig& config, Split split) {
  const std::string key = std::string(option_name(split)) + "_split";
  const auto place = config.places.find(key);
  const std::string text = "data." + key;
  return place == config.places.end() ? text : text + ", set in " + place->second.text;
}

std::filesystem::path image_path(const std::filesystem::path& root, const Frame& frame) {
  const std::filesystem::path folder = root / frame.drive / camera_folder(frame.camera) / "data";
  const std::string name = frame_name(frame.index);
  for (const char* extension : {".jpg", ".png"}) {
    const std::filesystem::path path = folder / (name + extension);
    if (is_there(path)) return path;
  }
  throw IoError(folder / (name + ".jpg"),
                "there is no such image, nor a .png; check data.root, or take the frame out of the "
                "split");
}

std::optional<std::filesystem::path> depth_path(const std::filesystem::path& root,
                                                const Frame& frame,
                                                std::span<const std::string> folders) {
  const std::string name = frame_name(frame.index) + ".png";
  for (const std::string& folder : folders) {
    const std::filesystem::path path =
        root / frame.drive / folder / camera_folder(frame.camera) / name;
    if (is_there(path)) return path;
  }
  return {};
}

std::filesystem::path sample_path(const std::filesystem::path& samples,
                                  const Frame& frame,
                                  std::int64_t scale) {
  return samples / frame.id() / ("logit_" + std::to_string(scale) + ".npy");
}

std::filesystem::path log_scale_path(const std::filesystem::path& samples, const Frame& frame) {
  return samples / frame.id() / "log_scale_0.npy";
}

std::filesystem::path truth_path(const std::filesystem::path& truth, const Frame& frame) {
  return truth / (frame.id() + ".safetensors");
}

}  // namespace supn
