#include "supn/comparison/read_truth.hpp"

#include <ATen/TensorOperators.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "supn/errors.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

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

}  // namespace supn
