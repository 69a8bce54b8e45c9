#include "supn/gaussian/neighbourhood.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace supn {
namespace {

constexpr std::int64_t kCoarsestRadius = 2;
constexpr std::int64_t kReach = 6;  // the nearest 24 placed pixels lie within it

// A class of a level relative to the coarser grid, in strides of the level.
struct LevelClass {
  std::int64_t step;
  std::int64_t row;
  std::int64_t column;
};

const std::vector<LevelClass>& level_classes(std::int64_t count) {
  static const std::vector<LevelClass> three{{0, 1, 1}, {1, 1, 0}, {2, 0, 1}};
  static const std::vector<LevelClass> twelve{{0, 1, 1},
                                              {1, 3, 3},
                                              {2, 1, 3},
                                              {3, 3, 1},
                                              {4, 1, 0},
                                              {4, 3, 2},
                                              {5, 1, 2},
                                              {5, 3, 0},
                                              {6, 0, 1},
                                              {6, 2, 3},
                                              {7, 0, 3},
                                              {7, 2, 1}};
  return count == 3 ? three : twelve;
}

std::int64_t period(std::int64_t classes) { return classes == 3 ? 2 : 4; }
std::int64_t steps_of_level(std::int64_t classes) { return classes == 3 ? 3 : 8; }

std::vector<Offset> raster_window(std::int64_t radius) {
  std::vector<Offset> offsets;
  offsets.reserve(static_cast<std::size_t>(2 * radius * (radius + 1)));
  for (std::int64_t dx = 1; dx <= radius; ++dx) offsets.push_back({0, dx});
  for (std::int64_t dy = 1; dy <= radius; ++dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) offsets.push_back({dy, dx});
  }
  return offsets;
}

std::int64_t remainder(std::int64_t value, std::int64_t modulus) {
  return ((value % modulus) + modulus) % modulus;
}

// The nearest offsets from `own` to positions that are placed. Equally near ones: those with less
// |dy| first, so that mirrored neighbours are taken together.
std::vector<Offset> nearest(const LevelClass& own,
                            const std::set<std::pair<std::int64_t, std::int64_t>>& placed,
                            const CoarseToFine& order) {
  const std::int64_t p = period(order.classes);
  std::vector<Offset> found;
  for (std::int64_t dy = -kReach; dy <= kReach; ++dy) {
    for (std::int64_t dx = -kReach; dx <= kReach; ++dx) {
      if (placed.contains({remainder(own.row + dy, p), remainder(own.column + dx, p)})) {
        found.push_back({dy, dx});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Offset& a, const Offset& b) {
    const auto key = [](const Offset& o) {
      return std::tuple(o.dy * o.dy + o.dx * o.dx, std::abs(o.dy), o.dy, o.dx);
    };
    return key(a) < key(b);
  });
  found.resize(static_cast<std::size_t>(order.neighbours));
  return found;
}

std::vector<std::vector<Offset>> offsets_by_class(const CoarseToFine& order) {
  std::set<std::pair<std::int64_t, std::int64_t>> placed;
  const std::int64_t p = period(order.classes);
  for (std::int64_t row = 0; row < p; row += 2) {
    for (std::int64_t column = 0; column < p; column += 2) placed.emplace(row, column);
  }
  std::vector<std::vector<Offset>> result;
  const std::vector<LevelClass>& classes = level_classes(order.classes);
  for (std::size_t first = 0; first < classes.size();) {
    std::size_t end = first;
    while (end < classes.size() && classes[end].step == classes[first].step) {
      result.push_back(nearest(classes[end++], placed, order));
    }
    for (; first < end; ++first) placed.emplace(classes[first].row, classes[first].column);
  }
  return result;
}

// They are searched for once: each loss makes neighbourhoods anew, from the numbers of a graph's
// node.
std::vector<std::vector<Offset>> known_offsets_by_class(const CoarseToFine& order) {
  static std::mutex mutex;
  static std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::vector<Offset>>> known;
  const std::lock_guard lock(mutex);
  auto& offsets = known[{order.classes, order.neighbours}];
  if (offsets.empty()) offsets = offsets_by_class(order);
  return offsets;
}

std::vector<Offset> scaled(std::vector<Offset> offsets, std::int64_t stride) {
  for (Offset& offset : offsets) offset = {offset.dy * stride, offset.dx * stride};
  return offsets;
}

}  // namespace

Neighbourhood::Neighbourhood(std::int64_t radius)
    : order_(PixelOrder::kRaster), size_(2 * radius * (radius + 1)), radius_(radius) {
  TORCH_CHECK(radius >= 0, "Neighbourhood: the radius must be 0 or more, got ", radius);
  offsets_ = raster_window(radius);
}

