#include "eval/external_maps.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <spdlog/fmt/fmt.h>

#include <string>

#include "supn/errors.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr double kFocalPerWidth = 0.58;
constexpr double kBaseline = 0.1;  // metres

// Floating-point [h,w] or [S,h,w] in float64.
at::Tensor checked(const at::Tensor& maps, const fs::path& path) {
  const bool is_float = at::isFloatingType(maps.scalar_type());
  if (!is_float || maps.dim() < 2 || maps.dim() > 3 || maps.numel() == 0) {
    throw IoError(path,
                  c10::str("expected floating-point maps [h,w] or [S,h,w], got ",
                           maps.scalar_type(),
                           " ",
                           maps.sizes()));
  }
  const at::Tensor values = maps.to(at::kDouble);
  if (!values.isfinite().all().item<bool>()) {
    throw IoError(path, "has a value that is not finite; fill it, or leave the image out");
  }
  return values;
}

at::Tensor single(const at::Tensor& maps, const fs::path& path) {
  if (maps.dim() == 2) return maps;
  if (maps.size(0) == 1) return maps.select(0, 0);
  throw IoError(path, c10::str("expected one map [h,w], got ", maps.sizes()));
}

// metres → the disparity that the configuration turns into these metres.
at::Tensor disparity_of_metres(const at::Tensor& metres, const EvaluationConfig& config) {
  const double scale = config.scale == DepthScaleMode::kFixed ? config.fixed_scale : 1.0;
  return scale * metres.reciprocal();
}

// [.,h,w] as disparities.
at::Tensor read_disparities(const fs::path& path, const EvaluationConfig& /*config*/) {
  const at::Tensor values = checked(read_npy(path), path);
  if (values.lt(0).any().item<bool>()) throw IoError(path, "has a negative disparity");
  return values;
}
at::Tensor read_depths(const fs::path& path, const EvaluationConfig& config) {
  const at::Tensor values = checked(read_npy(path), path);
  if (values.le(0).any().item<bool>()) throw IoError(path, "has a depth that is not positive");
  return disparity_of_metres(values, config);
}
using ReadMaps = at::Tensor (*)(const fs::path&, const EvaluationConfig&);

PredictedMaps read_arrays(const fs::path& folder, const EvaluationConfig& config) {
  const bool has_depth = fs::exists(folder / "depth.npy");
  if (has_depth && fs::exists(folder / "disparity.npy")) {
    throw IoError(folder, "holds both depth.npy and disparity.npy; leave one");
  }
  const ReadMaps read = has_depth ? read_depths : read_disparities;
  const fs::path main = folder / (has_depth ? "depth.npy" : "disparity.npy");
  PredictedMaps maps;
  maps.disparity = single(read(main, config), main);
  if (const fs::path file = folder / "samples.npy"; fs::exists(file)) {
    const at::Tensor samples = read(file, config);
    if (samples.dim() != 3) throw IoError(file, "expected samples [S,h,w], got one map");
    maps.samples = samples;
  }
  if (const fs::path file = folder / "uncertainty.npy"; fs::exists(file)) {
    maps.uncertainty = single(checked(read_npy(file), file), file);
  }
  return maps;
}

// read_depth_png gives a 256th of the stored values.
PredictedMaps read_pngs(const fs::path& folder,
                        std::int64_t position,
                        const ImageSize& truth,
                        const EvaluationConfig& config) {
  const std::string name = fmt::format("{:06}_10.png", position);
  PredictedMaps maps;
  const double focal_times_baseline = kFocalPerWidth * static_cast<double>(truth.width) * kBaseline;
  const double scale = config.scale == DepthScaleMode::kFixed ? config.fixed_scale : 1.0;
  maps.disparity = read_depth_png(folder / "raw" / "disp" / name).to(at::kDouble) *
                   (scale / focal_times_baseline);
  const fs::path uncertainty = folder / "raw" / "uncert" / name;
  if (fs::exists(uncertainty)) maps.uncertainty = read_depth_png(uncertainty).to(at::kDouble);
  return maps;
}

}  // namespace

PredictedMaps read_external_maps(const fs::path& folder,
                                 const SplitFrame& frame,
                                 const ImageSize& truth,
                                 const EvaluationConfig& config) {
  if (fs::is_directory(folder / "raw" / "disp")) {
    return read_pngs(folder, frame.position, truth, config);
  }
  const fs::path own = folder / frame.frame.id();
  if (!fs::exists(own / "disparity.npy") && !fs::exists(own / "depth.npy")) {
    throw IoError(own,
                  "has neither disparity.npy nor depth.npy, and there is no folder raw/disp of "
                  "16-bit PNG files; write a map for every image of the split");
  }
  return read_arrays(own, config);
}

std::string external_row_name(const fs::path& folder) {
  return (folder / "").lexically_normal().parent_path().string();
}

}  // namespace supn
