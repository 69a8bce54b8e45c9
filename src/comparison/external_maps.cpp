#include "supn/comparison/external_maps.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr double kFocalPerWidth = 0.58;

// Reads real numbers [h,w], [S,h,w] or [S,1,h,w] as [S,h,w].
at::Tensor read_maps(const fs::path& path) {
  at::Tensor maps = read_npy(path);
  if (maps.dim() == 4 && maps.size(1) == 1) maps = maps.squeeze(1);
  if (maps.dim() == 2) maps = maps.unsqueeze(0);
  if (maps.dim() != 3 || maps.numel() == 0 || maps.scalar_type() == at::kBool) {
    throw IoError(path,
                  c10::str("expected maps of numbers [h,w], [S,h,w] or [S,1,h,w], got ",
                           maps.scalar_type(),
                           " ",
                           maps.sizes()));
  }
  return maps;
}

at::Tensor checked(const at::Tensor& maps, const fs::path& path) {
  const at::Tensor values = maps.to(at::kDouble);
  if (!values.isfinite().all().item<bool>()) {
    throw IoError(path, "has a value that is not finite; fill it, or leave the image out");
  }
  return values;
}

at::Tensor single(const at::Tensor& maps, const fs::path& path) {
  if (maps.size(0) == 1) return maps.select(0, 0);
  throw IoError(path, c10::str("expected one map [h,w], got ", maps.sizes()));
}

// metres → the disparity that the configuration turns into these metres.
at::Tensor disparity_of_metres(const at::Tensor& metres, const EvaluationConfig& config) {
  const double scale = config.scale == DepthScaleMode::kFixed ? config.fixed_scale : 1.0;
  return scale * metres.reciprocal();
}

enum class Stored { kDisparity, kDepth };

Stored stored_in(const fs::path& path) {
  return path.filename() == "depth.npy" ? Stored::kDepth : Stored::kDisparity;
}

// Returns maps [.,h,w] as disparities.
at::Tensor as_disparities(const at::Tensor& maps,
                          const fs::path& path,
                          Stored stored,
                          const EvaluationConfig& config) {
  const at::Tensor values = checked(maps, path);
  if (stored == Stored::kDisparity) {
    if (values.lt(0).any().item<bool>()) throw IoError(path, "has a negative disparity");
    return values;
  }
  if (values.le(0).any().item<bool>()) throw IoError(path, "has a depth that is not positive");
  return disparity_of_metres(values, config);
}

// The one of the two files that the folder holds; empty where it holds neither.
fs::path main_file(const fs::path& folder) {
  const bool has_depth = fs::exists(folder / "depth.npy");
  const bool has_disparity = fs::exists(folder / "disparity.npy");
  if (has_depth && has_disparity) {
    throw IoError(folder, "holds both depth.npy and disparity.npy; leave one");
  }
  if (!has_depth && !has_disparity) return {};
  return folder / (has_depth ? "depth.npy" : "disparity.npy");
}

PredictedMaps read_arrays(const fs::path& folder,
                          const fs::path& main,
                          const EvaluationConfig& config) {
  const auto read = [&](const fs::path& file) {
    return as_disparities(read_maps(file), file, stored_in(main), config);
  };
  PredictedMaps maps;
  maps.disparity = single(read(main), main);
  if (const fs::path file = folder / "samples.npy"; fs::exists(file)) maps.samples = read(file);
  if (const fs::path file = folder / "uncertainty.npy"; fs::exists(file)) {
    maps.uncertainty = single(checked(read_maps(file), file), file);
  }
  return maps;
}

at::Tensor read_stack(const fs::path& file, std::int64_t frames) {
  at::Tensor maps = read_maps(file);
  if (maps.size(0) == frames) return maps;
  throw IoError(file,
                c10::str("holds ",
                         maps.size(0),
                         " maps, and the split lists ",
                         frames,
                         " images; write one map for each, in the order of the split"));
}

std::string external_name(const fs::path& source) {
  return (source / "").lexically_normal().parent_path().string();
}

}  // namespace

ExternalMaps::ExternalMaps(fs::path source, std::int64_t frames, double baseline)
    : folder_(std::move(source)), name_(external_name(folder_)), baseline_(baseline) {
  stack_ = folder_.extension() == ".npy" ? folder_ : main_file(folder_);
  if (stack_.empty()) return;
  if (fs::exists(folder_ / "samples.npy")) {
    throw IoError(folder_ / "samples.npy",
                  "lies beside maps of all images, where no samples are read; write a folder for "
                  "every image, or move it away");
  }
  maps_ = read_stack(stack_, frames);
  const fs::path uncertainty = folder_ / "uncertainty.npy";
  if (fs::exists(uncertainty)) uncertainty_ = read_stack(uncertainty, frames);
}

PredictedMaps ExternalMaps::read_stacks(std::int64_t position,
                                        const EvaluationConfig& config) const {
  PredictedMaps maps;
  maps.disparity = as_disparities(maps_.select(0, position), stack_, stored_in(stack_), config);
  if (uncertainty_.defined()) {
    maps.uncertainty = checked(uncertainty_.select(0, position), folder_ / "uncertainty.npy");
  }
  return maps;
}

// read_depth_png gives a 256th of the stored values.
PredictedMaps ExternalMaps::read_pngs(std::int64_t position,
                                      const ImageSize& truth,
                                      const EvaluationConfig& config) const {
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "%06lld_10.png", static_cast<long long>(position));
  PredictedMaps maps;
  const double focal_times_baseline = kFocalPerWidth * static_cast<double>(truth.width) * baseline_;
  const double scale = config.scale == DepthScaleMode::kFixed ? config.fixed_scale : 1.0;
  maps.disparity = read_depth_png(folder_ / "raw" / "disp" / name.data()).to(at::kDouble) *
                   (scale / focal_times_baseline);
  const fs::path uncertainty = folder_ / "raw" / "uncert" / name.data();
  if (fs::exists(uncertainty)) maps.uncertainty = read_depth_png(uncertainty).to(at::kDouble);
  return maps;
}

PredictedMaps ExternalMaps::read(const SplitFrame& frame,
                                 const ImageSize& truth,
                                 const EvaluationConfig& config) const {
  if (maps_.defined()) return read_stacks(frame.position, config);
  if (fs::is_directory(folder_ / "raw" / "disp")) return read_pngs(frame.position, truth, config);
  const fs::path own = folder_ / frame.frame.id();
  const fs::path main = main_file(own);
  if (main.empty()) {
    throw IoError(own,
                  "has neither disparity.npy nor depth.npy, and there is no folder raw/disp of "
                  "16-bit PNG files; write a map for every image of the split");
  }
  return read_arrays(own, main, config);
}

bool looks_cropped(const at::Tensor& map, const ImageSize& truth) {
  constexpr double kNearly = 0.8;
  const auto share = [](std::int64_t found, std::int64_t expected) {
    return static_cast<double>(found) / static_cast<double>(expected);
  };
  const double rows = share(map.size(-2), truth.height);
  const double columns = share(map.size(-1), truth.width);
  const bool same = map.size(-2) == truth.height && map.size(-1) == truth.width;
  return !same && rows >= kNearly && rows <= 1.0 && columns >= kNearly && columns <= 1.0;
}

}  // namespace supn