Neighbourhood::Neighbourhood(const CoarseToFine& order)
    : order_(PixelOrder::kCoarseToFine), size_(order.neighbours), coarse_to_fine_(order) {
  TORCH_CHECK(order.classes == 3 || order.classes == 12,
              "Neighbourhood: a level has 3 or 12 classes, got ",
              order.classes);
  TORCH_CHECK(order.neighbours >= 12 && order.neighbours <= 24,
              "Neighbourhood: the number of neighbours must be in 12 … 24, got ",
              order.neighbours);
  TORCH_CHECK(order.levels >= 0 && order.levels <= 16,
              "Neighbourhood: the number of levels must be in 0 … 16, got ",
              order.levels);
  class_offsets_ = known_offsets_by_class(order);
}

std::int64_t Neighbourhood::radius() const {
  TORCH_CHECK(is_raster(), "Neighbourhood::radius: the order is ", description());
  return radius_;
}

const std::vector<Offset>& Neighbourhood::offsets() const {
  TORCH_CHECK(is_raster(), "Neighbourhood::offsets: the order is ", description());
  return offsets_;
}

const CoarseToFine& Neighbourhood::coarse_to_fine() const {
  TORCH_CHECK(!is_raster(), "Neighbourhood::coarse_to_fine: the order is ", description());
  return coarse_to_fine_;
}

std::int64_t Neighbourhood::levels(const ImageSize& size) const {
  std::int64_t levels = coarse_to_fine().levels;
  while (levels > 0 && (std::int64_t{1} << (levels - 1)) >= std::min(size.height, size.width)) {
    --levels;
  }
  return levels;
}

std::vector<PixelClass> Neighbourhood::classes(const ImageSize& size) const {
  if (is_raster()) return {{0, 0, 0, 0, 1, offsets_}};
  const std::int64_t levels = this->levels(size);
  const std::int64_t coarsest = std::int64_t{1} << levels;
  std::vector<PixelClass> result{{0,
                                  levels,
                                  coarsest / 2,
                                  coarsest / 2,
                                  coarsest,
                                  scaled(raster_window(kCoarsestRadius), coarsest)}};
  const std::vector<LevelClass>& of_level = level_classes(coarse_to_fine_.classes);
  std::int64_t step = 1;
  for (std::int64_t level = levels - 1; level >= 0; --level) {
    const std::int64_t s = std::int64_t{1} << level;
    const std::int64_t stride = period(coarse_to_fine_.classes) * s;
    const std::int64_t origin = level == levels - 1 ? coarsest / 2 : 0;
    for (std::size_t i = 0; i < of_level.size(); ++i) {
      const PixelClass found{step + of_level[i].step,
                             level,
                             (origin + of_level[i].row * s) % stride,
                             (origin + of_level[i].column * s) % stride,
                             stride,
                             scaled(class_offsets_[i], s)};
      if (found.row < size.height && found.column < size.width) result.push_back(found);
    }
    step += steps_of_level(coarse_to_fine_.classes);
  }
  return result;
}

std::int64_t Neighbourhood::exact_sweeps(std::int64_t height, std::int64_t width) const {
  TORCH_CHECK(height > 0 && width > 0,
              "Neighbourhood::exact_sweeps: height and width must be positive, got ",
              height,
              "x",
              width);
  const auto raster = [](std::int64_t rows, std::int64_t columns, std::int64_t radius) {
    return columns + (radius + 1) * (rows - 1);
  };
  if (is_raster()) return is_diagonal() ? 1 : raster(height, width, radius_);
  const std::vector<PixelClass> all = classes({height, width});
  const PixelClass& grid = all.front();
  return raster(grid.rows({height, width}), grid.columns({height, width}), kCoarsestRadius) +
         all.back().step;
}

std::vector<std::int64_t> Neighbourhood::numbers() const {
  if (is_raster()) return {radius_};
  return {coarse_to_fine_.classes, coarse_to_fine_.neighbours, coarse_to_fine_.levels};
}

Neighbourhood Neighbourhood::of_numbers(const std::vector<std::int64_t>& numbers) {
  if (numbers.size() == 1) return Neighbourhood(numbers[0]);
  TORCH_CHECK(
      numbers.size() == 3,
      "Neighbourhood::of_numbers: expected a radius, or classes, neighbours and levels, got ",
      numbers.size(),
      " numbers");
  return Neighbourhood(
      CoarseToFine{.classes = numbers[0], .neighbours = numbers[1], .levels = numbers[2]});
}

std::string Neighbourhood::description() const {
  if (is_raster()) return "raster, radius " + std::to_string(radius_);
  return "coarse to fine, " + std::to_string(coarse_to_fine_.classes) + " classes, " +
         std::to_string(coarse_to_fine_.neighbours) + " neighbours, " +
         std::to_string(coarse_to_fine_.levels) + " levels";
}

}  // namespace supn
