#include "supn/synthetic/synthetic_set.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "road_truth.hpp"
#include "supn/data/kitti.hpp"
#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"
#include "supn/synthetic/road.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDate = "2000_01_01";
constexpr const char* kDepthFolder = "proj_depth/groundtruth";

struct SetPart {
  Split split;
  std::int64_t drive;
  std::int64_t images;

  std::string name() const { return std::string(option_name(split)); }
  std::string drive_folder() const {
    const std::string date = kDate;
    return date + '/' + date + "_drive_000" + std::to_string(drive) + "_sync";
  }
};

std::array<SetPart, 3> parts_of(const SyntheticSetOptions& options) {
  return {{{Split::kTrain, 1, options.train},
           {Split::kVal, 2, options.val},
           {Split::kTest, 3, options.test}}};
}

fs::path split_list(const fs::path& out, const SetPart& part) {
  return out / "splits" / (part.name() + "_files.txt");
}

// This file is written first: where it is, the folder is a set's.
fs::path calibration_file(const fs::path& out) { return out / kDate / "calib_cam_to_cam.txt"; }

void check(const SyntheticSetOptions& options) {
  const auto [train, val, test] = std::array{options.train, options.val, options.test};
  TORCH_CHECK(std::min({train, val, test}) >= 0 && options.images() > 0,
              "write_synthetic_set: expected counts of at least 0 and one image, got train ",
              train,
              ", val ",
              val,
              ", test ",
              test);
  TORCH_CHECK(options.members >= 1 && options.image_factor >= 1,
              "write_synthetic_set: expected at least one member and an image factor of at least "
              "1, got ",
              options.members,
              " and ",
              options.image_factor);
}

// An earlier set is written anew as a whole; anything else with these names is somebody's data.
void require_own_set(const fs::path& out) {
  if (is_there(calibration_file(out))) return;
  for (const char* name : {kDate, "splits", "samples", "truth"}) {
    if (!is_there(out / name)) continue;
    throw IoError(out / name,
                  "is there already, and not of a set that this program has written; name another "
                  "folder");
  }
}

void write_splits(const fs::path& out, const SyntheticSetOptions& options) {
  for (const SetPart& part : parts_of(options)) {
    if (part.images == 0) continue;
    std::string lines;
    for (std::int64_t index = 0; index < part.images; ++index) {
      lines += part.drive_folder() + ' ' + std::to_string(index) + " l\n";
    }
    write_file_atomically(split_list(out, part), lines);
  }
}

// Writes as much as depth needs; both cameras are the same and in one place.
void write_calibration(const fs::path& out, const ImageSize& size) {
  const double focal = kRoadFocalOverWidth * static_cast<double>(size.width);
  const double x = 0.5 * static_cast<double>(size.width);
  const double y = kRoadPrincipalHeight * static_cast<double>(size.height);
  std::string text = "calib_time: 01-Jan-2000 00:00:00\n";
  std::array<char, 512> lines{};
  for (const int camera : {0, 2, 3}) {
    std::snprintf(lines.data(),
                  lines.size(),
                  "S_rect_%02d: %e %e\nR_rect_%02d: 1 0 0 0 1 0 0 0 1\n"
                  "P_rect_%02d: %e 0 %e 0 0 %e %e 0 0 0 1 0\n",
                  camera,
                  static_cast<double>(size.width),
                  static_cast<double>(size.height),
                  camera,
                  camera,
                  focal,
                  x,
                  focal,
                  y);
    text += lines.data();
  }
  write_file_atomically(calibration_file(out), text);
}

class SetWriter {
 public:
  SetWriter(fs::path out, const SyntheticSetOptions& options)
      : out_(std::move(out)), options_(options) {}

  // Writes the frame's files; returns the members' mean log-likelihood per pixel where the truth is
  // stored and has a density.
  std::optional<double> write(const Frame& frame, Split split) const {
    const std::uint64_t scene = image_seed(options_.seed, frame.id());
    const ImageSize& size = options_.size;
    const ImageSize image_size{size.height * options_.image_factor,
                               size.width * options_.image_factor};
    const RoadView shown = render_road(scene, image_size);
    write_image(frame, shown);
    const RoadView view = options_.image_factor == 1 ? shown : render_road(scene, size);
    const road::Truth truth =
        road::make_truth(options_.field,
                         view,
                         {.world = options_.seed, .scale = kRoadDepthScale},
                         {.shared_seed = image_seed(options_.seed, frame.id() + "/shared"),
                          .members_seed = image_seed(options_.seed, frame.id() + "/members"),
                          .members = options_.members});
    const at::Tensor members = truth.members.to(at::kFloat);
    write_npy(sample_path(out_ / "samples", frame, 0), members);
    if (split == Split::kTrain) return std::nullopt;
    write_safetensors(truth_path(out_ / "truth", frame), truth.file);
    if (!truth.field->has_density()) return std::nullopt;
    return truth.field->log_prob(members).mean().item<double>() /
           static_cast<double>(size.height * size.width);
  }

 private:
  void write_image(const Frame& frame, const RoadView& view) const {
    const fs::path name = fs::path(frame.id()).filename().string() + ".png";
    write_png(out_ / frame.drive / "image_02/data" / name, view.rgb);
    write_depth_png(out_ / frame.drive / kDepthFolder / "image_02" / name, view.depth_m);
  }

  fs::path out_;
  SyntheticSetOptions options_;
};

struct Job {
  Frame frame;
  Split split;
};

}  // namespace

SyntheticSetReport write_synthetic_set(const std::filesystem::path& out,
                                       const SyntheticSetOptions& options,
                                       const std::function<void()>& on_image) {
  check(options);
  require_own_set(out);
  std::vector<Job> jobs;
  for (const SetPart& part : parts_of(options)) {
    // A set that is cut short must not look whole.
    fs::remove(split_list(out, part));
    for (std::int64_t index = 0; index < part.images; ++index) {
      jobs.push_back({{part.drive_folder(), index, Camera::kLeft}, part.split});
    }
  }
  write_calibration(
      out, {options.size.height * options.image_factor, options.size.width * options.image_factor});
  const SetWriter writer(out, options);
  std::vector<std::optional<double>> log_probs(jobs.size());
  std::mutex reporting;
  at::parallel_for(
      0, static_cast<std::int64_t>(jobs.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto index = static_cast<std::size_t>(i);
          log_probs[index] = writer.write(jobs[index].frame, jobs[index].split);
          const std::lock_guard lock(reporting);
          on_image();
        }
      });
  write_splits(out, options);

  double sum = 0.0;
  std::int64_t judged = 0;
  for (const std::optional<double>& log_prob : log_probs) {
    if (!log_prob) continue;
    sum += *log_prob;
    ++judged;
  }
  if (judged == 0) return {};
  return {.log_prob_per_pixel = sum / static_cast<double>(judged)};
}

DataConfig synthetic_data_config(const std::filesystem::path& out, const ImageSize& size) {
  DataConfig config;
  config.root = out;
  config.samples = out / "samples";
  config.truth = out / "truth";
  config.train_split = out / "splits/train_files.txt";
  config.val_split = out / "splits/val_files.txt";
  config.test_split = out / "splits/test_files.txt";
  config.height = size.height;
  config.width = size.width;
  return config;
}

}  // namespace supn
