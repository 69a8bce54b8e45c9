#include "gaussian/ops/cpu/plane_layout.hpp"

#include <algorithm>
#include <cstdlib>

namespace supn::cpu {
namespace {

constexpr std::int64_t kReach = 6;  // the farthest offset, in strides of the level
constexpr std::int64_t kAlign = 16;
// Buffers that begin at one place of a page would fight for the same few lines of the cache.
constexpr std::int64_t kPage = 1024;
constexpr std::int64_t kStagger = 5 * kAlign;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// These return ⌊a/b⌋ and the rest in [0, b).
std::int64_t floor_of(std::int64_t a, std::int64_t b) { return (a >= 0 ? a : a - b + 1) / b; }
std::int64_t phase_of(std::int64_t a, std::int64_t b) { return a - floor_of(a, b) * b; }

// Counts the pixels phase, phase + period, … below `length`.
std::int64_t count_of(std::int64_t length, std::int64_t phase, std::int64_t period) {
  return length > phase ? (length - phase - 1) / period + 1 : 0;
}

}  // namespace

PlaneLayout::PlaneLayout(const Neighbourhood& neighbourhood, const ImageSize& size)
    : size_(size), period_(neighbourhood.coarse_to_fine().classes == 3 ? 2 : 4) {
  margin_ = divided_up(kReach, period_);
  const std::vector<PixelClass> classes = neighbourhood.classes(size);
  for (std::int64_t level = 0; level < neighbourhood.levels(size); ++level) {
    add_level(level, classes);
  }
  coarsest_class_ = classes.front();
  coarsest_ = {coarsest_class_.rows(size), coarsest_class_.columns(size)};
  coarsest_start_ = words_;
  coarsest_pitch_ = divided_up(coarsest_pixels(), kAlign) * kAlign;
  words_ += coarsest_pitch_;
  words_ = divided_up(words_, kPage) * kPage + kStagger;
  if (!levels_.empty()) levels_.back().coarser = 1;
  for (PlaneLevel& level : levels_) {
    add_copies(level);
    for (Plane& plane : level.classes) add_dependants(level, plane);
  }
}

void PlaneLayout::add_level(std::int64_t level, const std::vector<PixelClass>& classes) {
  const std::int64_t s = std::int64_t{1} << level;
  PlaneLevel added;
  added.grid_rows = divided_up(size_.height, s);
  added.grid_columns = divided_up(size_.width, s);
  const std::int64_t rows = divided_up(added.grid_rows, period_) + 2 * margin_;
  const std::int64_t columns = divided_up(added.grid_columns, period_) + 2 * margin_;
  added.pitch = divided_up(columns, kAlign) * kAlign;
  added.plane_size = rows * added.pitch;
  added.start = words_;
  added.coarser = 0;
  added.lag = 0;
  words_ += period_ * period_ * added.plane_size;
  std::int64_t first_step = -1;
  for (const PixelClass& pixels : classes) {
    if (pixels.level != level || pixels.step == 0) continue;
    if (first_step < 0) first_step = pixels.step;
    const std::int64_t a = pixels.row / s;
    const std::int64_t b = pixels.column / s;
    Plane plane{pixels.step - first_step,
                pixels.row,
                pixels.column,
                pixels.stride,
                pixels.offsets,
                pixels.rows(size_),
                pixels.columns(size_),
                row_start(added, a, b, 0) + margin_,
                {},
                {}};
    for (std::size_t k = 0; k < pixels.offsets.size(); ++k) {
      const std::int64_t y = a + pixels.offsets[k].dy / s;
      const std::int64_t x = b + pixels.offsets[k].dx / s;
      const std::int64_t field =
          row_start(added, phase_of(y, period_), phase_of(x, period_), floor_of(y, period_)) +
          margin_ + floor_of(x, period_);
      added.lag = std::max(added.lag, std::abs(floor_of(y, period_)));
      plane.neighbours.push_back(
          {static_cast<std::int64_t>(k), plane.start - margin_, margin_, field});
    }
    added.classes.push_back(std::move(plane));
  }
  levels_.push_back(std::move(added));
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

}  // namespace supn::cpu
