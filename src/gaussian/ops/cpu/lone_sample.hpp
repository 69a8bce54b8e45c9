// This substitution solves for one sample of one image: a lane is a row, where the image is large
// enough, and strips of rows are shared out to threads; else row by row.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/kernels/rows.hpp"
#include "gaussian/kernels/rows_in_lanes.hpp"
#include "gaussian/kernels/substitution.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"

namespace supn::cpu {

// Narrower images are mostly edge.
template <typename T>
bool rows_fit_lanes(const FactorView<T>& view) {
  return (view.radius == 1 || view.radius == 2) && view.height >= rows_of_strip<T>() &&
         view.width >= 64;
}

// Rows [first, first + count) of the image.
struct Rows {
  std::int64_t first;
  std::int64_t count;
};

// Holds one sample: its solution is in sink.values, from which residuals are taken and to which the
// mean is added last.
template <Side kSide, typename T>
class LoneSample {
 public:
  LoneSample(const FactorView<T>& view, const RightHandSide<T>& b, const Sink<T>& sink)
      : view_(view),
        b_(b),
        sink_(sink),
        squares_(sink.residual_squares == nullptr ? 0 : static_cast<std::size_t>(view.height)) {}

  void solve_by_rows() {
    Scratch scratch(view_, view_.height);
    const Rows all{0, view_.height};
    const T* b = right_hand_side(all, scratch);
    for (std::int64_t i = 0; i < view_.height; ++i) {
      const std::int64_t y = kSide == Side::kLater ? view_.height - 1 - i : i;
      const std::int64_t start = y * view_.width;
      row::substitute<kSide, T>(sink_.values + start, b + start, row_of(y, T{-1}, scratch));
    }
    measure(all, b, scratch);
    finish();
  }

  // For images that rows_fit_lanes. Strips are claimed in order, so that a strip whose turn it is
  // waits only for strips that some thread is at. It must not throw: others may wait for the strip.
  void solve_by_strips() {
    const std::int64_t height = rows_of_strip<T>();
    const std::int64_t count = (view_.height + height - 1) / height;
    std::vector<Finished> progress(static_cast<std::size_t>(count));
    std::atomic<std::int64_t> next{0};
    const std::int64_t workers = std::min<std::int64_t>(at::get_num_threads(), count);
    at::parallel_for(0, workers, 1, [&](std::int64_t, std::int64_t) {
      Scratch scratch(view_, height);
      for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t first = i * height;
        const std::int64_t rows = std::min(height, view_.height - first);
        const Rows in_memory{kSide == Side::kLater ? view_.height - first - rows : first, rows};
        const T* b = right_hand_side(in_memory, scratch);
        solve_rows_in_lanes<kSide>(
            view_,
            Strip<T>{first, b, sink_.values},
            {i == 0 ? nullptr : &progress[at - 1].blocks, &progress[at].blocks});
        measure(in_memory, b, scratch);
      }
    });
    finish();
  }

 private:
  struct Squares {
    double residual;
    double rhs;
  };

  // Each thread has its own.
  struct Scratch {
    Scratch(const FactorView<T>& view, std::int64_t rows)
        : noise(rows * view.width + 3), diagonal(view.width), residual(view.width) {}
    AlignedBuffer<T> noise;
    AlignedBuffer<T> diagonal;
    AlignedBuffer<T> residual;
  };

  // Says how far strips are, for the strips that wait for them.
  struct alignas(64) Finished {
    std::atomic<std::int64_t> blocks{0};
  };

  // Returns the right-hand side of some rows. Normals come in blocks of four pixels.
  const T* right_hand_side(const Rows& rows, const Scratch& scratch) const {
    const std::int64_t first = rows.first * view_.width;
    if (b_.field != nullptr) return b_.field + first;
    const std::int64_t lead = first % 4;
    NoiseStream stream = b_.noise;
    stream.first_block += static_cast<std::uint64_t>(first / 4);
    fill_standard_normal(scratch.noise.data(), stream, lead + rows.count * view_.width);
    return scratch.noise.data() + lead;
  }

  // Returns row y with the diagonal e^{sign·φ}.
  row::FactorRow<T> row_of(std::int64_t y, T sign, const Scratch& scratch) const {
    const std::int64_t start = y * view_.width;
    row::exponential<T>(scratch.diagonal.data(), view_.log_diagonal + start, sign, view_.width);
    return {view_, y, scratch.diagonal.data(), sink_.values + start};
  }

  // ‖Lᵀs − b‖² and ‖b‖² of rows that are solved.
  void measure(const Rows& rows, const T* b, const Scratch& scratch) {
    if (sink_.residual_squares == nullptr) return;
    const std::int64_t width = view_.width;
    for (std::int64_t y = rows.first; y < rows.first + rows.count; ++y, b += width) {
      T* z = scratch.residual.data();
      row::product<Side::kLater, T>(z, row_of(y, T{1}, scratch));
      for (std::int64_t x = 0; x < width; ++x) z[x] -= b[x];
      squares_[static_cast<std::size_t>(y)] = {row::sum_of_squares<T>(z, width),
                                               row::sum_of_squares<T>(b, width)};
    }
  }

  void finish() {
    if (sink_.residual_squares != nullptr) {
      Squares total{0.0, 0.0};
      for (const Squares& row : squares_) {
        total.residual += row.residual;
        total.rhs += row.rhs;
      }
      *sink_.residual_squares = total.residual;
      *sink_.rhs_squares = total.rhs;
    }
    if (sink_.mean == nullptr) return;
    at::parallel_for(0, view_.pixels(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sink_.values[i] = sink_.mean[i] + sink_.values[i];
    });
  }

  FactorView<T> view_;
  RightHandSide<T> b_;
  Sink<T> sink_;
  std::vector<Squares> squares_;  // of every row, added up in their order, whoever did them
};

}  // namespace supn::cpu
