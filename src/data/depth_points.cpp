#include "supn/data/depth_points.hpp"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/parse_number.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kLargestList = std::uintmax_t{1} << 28;
constexpr const char* kHeader = "x,y,depth_m";
constexpr const char* kHeaderWithStd = "x,y,depth_m,std_m";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::string quoted(std::string_view text) { return "'" + excerpt(text) + "'"; }

// Takes the lines one by one.
class PointReader {
 public:
  PointReader(const std::filesystem::path& path, const ImageSize& size)
      : path_(path), size_(size), points_{at::zeros({size.height, size.width}, at::kDouble)} {}

  void take(std::string_view line, int number);
  DepthPointMaps points() const;

 private:
  [[noreturn]] void fail(const std::string& fault) const {
    throw IoError(path_.string() + ':' + std::to_string(line_), fault);
  }
  void take_header(std::string_view text);
  std::int64_t coordinate(std::string_view text, const char* name, std::int64_t length) const;
  double metres(std::string_view text, const char* name, double least) const;

  const std::filesystem::path& path_;
  ImageSize size_;
  DepthPointMaps points_;
  std::map<std::int64_t, int> lines_;  // pixel -> line that gave it
  bool has_header_ = false;
  int line_ = 0;
};

void PointReader::take(std::string_view line, int number) {
  line_ = number;
  const std::string_view text = trimmed(line);
  if (text.empty() || text.front() == '#') return;
  if (!has_header_) return take_header(text);
  const std::vector<std::string_view> fields = fields_of(text);
  const bool has_std = points_.std_m.defined();
  if (fields.size() != (has_std ? 4 : 3)) {
    fail("expected " + std::string(has_std ? "four" : "three") + " fields, " +
         (has_std ? kHeaderWithStd : kHeader) + ", found " + quoted(text));
  }
  const std::int64_t x = coordinate(fields[0], "x", size_.width);
  const std::int64_t y = coordinate(fields[1], "y", size_.height);
  const std::int64_t pixel = y * size_.width + x;
  const auto [first, is_new] = lines_.emplace(pixel, line_);
  if (!is_new) {
    fail("pixel " + std::to_string(x) + "," + std::to_string(y) +
         " is given again, first in line " + std::to_string(first->second) + "; keep one of them");
  }
  points_.depth_m.mutable_data_ptr<double>()[pixel] =
      metres(fields[2], "depth_m", std::numeric_limits<double>::min());
  if (has_std) points_.std_m.mutable_data_ptr<double>()[pixel] = metres(fields[3], "std_m", 0.0);
}

void PointReader::take_header(std::string_view text) {
  std::string header;
  for (const std::string_view field : fields_of(text)) {
    header += (header.empty() ? "" : ",") + std::string(field);
  }
  if (header != kHeader && header != kHeaderWithStd) {
    fail("expected the header " + std::string(kHeader) + " or " + kHeaderWithStd + ", found " +
         quoted(text));
  }
  if (header == kHeaderWithStd) points_.std_m = at::zeros_like(points_.depth_m);
  has_header_ = true;
}

std::int64_t PointReader::coordinate(std::string_view text,
                                     const char* name,
                                     std::int64_t length) const {
  const auto parsed = parse_number<std::int64_t>(text);
  if (!parsed || parsed.value < 0 || parsed.value >= length) {
    fail(std::string(name) + " is " + quoted(text) + ", expected a whole number in 0 ... " +
         std::to_string(length - 1) + ", a pixel of the image (" + size_text(size_) + ")");
  }
  return parsed.value;
}

double PointReader::metres(std::string_view text, const char* name, double least) const {
  const auto parsed = parse_number<double>(text);
  if (!parsed || !std::isfinite(parsed.value) || parsed.value < least) {
    fail(std::string(name) + " is " + quoted(text) + ", expected a " +
         (least > 0.0 ? "positive number" : "number, not negative,") + " of metres");
  }
  return parsed.value;
}

DepthPointMaps PointReader::points() const {
  if (lines_.empty()) {
    throw IoError(
        path_,
        "names no points; write the header " + std::string(kHeader) + " and a line for each point");
  }
  return points_;
}

}  // namespace

DepthPointMaps read_depth_points(const std::filesystem::path& path, const ImageSize& size) {
  std::istringstream stream(read_text(path, kLargestList));
  PointReader reader(path, size);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) reader.take(line, number);
  return reader.points();
}

}  // namespace supn
