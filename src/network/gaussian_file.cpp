#include "supn/network/gaussian_file.hpp"

#include <c10/util/Exception.h>

#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

constexpr const char* kFormat = "supn structured gaussian";
constexpr const char* kRasterVersion = "1";
constexpr const char* kOrderVersion = "2";
constexpr const char* kOrderText = "coarse_to_fine";
constexpr std::int64_t kLargestRadius = 16;
constexpr std::int64_t kMostLevels = 16;
constexpr std::array<const char*, 8> kReserved{
    "format", "format_version", "radius", "order", "classes", "neighbours", "levels", "quantity"};

using Path = std::filesystem::path;

bool is_reserved(const std::string& name) {
  for (const char* reserved : kReserved) {
    if (name == reserved) return true;
  }
  return false;
}

at::Tensor converted(const Path& path,
                     const char* name,
                     const at::Tensor& map,
                     at::ScalarType dtype) {
  at::Tensor result = map.detach().to(at::kCPU).to(dtype);
  if (!result.isfinite().equal(map.detach().to(at::kCPU).isfinite())) {
    throw IoError(path,
                  std::string("cannot hold ") + name + " as " + toString(dtype) +
                      ": a value overflows; write float32");
  }
  return result;
}

const std::string& entry(const Path& path, const SafetensorsFile& file, const std::string& name) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) {
    throw IoError(path,
                  "has no metadata entry \"" + name +
                      "\"; it is not a structured Gaussian written by this program");
  }
  return found->second;
}

void check_entry(const Path& path,
                 const SafetensorsFile& file,
                 const std::string& name,
                 const std::string& expected) {
  const std::string& found = entry(path, file, name);
  if (found != expected) {
    throw IoError(path,
                  "has the metadata entry " + name + " = \"" + excerpt(found) + "\", expected \"" +
                      expected + "\"; this version cannot read it");
  }
}

std::int64_t integer_entry(const Path& path,
                           const SafetensorsFile& file,
                           const std::string& name,
                           std::int64_t lowest,
                           std::int64_t highest) {
  const std::string& text = entry(path, file, name);
  std::int64_t value = lowest - 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest ||
      value > highest) {
    throw IoError(path,
                  "has the metadata entry " + name + " = \"" + excerpt(text) +
                      "\", expected an integer in " + std::to_string(lowest) + " … " +
                      std::to_string(highest));
  }
  return value;
}

Neighbourhood order_of(const Path& path, const SafetensorsFile& file) {
  if (entry(path, file, "format_version") != kOrderVersion) {
    check_entry(path, file, "format_version", kRasterVersion);
    return Neighbourhood(integer_entry(path, file, "radius", 0, kLargestRadius));
  }
  check_entry(path, file, "order", kOrderText);
  const CoarseToFine order{.classes = integer_entry(path, file, "classes", 3, 12),
                           .neighbours = integer_entry(path, file, "neighbours", 12, 24),
                           .levels = integer_entry(path, file, "levels", 0, kMostLevels)};
  if (order.classes != 3 && order.classes != 12) {
    throw IoError(path,
                  "has the metadata entry classes = \"" + entry(path, file, "classes") +
                      "\", expected 3 or 12");
  }
  return Neighbourhood(order);
}

void write_order(const Neighbourhood& neighbourhood, std::map<std::string, std::string>& metadata) {
  if (neighbourhood.is_raster()) {
    metadata["format_version"] = kRasterVersion;
    metadata["radius"] = std::to_string(neighbourhood.radius());
    return;
  }
  const CoarseToFine& order = neighbourhood.coarse_to_fine();
  metadata["format_version"] = kOrderVersion;
  metadata["order"] = kOrderText;
  metadata["classes"] = std::to_string(order.classes);
  metadata["neighbours"] = std::to_string(order.neighbours);
  metadata["levels"] = std::to_string(order.levels);
}

std::string shape_text(at::IntArrayRef shape) {
  std::ostringstream text;
  text << shape;
  return text.str();
}

