#include "gaussian/ops/cpu/plane_layout.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace supn::cpu {
namespace {

constexpr std::int64_t kReach = 6;  // the farthest offset, in strides of the level
constexpr std::int64_t kAlign = 16;
// Buffers that begin at one place of a page would fight for the same few lines of the cache.
constexpr std::int64_t kPage = 1024;
constexpr std::int64_t kStagger = 5 * kAlign;
constexpr std::size_t kKeptLayouts = 8;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// These return ⌊a/b⌋ and the rest in [0, b).
std::int64_t floor_of(std::int64_t a, std::int64_t b) { return (a >= 0 ? a : a - b + 1) / b; }
std::int64_t phase_of(std::int64_t a, std::int64_t b) { return a - floor_of(a, b) * b; }

}  // namespace

PlaneLayout::PlaneLayout(const Neighbourhood& neighbourhood, const ImageSize& size)
    : size_(size), period_(neighbourhood.coarse_to_fine().classes == 3 ? 2 : 4), margin_(kAlign) {
  margin_rows_ = divided_up(kReach, period_);
  const std::vector<PixelClass> classes = neighbourhood.classes(size);
  for (std::int64_t level = 0; level < neighbourhood.levels(size); ++level) {
    add_level(level, classes);
  }
  add_coarsest(classes.front());
  words_ = divided_up(words_, kPage) * kPage + kStagger;
  if (!levels_.empty()) levels_.back().coarser = 1;
  for (PlaneLevel& level : levels_) {
    add_copies(level);
    for (Plane& plane : level.classes) add_dependants(level, plane);
  }
}

// A level of period·period planes behind those that are there.
PlaneLevel PlaneLayout::sized_level(const ImageSize& grid, std::int64_t period) {
  const std::int64_t columns = divided_up(grid.width, period);
  PlaneLevel level{};
  level.grid_rows = grid.height;
  level.grid_columns = grid.width;
  level.pitch = divided_up(columns + margin_, kAlign) * kAlign;
  level.plane_size = (divided_up(grid.height, period) + 2 * margin_rows_) * level.pitch;
  level.start = words_;
  level.part = row_words_;
  level.part_pitch = divided_up(columns, kAlign) * kAlign;
  words_ += period * period * level.plane_size;
  row_words_ += period * level.part_pitch;
  return level;
}

Plane PlaneLayout::plane_of(PlaneLevel& level,
                            const PixelClass& pixels,
                            std::int64_t period) const {
  const std::int64_t s = pixels.stride / period;
  const auto start_of = [&](std::int64_t y, std::int64_t x) {
    const std::int64_t plane = phase_of(y, period) * period + phase_of(x, period);
    return level.start + plane * level.plane_size +
           (margin_rows_ + floor_of(y, period)) * level.pitch + margin_ + floor_of(x, period);
  };
  const std::int64_t a = period == 1 ? 0 : pixels.row / s;
  const std::int64_t b = period == 1 ? 0 : pixels.column / s;
  std::int64_t delay = 0;
  Plane plane{0,
              pixels.row,
              pixels.column,
              pixels.stride,
              pixels.offsets,
              pixels.rows(size_),
              pixels.columns(size_),
              start_of(a, b),
              level.part + b * level.part_pitch,
              {},
              {},
              {}};
  plane.taps.push_back({plane.start, 0, plane.columns});
  plane.inner_end = plane.columns;
  for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
    const Offset& offset = pixels.offsets[k];
    const std::int64_t y = a + offset.dy / s;
    for (const Plane& earlier : level.classes) {
      if (phase_of(pixels.row + offset.dy - earlier.row, pixels.stride) != 0) continue;
      if (phase_of(pixels.column + offset.dx - earlier.column, pixels.stride) != 0) continue;
      delay = std::max(delay, earlier.turn - earlier.row / s + offset.dy / s);
    }
    const std::int64_t first = pixels.column + offset.dx;
    const std::int64_t end = count_of(size_.width - first, 0, pixels.stride);
    const std::int64_t begin = first >= 0 ? 0 : divided_up(-first, pixels.stride);
    const std::int64_t field = start_of(y, b + offset.dx / s);
    plane.neighbours.push_back(
        {static_cast<std::int64_t>(k), plane.start - margin_, margin_, field});
    const planes::Tap tap{field, std::min(begin, plane.columns), std::min(end, plane.columns)};
    plane.taps.push_back(tap);
    plane.inner_begin = std::max(plane.inner_begin, tap.begin);
    plane.inner_end = std::min(plane.inner_end, tap.end);
  }
  plane.turn = a + delay;
  level.delay = std::max(level.delay, delay);
  return plane;
}

