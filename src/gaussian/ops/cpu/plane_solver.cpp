#include "gaussian/ops/cpu/plane_solver.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace supn::cpu {
namespace {

using planes::RowShape;
using planes::Term;

// work(plane, row) for all rows, whose order does not matter.
template <typename Work>
void run_rows(const std::vector<Plane>& planes, const Work& work) {
  std::int64_t end = 0;
  for (const Plane& plane : planes) end = std::max(end, plane.rows);
  for (std::int64_t row = 0; row < end; ++row) {
    for (const Plane& plane : planes) {
      if (row < plane.rows) work(plane, row);
    }
  }
}

template <typename T>
void copy_rows(
    const Plane& plane, std::int64_t offset, const T* from, T* to, const RowShape& shape) {
  for (std::int64_t s = 0; s < shape.samples; ++s) {
    std::copy_n(from + s * shape.stride + plane.start + offset,
                shape.length,
                to + s * shape.stride + plane.start + offset);
  }
}

}  // namespace

template <typename T>
void solve_transpose_in_planes(const PlaneFactor<T>& factor,
                               std::int64_t b,
                               T* buffers,
                               std::int64_t samples,
                               double* residual_squares) {
  const PlaneLayout& layout = factor.layout();
  std::vector<Term<T>> terms;
  for (std::int64_t s = 0; s < samples; ++s) {
    const double square = solve_coarsest_transpose(factor, b, buffers + s * layout.words());
    if (residual_squares != nullptr) residual_squares[s] = square;
  }
  for (std::size_t l = layout.levels().size(); l-- > 0;) {
    const PlaneLevel& level = layout.levels()[l];
    for (std::int64_t s = 0; s < samples; ++s) {
      lift(layout, l, Channel<T>{buffers + s * layout.words()});
    }
    const auto solve = [&](const Plane& plane, std::int64_t row) {
      factor.prefetch_row(b, level, plane, row + 1);
      factor.row_terms(b, level, plane.neighbours, row, buffers, terms);
      planes::substitute(planes::Substitution<T>{terms,
                                                 factor.diagonal_row(b, level, plane, row),
                                                 buffers + plane.start + row * level.pitch,
                                                 residual_squares},
                         {plane.columns, samples, layout.words()});
    };
    for (std::int64_t turn = 0; turn < turns_of(level); ++turn) {
      take_turn(level, layout.period(), turn, solve);
    }
  }
}

template <typename T>
void solve_in_planes(const PlaneFactor<T>& factor,
                     std::int64_t b,
                     T* buffers,
                     std::int64_t samples) {
  const PlaneLayout& layout = factor.layout();
  std::vector<Term<T>> terms;
  for (std::size_t l = 0; l < layout.levels().size(); ++l) {
    const PlaneLevel& level = layout.levels()[l];
    const auto gather = [&](const Plane& plane, std::int64_t row, const T* scale) {
      factor.row_terms(b, level, plane.dependants, row, buffers, terms);
      planes::substitute(
          planes::Substitution<T>{terms, scale, buffers + plane.start + row * level.pitch},
          {plane.columns, samples, layout.words()});
    };
    const auto solve = [&](const Plane& plane, std::int64_t row) {
      gather(plane, row, factor.diagonal_row(b, level, plane, row));
    };
    for (std::int64_t turn = turns_of(level); turn-- > 0;) {
      take_turn_back(level, layout.period(), turn, solve);
    }
    run_rows(level.copies,
             [&](const Plane& plane, std::int64_t row) { gather(plane, row, nullptr); });
    for (std::int64_t s = 0; s < samples; ++s) {
      descend(layout, l, Channel<T>{buffers + s * layout.words()});
    }
  }
  for (std::int64_t s = 0; s < samples; ++s) {
    solve_coarsest(factor, b, buffers + s * layout.words());
  }
}

template <typename T>
void sweep_in_planes(const PlaneFactor<T>& factor,
                     std::int64_t b,
                     const SweepBuffers<T>& buffers,
                     std::int64_t samples) {
  const PlaneLayout& layout = factor.layout();
  std::vector<Term<T>> terms;
  const auto sweep = [&](const PlaneLevel& level) {
    run_rows(level.classes, [&](const Plane& plane, std::int64_t row) {
      const std::int64_t offset = row * level.pitch;
      const RowShape shape{plane.columns, samples, layout.words()};
      copy_rows(plane, offset, buffers.b, buffers.next, shape);
      factor.row_terms(b, level, plane.neighbours, row, buffers.old, terms);
      planes::substitute(planes::Substitution<T>{terms,
                                                 factor.diagonal_row(b, level, plane, row),
                                                 buffers.next + plane.start + offset},
                         shape);
    });
  };
  for (const PlaneLevel& level : layout.levels()) sweep(level);
  sweep(layout.coarsest());
  for (std::int64_t s = 0; s < samples; ++s) {
    for (std::size_t l = layout.levels().size(); l-- > 0;) {
      lift(layout, l, Channel<T>{buffers.next + s * layout.words()});
    }
  }
}

#define SUPN_INSTANTIATE(T)                                                                \
  template void solve_transpose_in_planes<T>(                                              \
      const PlaneFactor<T>&, std::int64_t, T*, std::int64_t, double*);                     \
  template void solve_in_planes<T>(const PlaneFactor<T>&, std::int64_t, T*, std::int64_t); \
  template void sweep_in_planes<T>(                                                        \
      const PlaneFactor<T>&, std::int64_t, const SweepBuffers<T>&, std::int64_t);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
