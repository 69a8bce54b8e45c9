#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "scan_points.hpp"
#include "supn/data/lidar.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

// KITTI's scans hold about 120,000 points.
constexpr std::uintmax_t kLargestScan = std::uintmax_t{1} << 28;
constexpr float kFarthest = 500.0F;  // metres; laser scanners of cars see some 250
constexpr float kMostReflectance = 65535.0F;
constexpr float kLeast = 1e-20F;
// One implausible point in a hundred may be the scanner's own fault.
constexpr double kFewPoints = 0.01;
constexpr double kMillimetres = 1000.0;

struct ForeignFormat {
  std::string_view start;
  const char* name;
  const char* remedy;
};
constexpr std::array<ForeignFormat, 12> kForeignFormats{{
    {"\x93NUMPY", "a NumPy array (.npy)", "numpy.load(file).astype(numpy.float32).tofile(scan)"},
    {"PK\x03\x04", "a zip file (.npz?)", "unpack it, and write x, y, z, reflectance as float32"},
    {"# .PCD", "a point cloud (.pcd)", "write its x, y, z, intensity as float32"},
    {"VERSION", "a point cloud (.pcd)", "write its x, y, z, intensity as float32"},
    {"ply\n", "a point cloud (.ply)", "write its x, y, z, intensity as float32"},
    {"ply\r", "a point cloud (.ply)", "write its x, y, z, intensity as float32"},
    {"LASF", "a point cloud (.las)", "write its x, y, z, intensity as float32"},
    {"\x89HDF", "an HDF5 file", "write its x, y, z, reflectance as float32"},
    {"\x89PNG", "a PNG image", "give depth images by --depth"},
    {"\xff\xd8\xff", "a JPEG image", "give a laser scan"},
    {"\x1f\x8b", "compressed by gzip", "unpack it"},
    {"#ROSBAG", "a ROS bag", "write its x, y, z, intensity as float32"},
}};

void refuse_foreign_format(const std::filesystem::path& path, std::string_view bytes) {
  for (const ForeignFormat& format : kForeignFormats) {
    if (!bytes.starts_with(format.start)) continue;
    throw IoError(path,
                  std::string("is ") + format.name + ", not a laser scan (float32 x, y, z, " +
                      "reflectance without a header); convert it: " + format.remedy);
  }
  const std::string_view start = bytes.substr(0, 64);
  const bool is_text = std::all_of(start.begin(), start.end(), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
  if (is_text && start.size() >= 16) {
    throw IoError(path,
                  "is a text, not a laser scan (float32 x, y, z, reflectance without a header); "
                  "convert it: numpy.loadtxt(file, dtype=numpy.float32).tofile(scan)");
  }
}

// Says how a scan's numbers may lie in a file.
struct Layout {
  std::int64_t columns = 4;
  std::size_t width = sizeof(float);
  bool swapped = false;  // big-endian
  double unit = 1.0;     // of the coordinates, in a metre
};

template <class Number>
float number_at(const char* place, const Layout& layout) {
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), place, bytes.size());
  if (layout.swapped) std::reverse(bytes.begin(), bytes.end());
  Number value{};
  std::memcpy(&value, bytes.data(), bytes.size());
  return static_cast<float>(value);
}

// Returns x, y, z in metres and reflectance, float32 [P,4]; nothing where the bytes don't make
// whole points.
std::optional<at::Tensor> points_of(std::string_view bytes, const Layout& layout) {
  const std::size_t point_bytes = static_cast<std::size_t>(layout.columns) * layout.width;
  if (bytes.empty() || bytes.size() % point_bytes != 0) return std::nullopt;
  const auto count = static_cast<std::int64_t>(bytes.size() / point_bytes);
  at::Tensor points = at::zeros({count, 4}, at::kFloat);
  float* out = points.mutable_data_ptr<float>();
  const auto columns = static_cast<std::size_t>(std::min<std::int64_t>(layout.columns, 4));
  for (const char* point = bytes.data(); point != bytes.data() + bytes.size();
       point += point_bytes, out += 4) {
    for (std::size_t c = 0; c < columns; ++c) {
      const char* place = point + c * layout.width;
      out[c] = layout.width == sizeof(double) ? number_at<double>(place, layout)
                                              : number_at<float>(place, layout);
      if (c < 3) out[c] = static_cast<float>(out[c] / layout.unit);
    }
  }
  return points;
}

