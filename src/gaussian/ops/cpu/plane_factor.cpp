#include "gaussian/ops/cpu/plane_factor.hpp"

#include <algorithm>
#include <cmath>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"

namespace supn::cpu {
namespace {

// Says which of first, first + stride, … (count of them) lie in [0, length).
struct Inside {
  std::int64_t begin;
  std::int64_t end;
};

Inside inside(std::int64_t first, std::int64_t stride, std::int64_t length, std::int64_t count) {
  const auto reached = [&](std::int64_t bound) {
    return std::clamp<std::int64_t>((bound - first + stride - 1) / stride, 0, count);
  };
  return {first >= 0 ? 0 : reached(0), first >= length ? 0 : reached(length)};
}

}  // namespace

template <typename T>
PlaneFactor<T>::PlaneFactor(const PlaneLayout& layout, const FactorMaps& maps, T sign)
    : layout_(layout), channels_(maps.off_diagonal.size(1)) {
  const at::Tensor psi = maps.off_diagonal.contiguous();
  const at::Tensor diagonal = exponential<T>(maps.log_diagonal, sign);
  const std::int64_t batch = psi.size(0);
  storage_ = empty_on_huge_pages({batch, channels_ + 1, layout.words()}, psi.options());
  data_ = storage_.mutable_data_ptr<T>();
  const std::int64_t pixels = layout.size().height * layout.size().width;
  const T* off_diagonals = psi.const_data_ptr<T>();
  const T* diagonals = diagonal.const_data_ptr<T>();
  at::parallel_for(0, batch * (channels_ + 1), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / (channels_ + 1);
      const std::int64_t k = i % (channels_ + 1);
      const T* image =
          k == channels_ ? diagonals + b * pixels : off_diagonals + (b * channels_ + k) * pixels;
      read_image(layout, image, channel(b, k));
      if (k < channels_) clear_outside(channel(b, k));
    }
  });
}

template <typename T>
void PlaneFactor<T>::clear_outside(const Channel<T>& channel) const {
  const ImageSize& size = layout_.size();
  for (std::size_t l = 0; l < layout_.levels().size(); ++l) {
    const PlaneLevel& level = layout_.levels()[l];
    const std::int64_t stride = layout_.period() << l;
    for (const Plane& plane : level.classes) {
      const Offset& offset = plane.offsets[static_cast<std::size_t>(channel.channel)];
      const Inside rows = inside(plane.row + offset.dy, stride, size.height, plane.rows);
      const Inside columns = inside(plane.column + offset.dx, stride, size.width, plane.columns);
      for (std::int64_t i = 0; i < plane.rows; ++i) {
        T* row = channel.at(
            plane.start - layout_.margin() + i * level.pitch, level.pitch, layout_.margin());
        const bool any = i >= rows.begin && i < rows.end;
        std::fill(row, row + (any ? columns.begin : plane.columns), T{0});
        std::fill(row + (any ? columns.end : plane.columns), row + plane.columns, T{0});
      }
    }
  }
}

template <typename T>
double solve_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, T* field) {
  double squares = 0.0;
  for (std::int64_t n = factor.layout().coarsest_pixels(); n-- > 0;) {
    T sum = field[n];
    for_coarsest_neighbours(factor.layout(), n, [&](std::int64_t k, std::int64_t neighbour) {
      sum = std::fma(-factor.coarsest(b, k)[n], field[neighbour], sum);
    });
    const T inverse = factor.coarsest(b, factor.channels())[n];
    field[n] = sum * inverse;
    const auto residual = static_cast<double>(field[n] / inverse - sum);
    squares += residual * residual;
  }
  return squares;
}

template <typename T>
void solve_coarsest(const PlaneFactor<T>& factor, std::int64_t b, T* field) {
  for (std::int64_t n = 0; n < factor.layout().coarsest_pixels(); ++n) {
    const T own = field[n] *= factor.coarsest(b, factor.channels())[n];
    for_coarsest_neighbours(factor.layout(), n, [&](std::int64_t k, std::int64_t neighbour) {
      field[neighbour] = std::fma(-factor.coarsest(b, k)[n], own, field[neighbour]);
    });
  }
}

template <typename T>
void sweep_coarsest(
    const PlaneFactor<T>& factor, std::int64_t b, const T* rhs, const T* x, T* next) {
  for (std::int64_t n = 0; n < factor.layout().coarsest_pixels(); ++n) {
    T sum = rhs[n];
    for_coarsest_neighbours(factor.layout(), n, [&](std::int64_t k, std::int64_t neighbour) {
      sum = std::fma(-factor.coarsest(b, k)[n], x[neighbour], sum);
    });
    next[n] = sum * factor.coarsest(b, factor.channels())[n];
  }
}

template <typename T>
void add_coarsest_transpose(const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* result) {
  for (std::int64_t n = 0; n < factor.layout().coarsest_pixels(); ++n) {
    for_coarsest_neighbours(factor.layout(), n, [&](std::int64_t k, std::int64_t neighbour) {
      result[n] = std::fma(factor.coarsest(b, k)[n], x[neighbour], result[n]);
    });
  }
}

template <typename T>
void add_coarsest(const PlaneFactor<T>& factor, std::int64_t b, const T* x, T* result) {
  for (std::int64_t n = 0; n < factor.layout().coarsest_pixels(); ++n) {
    for_coarsest_neighbours(factor.layout(), n, [&](std::int64_t k, std::int64_t neighbour) {
      result[neighbour] = std::fma(factor.coarsest(b, k)[n], x[n], result[neighbour]);
    });
  }
}

#define SUPN_INSTANTIATE(T)                                                                     \
  template class PlaneFactor<T>;                                                                \
  template double solve_coarsest_transpose<T>(const PlaneFactor<T>&, std::int64_t, T*);         \
  template void solve_coarsest<T>(const PlaneFactor<T>&, std::int64_t, T*);                     \
  template void sweep_coarsest<T>(const PlaneFactor<T>&, std::int64_t, const T*, const T*, T*); \
  template void add_coarsest_transpose<T>(const PlaneFactor<T>&, std::int64_t, const T*, T*);   \
  template void add_coarsest<T>(const PlaneFactor<T>&, std::int64_t, const T*, T*);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
