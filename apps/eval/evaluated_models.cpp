#include "eval/evaluated_models.hpp"

#include <ATen/TensorOperators.h>

#include <cstdint>
#include <optional>

#include "supn/errors.hpp"
#include "supn/evaluation/threads.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

std::string size_text(const ImageSize& size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

// K = 2r(r+1) maps belong to radius r.
std::optional<std::int64_t> radius_of(std::int64_t maps) {
  std::int64_t radius = 0;
  while (2 * radius * (radius + 1) < maps) ++radius;
  if (2 * radius * (radius + 1) != maps) return std::nullopt;
  return radius;
}

// [1,C,H,W] of a tensor that may lack leading dimensions.
at::Tensor maps_of(const SafetensorsFile& file,
                   const std::string& name,
                   const ImageSize& size,
                   const std::filesystem::path& path) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    throw IoError(path, "no tensor \"" + name + "\"; write the truth anew with supn_data synth");
  }
  const at::Tensor& maps = found->second;
  if (maps.dim() < 2 || maps.size(-2) != size.height || maps.size(-1) != size.width) {
    throw IoError(path,
                  "\"" + name + "\" is not of the size " + size_text(size) +
                      "; set data.height and data.width to the size that the set was made with");
  }
  const std::int64_t channels = maps.numel() / (size.height * size.width);
  return maps.reshape({1, channels, size.height, size.width});
}

// Returns where "=" ends a name in front of the folder; npos where there is none.
std::size_t end_of_name(const std::string& specification) {
  const std::size_t end = specification.find('=');
  const bool is_name = end != std::string::npos && end > 0 && end < specification.find('/');
  return is_name ? end : std::string::npos;
}

std::string row_name(const std::string& specification) {
  const std::size_t end = end_of_name(specification);
  if (end != std::string::npos) return specification.substr(0, end);
  return (std::filesystem::path(specification) / "").lexically_normal().parent_path().string();
}

std::filesystem::path folder_of(const std::string& specification) {
  const std::size_t end = end_of_name(specification);
  return end == std::string::npos ? specification : specification.substr(end + 1);
}

}  // namespace

CheckpointModel::CheckpointModel(const std::string& specification,
                                 const DataConfig& data,
                                 c10::Device device,
                                 const CalibrationRule& rule)
    : name_(row_name(specification)),
      directory_(folder_of(specification)),
      network_(directory_, device, rule),
      truth_temperature_(choose_temperature(
          directory_, {.wanted = rule.wanted, .preferred = CalibratedOn::kTruth})) {
  if (const auto truth = read_temperature(directory_, CalibratedOn::kTruth)) {
    isotropic_ = truth->isotropic;
    tails_ = truth->tails;
  }
  if (network_.input_size() != data.size()) {
    throw ConfigError(directory_.string() + ": was trained at " + size_text(network_.input_size()) +
                      ", the data are read at " + size_text(data.size()) +
                      "; set data.height and data.width to the checkpoint's, with sample files of "
                      "that size");
  }
}

StructuredGaussian CheckpointModel::predict(const at::Tensor& image) {
  // The network's sums depend on the number of threads in the last bits.
  const ThreadCount one_order_of_sums(1);
  return network_.predict(image.unsqueeze(0)).to(c10::Device(c10::kCPU));
}

namespace {

StructuredGaussian true_factor(const SafetensorsFile& file,
                               const DataConfig& data,
                               const std::filesystem::path& path) {
  const at::Tensor off_diagonal = maps_of(file, "off_diagonal", data.size(), path);
  const std::optional<std::int64_t> radius = radius_of(off_diagonal.size(1));
  if (!radius) {
    throw IoError(path,
                  "\"off_diagonal\" has " + std::to_string(off_diagonal.size(1)) +
                      " maps, which is not 2r(r+1) for any r; write the truth anew");
  }
  return {maps_of(file, "mean", data.size(), path),
          maps_of(file, "log_diagonal", data.size(), path),
          off_diagonal,
          Neighbourhood(*radius)};
}

std::unique_ptr<ConvolvedField> true_convolution(const SafetensorsFile& file,
                                                 const DataConfig& data,
                                                 const std::filesystem::path& path) {
  const auto map = [&](const std::string& name) {
    return maps_of(file, name, data.size(), path)[0][0];
  };
  const ConvolutionMaps maps{.std = map("std"), .range = map("range"), .feature = map("feature")};
  const auto nugget = parse_number<double>(file.metadata.at("nugget"));
  if (!nugget || nugget.value <= 0.0 || nugget.value >= 1.0) {
    throw IoError(path, "\"nugget\" is not a number within (0, 1); write the truth anew");
  }
  const auto positive = [](const at::Tensor& values) { return values.gt(0.0).all().item<bool>(); };
  if (!positive(maps.std) || !positive(maps.range)) {
    throw IoError(path, "\"std\" and \"range\" are not positive everywhere; write the truth anew");
  }
  return std::make_unique<ConvolvedField>(map("mean"), maps, nugget.value);
}

}  // namespace

TrueGaussian read_truth(const DataConfig& data, const Frame& frame) {
  const std::filesystem::path path = truth_path(data.truth, frame);
  const SafetensorsFile file = read_safetensors(path);
  if (file.metadata.contains("nugget")) return true_convolution(file, data, path);
  return true_factor(file, data, path);
}

LidarCamera lidar_camera(const DataConfig& data, const Example& example) {
  const std::filesystem::path day = std::filesystem::path(example.frame.drive).parent_path();
  LidarCamera camera = read_lidar_camera(data.root / day, example.frame.camera);
  const ImageSize depth{example.depth_m.size(0), example.depth_m.size(1)};
  if (depth == camera.size) return camera;
  throw ConfigError("--lidar-beams: " + example.frame.id() + " has depth of " + size_text(depth) +
                    " pixels, the calibration of its day is of " + size_text(camera.size));
}

}  // namespace supn
