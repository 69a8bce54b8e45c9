#include "gaussian/ops/cpu/plane_factor.hpp"

#include <algorithm>
#include <cmath>

#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/plane_rows.hpp"

namespace supn::cpu {
template <typename T>
PlaneFactor<T>::PlaneFactor(const PlaneLayout& layout, const FactorMaps& maps, Use use)
    : layout_(layout),
      channels_(maps.off_diagonal.size(1)),
      storage_(LargeBuffer::of<T>(maps.off_diagonal.size(0) * (channels_ + 1) * layout.words())),
      data_(storage_.as<T>()) {
  const at::Tensor psi = maps.off_diagonal.contiguous();
  const at::Tensor diagonal = exponential<T>(maps.log_diagonal, T{-1});
  const std::int64_t batch = psi.size(0);
  const std::int64_t pixels = layout.size().height * layout.size().width;
  const T* off_diagonals = psi.const_data_ptr<T>();
  const T* diagonals = diagonal.const_data_ptr<T>();
  const std::int64_t height = layout.size().height;
  const std::int64_t width = layout.size().width;
  // All maps of a row, then the next row: they lie together.
  at::parallel_for(0, batch * height, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / height;
      const std::int64_t y = i % height;
      const T* row = off_diagonals + b * channels_ * pixels + y * width;
      for (std::int64_t k = 0; k < channels_; ++k, row += pixels) {
        read_row(layout, y, row, channel(b, k));
      }
      read_row(layout, y, diagonals + i * width, channel(b, channels_));
    }
  });
  at::parallel_for(0, batch * (channels_ + 1), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Channel<T> map = channel(i / (channels_ + 1), i % (channels_ + 1));
      if (use == Use::kBoth) clear_margins(layout, map);
      if (map.channel < channels_) clear_outside(map);
    }
  });
}

template <typename T>
void PlaneFactor<T>::clear_outside(const Channel<T>& channel) const {
  const auto clear = [&](const PlaneLevel& level, const Plane& plane) {
    if (channel.channel >= static_cast<std::int64_t>(plane.neighbours.size())) return;
    const auto k = static_cast<std::size_t>(channel.channel);
    const planes::Tap& tap = plane.taps[k + 1];
    for (std::int64_t i = 0; i < plane.rows; ++i) {
      T* row = channel.at(
          plane.start - layout_.margin() + i * level.pitch, level.pitch, layout_.margin());
      const std::int64_t y = plane.row + i * plane.stride + plane.offsets[k].dy;
      const bool any = y >= 0 && y < layout_.size().height;
      std::fill(row, row + (any ? tap.begin : plane.columns), T{0});
      std::fill(row + (any ? tap.end : plane.columns), row + plane.columns, T{0});
    }
  };
  for (const PlaneLevel& level : layout_.levels()) {
    for (const Plane& plane : level.classes) clear(level, plane);
  }
  clear(layout_.coarsest(), layout_.grid());
}

// work(coefficient, neighbour) for the neighbours of pixel (i, j) of the coarsest grid, in raster
// order; all lie in `buffer`.
template <typename T, typename Work>
void for_coarsest_neighbours(const PlaneFactor<T>& factor,
                             std::int64_t b,
                             const Offset& pixel,
                             T* buffer,
                             const Work& work) {
  const PlaneLevel& level = factor.layout().coarsest();
  const Plane& grid = factor.layout().grid();
  for (const PlaneTerm& term : grid.neighbours) {
    work(factor.coefficient_row(b, term.channel, level, grid, pixel.dy)[pixel.dx],
         buffer[term.field + pixel.dy * level.pitch + pixel.dx]);
  }
}

template <typename T>
double solve_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, T* buffer) {
  const PlaneLevel& level = factor.layout().coarsest();
  const Plane& grid = factor.layout().grid();
  double squares = 0.0;
  for (std::int64_t i = grid.rows; i-- > 0;) {
    T* row = buffer + grid.start + i * level.pitch;
    const T* inverse = factor.diagonal_row(b, level, grid, i);
    for (std::int64_t j = grid.columns; j-- > 0;) {
      T sum = row[j];
      for_coarsest_neighbours(factor, b, {i, j}, buffer, [&](T coefficient, T neighbour) {
        sum = std::fma(-coefficient, neighbour, sum);
      });
      row[j] = sum * inverse[j];
      const auto residual = static_cast<double>(row[j] / inverse[j] - sum);
      squares += residual * residual;
    }
  }
  return squares;
}

template <typename T>
void solve_coarsest(const PlaneFactor<T>& factor, std::int64_t b, T* buffer) {
  const PlaneLevel& level = factor.layout().coarsest();
  const Plane& grid = factor.layout().grid();
  for (std::int64_t i = 0; i < grid.rows; ++i) {
    T* row = buffer + grid.start + i * level.pitch;
    const T* inverse = factor.diagonal_row(b, level, grid, i);
    for (std::int64_t j = 0; j < grid.columns; ++j) {
      const T own = row[j] *= inverse[j];
      for_coarsest_neighbours(factor, b, {i, j}, buffer, [&](T coefficient, T& neighbour) {
        if (coefficient != T{0}) neighbour = std::fma(-coefficient, own, neighbour);
      });
    }
  }
}

#define SUPN_INSTANTIATE(T)                                                             \
  template class PlaneFactor<T>;                                                        \
  template double solve_coarsest_transpose<T>(const PlaneFactor<T>&, std::int64_t, T*); \
  template void solve_coarsest<T>(const PlaneFactor<T>&, std::int64_t, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
