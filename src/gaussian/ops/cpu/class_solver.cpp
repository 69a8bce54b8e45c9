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
  return samples < ClassSolver<T>::kFewestInLanes ? 0 : by_class::words<T>(layout.size());
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
  const by_class::Group<T> group{lanes_.as<T>(), layout_.size(), samples};
  by_class::read(group, rhs, sink.rhs_squares);
  solve_in_lanes(b, group, sink);
}

// Rows of the image go to the sink as soon as the last class has filled them.
template <typename T>
void ClassSolver<T>::solve_in_lanes(std::int64_t b,
                                    const by_class::Group<T>& group,
                                    const Sink<T>& sink) {
  double* squares = sink.residual_squares;
  if (squares != nullptr) std::fill_n(squares, group.samples, 0.0);
  for (std::int64_t i = layout_.grid().rows; i-- > 0;) {
    solve_row(b, layout_.coarsest(), layout_.grid(), i, group, squares);
  }
  std::int64_t written = 0;
  for (std::size_t l = layout_.levels().size(); l-- > 0;) {
    const PlaneLevel& level = layout_.levels()[l];
    run_staggered(level.classes.begin(),
                  level.classes.end(),
                  level.lag,
                  [&](const Plane& plane, std::int64_t i) {
                    solve_row(b, level, plane, i, group, squares);
                    if (l > 0 || &plane != &level.classes.back()) return;
                    const std::int64_t end =
                        std::min((i + 1) * layout_.period(), group.size.height);
                    by_class::write(group, sink, {written, end});
                    written = end;
                  });
  }
  by_class::write(group, sink, {written, group.size.height});
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
  factor_.prefetch_row(b, level, plane, i + 1);
  neighbours_.clear();
  for (std::size_t k = 0; k < plane.offsets.size(); ++k) {
    const std::int64_t of_neighbour = row + plane.offsets[k].dy;
    if (of_neighbour < 0 || of_neighbour >= group.size.height) continue;
    neighbours_.push_back(
        {factor_.coefficient_row(b, static_cast<std::int64_t>(k), level, plane, i),
         plane.column + plane.offsets[k].dx,
         of_neighbour});
  }
  by_class::substitute(group,
                       {row,
                        plane.column,
                        apart,
                        plane.columns,
                        factor_.diagonal_row(b, level, plane, i),
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