void PlaneLayout::add_level(std::int64_t level, const std::vector<PixelClass>& classes) {
  const std::int64_t s = std::int64_t{1} << level;
  PlaneLevel added =
      sized_level({divided_up(size_.height, s), divided_up(size_.width, s)}, period_);
  for (const PixelClass& pixels : classes) {
    if (pixels.level != level || pixels.step == 0) continue;
    added.classes.push_back(plane_of(added, pixels, period_));
  }
  levels_.push_back(std::move(added));
}

void PlaneLayout::add_coarsest(const PixelClass& pixels) {
  coarsest_ = sized_level({pixels.rows(size_), pixels.columns(size_)}, 1);
  // To the right of the last row of margin lies a row more; behind other levels the next one's.
  coarsest_.plane_size += coarsest_.pitch;
  words_ += coarsest_.pitch;
  coarsest_.classes.push_back(plane_of(coarsest_, pixels, 1));
  add_dependants(coarsest_, coarsest_.classes.front());
}

void PlaneLayout::add_copies(PlaneLevel& level) const {
  for (std::int64_t a = level.coarser; a < period_; a += 2) {
    for (std::int64_t b = level.coarser; b < period_; b += 2) {
      Plane plane{0,
                  a,
                  b,
                  period_,
                  {},
                  count_of(level.grid_rows, a, period_),
                  count_of(level.grid_columns, b, period_),
                  row_start(level, a, b, 0) + margin_,
                  level.part + b * level.part_pitch,
                  {},
                  {},
                  {}};
      if (plane.rows == 0 || plane.columns == 0) continue;
      add_dependants(level, plane);
      level.copies.push_back(std::move(plane));
    }
  }
}

// Pixel n of a class adds ψ_k[n]·x[n] to its neighbour: seen from there, the coefficient and x are
// both read at the same shifted place of the class's plane.
void PlaneLayout::add_dependants(const PlaneLevel& level, Plane& target) const {
  const std::int64_t plane =
      level.start + (target.start - level.start) / level.plane_size * level.plane_size;
  for (auto source = level.classes.rbegin(); source != level.classes.rend(); ++source) {
    for (const PlaneTerm& term : source->neighbours) {
      if (term.field < plane || term.field >= plane + level.plane_size) continue;
      const std::int64_t place = source->start - (term.field - target.start);
      const std::int64_t column = (place - level.start) % level.pitch;
      target.dependants.push_back({term.channel, place - column, column, place});
    }
  }
}

std::shared_ptr<const PlaneLayout> shared_layout(const Neighbourhood& neighbourhood,
                                                 const ImageSize& size) {
  struct Kept {
    Neighbourhood neighbourhood;
    std::shared_ptr<const PlaneLayout> layout;
  };
  static std::mutex mutex;
  static std::deque<Kept> latest;
  const std::lock_guard lock(mutex);
  for (const Kept& kept : latest) {
    if (kept.layout->size() == size && kept.neighbourhood == neighbourhood) return kept.layout;
  }
  latest.push_front({neighbourhood, std::make_shared<const PlaneLayout>(neighbourhood, size)});
  if (latest.size() > kKeptLayouts) latest.pop_back();
  return latest.front().layout;
}

}  // namespace supn::cpu
