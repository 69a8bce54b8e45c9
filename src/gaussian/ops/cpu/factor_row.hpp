// Row y of a factor where its maps lie, level by level, beside one image's samples in planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/grid_rows.hpp"
#include "gaussian/ops/cpu/plane_rows.hpp"

namespace supn::cpu {

// A level takes its pixels from the row and hands the others on: every second pixel of every second
// row, a row of the next level. What couples a pixel to a neighbour outside the image is left out,
// whatever the map holds.
template <typename T>
class FactorRow {
 public:
  using Classes = std::span<planes::ClassProducts<T>>;

  // The maps must be contiguous.
  FactorRow(const FactorMaps& maps, const Buffers<T>& x);

  // Returns how many numbers a row has that is handed on.
  std::int64_t handed_words() const { return channels_ * coarser_apart_; }

  // run(level, classes by phase, the row for the kernels, its shape) for those of the levels that
  // have row y of image b, the coarsest grid first. The row refers to the classes, whose z is for
  // run to set. Where not all levels are asked for, `between` is the row that the finer of them
  // hand on and the coarser begin with.
  template <typename Run>
  void take(std::int64_t b, std::int64_t y, const LevelRange& levels, T* between, const Run& run) {
    const auto coarsest = static_cast<std::int64_t>(layout_.levels().size());
    const Plane& grid = layout_.grid();
    const bool has_grid = levels.end > coarsest && y % grid.stride == grid.row;
    if (!has_grid && y % (std::int64_t{1} << levels.begin) != 0) return;
    read(b, y);
    if (has_grid) {
      const std::vector<const T*> maps(coefficients_);
      start_coarsest(y);
      run_level(layout_.coarsest(), grid.taps.size(), grid.columns, nullptr, run);
      coefficients_ = maps;
    }
    if (levels.begin > 0) read_handed(between);
    const std::int64_t end = std::min(levels.end, coarsest);
    for (std::int64_t l = levels.begin; l < end && y % (std::int64_t{1} << l) == 0; ++l) {
      const PlaneLevel& level = layout_.levels()[static_cast<std::size_t>(l)];
      start_level(l, y);
      const bool hands_on = l + 1 < coarsest && (y >> l) % 2 == 0;
      T* const coarser = l + 1 == levels.end ? between : coarser_.data();
      run_level(level, coefficients_.size(), level.grid_columns, hands_on ? coarser : nullptr, run);
      if (hands_on) read_handed(coarser);
    }
  }
  // Row y of e^φ as the image has it.
  const T* diagonal() const { return diagonal_.data(); }

 private:
  void read(std::int64_t b, std::int64_t y);
  void read_handed(const T* row);
  // These collect the classes of the row.
  void start_coarsest(std::int64_t y);
  void start_level(std::int64_t l, std::int64_t y);
  void add_class(const PlaneLevel& level, const Plane& plane, std::int64_t phase, std::int64_t y);

  template <typename Run>
  void run_level(
      const PlaneLevel& level, std::size_t taps, std::int64_t columns, T* coarser, const Run& run) {
    const planes::GridRow<T> row{
        std::span<const T* const>(coefficients_).first(taps), classes_, coarser, coarser_apart_};
    run(level, Classes(classes_), row, planes::RowShape{columns, x_.count(), layout_.words()});
  }

  const FactorMaps& maps_;
  const Buffers<T>& x_;
  const PlaneLayout& layout_;
  std::int64_t channels_;  // K + 1, the diagonal being the first
  std::int64_t coarser_apart_;
  AlignedBuffer<T> diagonal_;
  AlignedBuffer<T> coarser_;  // what the last level handed on
  std::vector<const T*> coefficients_;
  const std::vector<planes::Tap> no_taps_;  // of a phase without a class
  std::vector<planes::Tap> taps_;           // of each phase whose class lacks a row of neighbours
  std::vector<planes::ClassProducts<T>> classes_;
};

}  // namespace supn::cpu
