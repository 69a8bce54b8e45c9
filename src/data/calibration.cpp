#include "supn/data/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kLargestCalibration = std::uintmax_t{1} << 20;
constexpr double kLargestSide = 65536.0;
// Published rotations are rounded to seven digits.
constexpr double kRotationTolerance = 1e-3;

using Matrix4 = std::array<double, 16>;

[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& fault) {
  throw IoError(file.string() + ':' + std::to_string(line),
                fault + "; take KITTI's calibration of the day of the drive");
}

// The lines of one file by their keys; values are read when they are asked for.
class CalibrationFile {
 public:
  explicit CalibrationFile(std::filesystem::path path);
  std::vector<double> numbers(const std::string& key, std::size_t count) const;
  // Reads numbers, checked to be a rotation, into a 4×4 matrix with the translation (three numbers,
  // or none).
  Matrix4 rotation(const std::string& key, const std::vector<double>& translation) const;
  ImageSize size(const std::string& key) const;

 private:
  struct Entry {
    int line = 0;
    std::string values;
  };
  const Entry& entry(const std::string& key) const;

  std::filesystem::path path_;
  std::map<std::string, Entry> entries_;
};

CalibrationFile::CalibrationFile(std::filesystem::path path) : path_(std::move(path)) {
  std::istringstream stream(read_text(path_, kLargestCalibration));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) {
      fail(path_, number, "expected `key: values`, found '" + excerpt(line) + "'");
    }
    const auto [place, is_new] =
        entries_.try_emplace(line.substr(0, colon), Entry{number, line.substr(colon + 1)});
    if (!is_new) {
      fail(path_,
           number,
           excerpt(place->first) + " is given again, first in line " +
               std::to_string(place->second.line));
    }
  }
}

const CalibrationFile::Entry& CalibrationFile::entry(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  throw IoError(path_, "has no line " + key + ": ...; take KITTI's calibration of the day");
}

std::vector<double> CalibrationFile::numbers(const std::string& key, std::size_t count) const {
  const Entry& found = entry(key);
  std::istringstream words(found.values);
  std::vector<double> values;
  for (std::string word; words >> word;) {
    const auto value = parse_number<double>(word);
    if (!value || !std::isfinite(value.value)) {
      fail(path_, found.line, key + ": '" + excerpt(word) + "' is not a finite number");
    }
    values.push_back(value.value);
  }
  if (values.size() != count) {
    fail(path_,
         found.line,
         key + ": expected " + std::to_string(count) + " numbers, found " +
             std::to_string(values.size()));
  }
  return values;
}

Matrix4 CalibrationFile::rotation(const std::string& key,
                                  const std::vector<double>& translation) const {
  const std::vector<double> r = numbers(key, 9);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < 3; ++k) product += r[3 * i + k] * r[3 * j + k];
      if (std::abs(product - (i == j ? 1.0 : 0.0)) > kRotationTolerance) {
        fail(path_, entry(key).line, key + ": is not a rotation (its rows are not orthonormal)");
      }
    }
  }
  Matrix4 matrix{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix[4 * i + j] = r[3 * i + j];
    if (!translation.empty()) matrix[4 * i + 3] = translation[i];
  }
  matrix[15] = 1.0;
  return matrix;
}

ImageSize CalibrationFile::size(const std::string& key) const {
  const std::vector<double> sides = numbers(key, 2);
  for (const double side : sides) {
    if (side < 1.0 || side > kLargestSide || side != std::floor(side)) {
      fail(path_, entry(key).line, key + ": expected the image's width and height in pixels");
    }
  }
  return {static_cast<std::int64_t>(sides[1]), static_cast<std::int64_t>(sides[0])};
}

// Returns a [3,4] times b [4,4].
std::array<double, 12> product(const std::array<double, 12>& a, const Matrix4& b) {
  std::array<double, 12> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k) result[4 * i + j] += a[4 * i + k] * b[4 * k + j];
    }
  }
  return result;
}

}  // namespace

LidarCamera read_lidar_camera(const std::filesystem::path& folder, Camera camera) {
  const CalibrationFile cameras(folder / "calib_cam_to_cam.txt");
  const CalibrationFile scanner(folder / "calib_velo_to_cam.txt");
  const std::string suffix = camera == Camera::kLeft ? "_02" : "_03";
  const std::vector<double> rows = cameras.numbers("P_rect" + suffix, 12);
  std::array<double, 12> projection{};
  std::copy(rows.begin(), rows.end(), projection.begin());
  const Matrix4 rectification = cameras.rotation("R_rect_00", {});
  const Matrix4 to_camera = scanner.rotation("R", scanner.numbers("T", 3));
  return {product(product(projection, rectification), to_camera), cameras.size("S_rect" + suffix)};
}

}  // namespace supn