at::Tensor map_of(const Path& path, const SafetensorsFile& file, const std::string& name) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) throw IoError(path, "has no tensor \"" + name + "\"");
  const at::Tensor& map = found->second;
  const at::ScalarType dtype = map.scalar_type();
  if (dtype != at::kHalf && dtype != at::kFloat && dtype != at::kDouble) {
    throw IoError(path, "holds " + name + " as " + toString(dtype) + ", expected F16, F32 or F64");
  }
  if (!map.isfinite().all().item<bool>()) {
    throw IoError(path, "holds a value in " + name + " that is not finite; write it anew");
  }
  return dtype == at::kHalf ? map.to(at::kFloat) : map;
}

void check_map(const Path& path,
               const std::string& name,
               const at::Tensor& map,
               const at::Tensor& mean,
               std::int64_t channels) {
  std::vector<std::int64_t> expected = mean.sizes().vec();
  expected[1] = channels;
  if (map.sizes() != at::IntArrayRef(expected)) {
    throw IoError(path,
                  "holds " + name + " of shape " + shape_text(map.sizes()) + ", expected " +
                      shape_text(expected));
  }
  if (map.scalar_type() != mean.scalar_type()) {
    throw IoError(path,
                  "holds " + name + " as " + toString(map.scalar_type()) + " but mean as " +
                      toString(mean.scalar_type()));
  }
}

void check_names(const Path& path, const SafetensorsFile& file) {
  for (const auto& [name, tensor] : file.tensors) {
    if (name != "mean" && name != "log_diagonal" && name != "off_diagonal") {
      throw IoError(path,
                    "holds the unknown tensor \"" + excerpt(name) +
                        "\"; a structured Gaussian has mean, log_diagonal and off_diagonal");
    }
  }
}

}  // namespace

void write_gaussian(const Path& path, const GaussianFile& file, at::ScalarType dtype) {
  TORCH_CHECK(dtype == at::kHalf || dtype == at::kFloat || dtype == at::kDouble,
              "write_gaussian: dtype must be float16, float32 or float64, got ",
              dtype);
  SafetensorsFile out;
  for (const auto& [name, value] : file.metadata) {
    TORCH_CHECK(!is_reserved(name),
                "write_gaussian: the metadata entry \"",
                name,
                "\" is reserved; choose another name");
    out.metadata[name] = value;
  }
  const StructuredGaussian& gaussian = file.gaussian;
  out.tensors["mean"] = converted(path, "mean", gaussian.mean(), dtype);
  out.tensors["log_diagonal"] = converted(path, "log_diagonal", gaussian.log_diagonal(), dtype);
  out.tensors["off_diagonal"] = converted(path, "off_diagonal", gaussian.off_diagonal(), dtype);
  out.metadata["format"] = kFormat;
  write_order(gaussian.neighbourhood(), out.metadata);
  out.metadata["quantity"] = file.quantity;
  write_safetensors(path, out);
}

GaussianFile read_gaussian(const Path& path) {
  SafetensorsFile file = read_safetensors(path);
  check_entry(path, file, "format", kFormat);
  check_names(path, file);
  const Neighbourhood neighbourhood = order_of(path, file);
  const std::string quantity = entry(path, file, "quantity");
  const at::Tensor mean = map_of(path, file, "mean");
  if (mean.dim() != 4 || mean.size(1) != 1 || mean.numel() == 0) {
    throw IoError(path, "holds mean of shape " + shape_text(mean.sizes()) + ", expected [B,1,H,W]");
  }
  const at::Tensor log_diagonal = map_of(path, file, "log_diagonal");
  const at::Tensor off_diagonal = map_of(path, file, "off_diagonal");
  check_map(path, "log_diagonal", log_diagonal, mean, 1);
  check_map(path, "off_diagonal", off_diagonal, mean, neighbourhood.size());
  for (const char* name : kReserved) file.metadata.erase(name);
  return {{mean, log_diagonal, off_diagonal, neighbourhood}, quantity, std::move(file.metadata)};
}

}  // namespace supn
