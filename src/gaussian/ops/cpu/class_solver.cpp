#include "gaussian/ops/cpu/class_solver.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "gaussian/kernels/rows.hpp"
#include "gaussian/ops/cpu/plane_rows.hpp"
#include "gaussian/ops/cpu/plane_solver.hpp"

namespace supn::cpu {
namespace {

template <typename T>
std::int64_t lane_words(const PlaneLayout& layout, std::int64_t samples) {
  const by_class::Places places(layout.size(), layout.period());
  return samples < ClassSolver<T>::kFewestInLanes ? 0 : places.count() * by_class::kMostLanes<T>;
}

// Draws the noise of the samples into images of so many pixels.
template <typename T>
void draw(const NoiseStream& noise, std::int64_t samples, std::int64_t pixels, T* images) {
  constexpr std::int64_t kBlocksAtOnce = 1024;
  for (std::int64_t s = 0; s < samples; ++s, images += pixels) {
    at::parallel_for(0, (pixels + 3) / 4, kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
      NoiseStream stream = noise;
      stream.sample += static_cast<std::uint64_t>(s);
      stream.first_block += static_cast<std::uint64_t>(begin);
      fill_standard_normal(images + 4 * begin, stream, std::min(4 * end, pixels) - 4 * begin);
    });
  }
}

}  // namespace

template <typename T>
ClassSolver<T>::ClassSolver(const PlaneFactor<T>& factor, std::int64_t samples)
    : factor_(factor),
      layout_(factor.layout()),
      lanes_(LargeBuffer::of<T>(lane_words<T>(layout_, samples))) {}

template <typename T>
void ClassSolver<T>::solve(std::int64_t b,
                           const RightHandSide<T>& rhs,
                           const Sink<T>& sink,
                           std::int64_t samples) {
  if (samples < kFewestInLanes) return solve_in_planes(b, rhs, sink, samples);
  const by_class::Places places(layout_.size(), layout_.period());
  solve_in_lanes(b, rhs, sink, {lanes_.as<T>(), layout_.size(), places, samples});
}

// Rows that have no pixel of a coarser level are read when the finest level comes to them, and all
// go to the sink when its last class has filled them.
template <typename T>
void ClassSolver<T>::solve_in_lanes(std::int64_t b,
                                    const RightHandSide<T>& rhs,
                                    const Sink<T>& sink,
                                    const by_class::Group<T>& group) {
  const std::int64_t height = group.size.height;
  const std::vector<PlaneLevel>& levels = layout_.levels();
  const auto is_coarse = [&](std::int64_t y) {
    return levels.empty() || y % 2 == levels.front().coarser;
  };
  const auto solve_turn = [&](const PlaneLevel& level, std::int64_t turn) {
    take_turn(level, layout_.period(), turn, [&](const Plane& plane, std::int64_t i) {
      solve_row(b, level, plane, i, group, sink.residual_squares);
    });
  };
  if (sink.residual_squares != nullptr) {
    std::fill_n(sink.residual_squares, group.samples, 0.0);
    std::fill_n(sink.rhs_squares, group.samples, 0.0);
  }
  for (std::int64_t y = 0; y < height; ++y) {
    if (is_coarse(y)) by_class::read(group, rhs, y, sink.rhs_squares);
  }
  for (std::int64_t i = layout_.grid().rows; i-- > 0;) {
    solve_row(b, layout_.coarsest(), layout_.grid(), i, group, sink.residual_squares);
  }
  for (std::size_t l = levels.size(); l-- > 1;) {
    for (std::int64_t turn = 0; turn < turns_of(levels[l]); ++turn) solve_turn(levels[l], turn);
  }
  const std::int64_t delay = levels.empty() ? 0 : levels.front().delay;
  for (std::int64_t turn = 0; turn < height + delay; ++turn) {
    if (turn < height && !is_coarse(turn)) by_class::read(group, rhs, turn, sink.rhs_squares);
    if (!levels.empty()) solve_turn(levels.front(), turn);
    if (turn >= delay) by_class::write(group, sink, turn - delay);
  }
}

template <typename T>
void ClassSolver<T>::solve_row(std::int64_t b,
                               const PlaneLevel& level,
                               const Plane& plane,
                               std::int64_t i,
                               const by_class::Group<T>& group,
                               double* residual_squares) {
  const std::int64_t apart = plane.stride;
  const std::int64_t row = plane.row + i * apart;
  const bool chain = &plane == &layout_.grid();  // its pixels depend on each other
  neighbours_.clear();
  for (std::size_t k = 0; k < plane.offsets.size(); ++k) {
    const std::int64_t of_neighbour = row + plane.offsets[k].dy;
    if (of_neighbour < 0 || of_neighbour >= group.size.height) continue;
    neighbours_.push_back(
        {static_cast<std::int64_t>(k), of_neighbour, plane.column + plane.offsets[k].dx});
  }
  by_class::substitute(group,
                       {row,
                        plane.column,
                        apart,
                        plane.columns,
                        plane.inner_begin,
                        chain ? plane.inner_begin : plane.inner_end,
                        factor_.diagonal_row(b, level, plane, i),
                        factor_.coefficient_row(b, 0, level, plane, i),
                        level.pitch,
                        (factor_.channels() + 1) * level.pitch,
                        neighbours_},
                       residual_squares);
}

template <typename T>
void ClassSolver<T>::solve_in_planes(std::int64_t b,
                                     const RightHandSide<T>& rhs,
                                     const Sink<T>& sink,
                                     std::int64_t samples) {
  const std::int64_t pixels = layout_.size().height * layout_.size().width;
  const bool draws = rhs.field == nullptr;
  const LargeBuffer noise = LargeBuffer::of<T>(draws ? samples * pixels : 0);
  if (draws) draw(rhs.noise, samples, pixels, noise.as<T>());
  const T* images = draws ? noise.as<T>() : rhs.field;
  for (std::int64_t s = 0; s < samples && sink.rhs_squares != nullptr; ++s) {
    sink.rhs_squares[s] = row::sum_of_squares<T>(images + s * pixels, pixels);
  }
  Buffers<T> solutions(layout_, samples);
  solutions.read(images, nullptr);
  solve_transpose_in_planes(factor_, b, solutions.data(), samples, sink.residual_squares);
  solutions.write(sink.values, sink.mean);
}

template class ClassSolver<float>;
template class ClassSolver<double>;

}  // namespace supn::cpu