// The share of points that no scanner gives, of those with finite coordinates; a scan of nothing
// else is none, nor is one whose points are nearly all at the scanner itself.
double implausible_share(const at::Tensor& points) {
  const float* point = points.const_data_ptr<float>();
  std::int64_t finite = 0;
  std::int64_t implausible = 0;
  std::int64_t zero = 0;
  for (std::int64_t i = 0; i < points.size(0); ++i, point += 4) {
    if (!std::isfinite(point[0]) || !std::isfinite(point[1]) || !std::isfinite(point[2])) continue;
    ++finite;
    implausible += is_plausible_point(point) ? 0 : 1;
    zero += point[0] == 0.0F && point[1] == 0.0F && point[2] == 0.0F ? 1 : 0;
  }
  const std::int64_t kept = finite - zero;
  return kept == 0 ? 1.0 : static_cast<double>(implausible) / static_cast<double>(kept);
}

// False where nine points of ten lie within a step of the scanner, as in a wrong layout or unit.
bool reaches_out(const at::Tensor& points) {
  const at::Tensor far = points.narrow(1, 0, 2).abs().gt(1.0).any(1);
  return 10 * far.sum().item<std::int64_t>() > points.size(0);
}

bool is_scan(const std::optional<at::Tensor>& points) {
  return points && implausible_share(*points) <= kFewPoints && reaches_out(*points);
}

// Names the scans that the bytes would be; of several, the reader knows which.
std::string guess(std::string_view bytes, std::int64_t columns) {
  struct Candidate {
    Layout layout;
    const char* advice;
  };
  const Candidate candidates[] = {
      {{.columns = columns, .unit = kMillimetres},
       "it looks like millimetres or centimetres: give x, y, z in metres"},
      {{.columns = columns, .width = sizeof(double)},
       "it looks like float64: numpy.fromfile(file, numpy.float64).astype(numpy.float32)"
       ".tofile(scan)"},
      {{.columns = columns, .swapped = true},
       "it looks big-endian: numpy.fromfile(file, '>f4').astype('<f4').tofile(scan)"},
      {{.columns = 4}, "it looks like 4 columns: leave out --lidar-columns"},
      {{.columns = 5}, "it looks like 5 columns: give --lidar-columns 5"},
      {{.columns = 6}, "it looks like 6 columns: give --lidar-columns 6"},
      {{.columns = 3}, "it looks like 3 columns: give --lidar-columns 3"},
      {{.columns = 3, .width = sizeof(double)},
       "it looks like float64 of 3 columns: numpy.fromfile(file, numpy.float64)"
       ".astype(numpy.float32).tofile(scan), then --lidar-columns 3"}};
  std::string guesses;
  for (const Candidate& candidate : candidates) {
    if (!is_scan(points_of(bytes, candidate.layout))) continue;
    guesses += (guesses.empty() ? "" : ", or ") + std::string(candidate.advice);
  }
  return guesses.empty() ? "the file is damaged or no scan: copy it again" : guesses;
}

std::string columns_text(std::int64_t columns) {
  if (columns == 3) return "float32 x, y, z";
  return columns == 4 ? "float32 x, y, z, reflectance"
                      : std::to_string(columns) + " columns of float32: x, y, z, reflectance, …";
}

}  // namespace

bool is_plausible_point(const float* point) {
  for (int c = 0; c < 4; ++c) {
    const float size = std::abs(point[c]);
    if (size > 0.0F && size < kLeast) return false;
    if (c < 3 && size > kFarthest) return false;
  }
  return point[3] >= 0.0F && point[3] <= kMostReflectance;
}

at::Tensor read_lidar_scan(const std::filesystem::path& path, std::int64_t columns) {
  TORCH_CHECK(columns >= 3 && columns <= kMostLidarColumns,
              "read_lidar_scan: expected 3 to ",
              kMostLidarColumns,
              " columns, got ",
              columns);
  const std::string bytes = read_file(path, kLargestScan);
  refuse_foreign_format(path, bytes);
  const std::optional<at::Tensor> points = points_of(bytes, {.columns = columns});
  if (!points) {
    throw IoError(path,
                  "expected a laser scan of " +
                      std::to_string(columns * static_cast<std::int64_t>(sizeof(float))) +
                      " bytes a point (" + columns_text(columns) + "), found " +
                      std::to_string(bytes.size()) + " bytes; " + guess(bytes, columns));
  }
  const double share = implausible_share(*points);
  if (share <= kFewPoints) return *points;
  throw IoError(path,
                "cannot be a laser scan in metres (" + columns_text(columns) +
                    "): " + std::to_string(static_cast<int>(std::ceil(100.0 * share))) +
                    " % of its points lie beyond " + std::to_string(static_cast<int>(kFarthest)) +
                    " m, have a negative reflectance or are no numbers of a scanner; " +
                    guess(bytes, columns));
}

}  // namespace supn
