#include "gaussian/ops/cpu/plane_rows.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include "gaussian/kernels/rows.hpp"

namespace supn::cpu {

template <typename T>
Buffers<T>::Buffers(const PlaneLayout& layout, std::int64_t count)
    : layout_(layout),
      count_(count),
      storage_(LargeBuffer::of<T>(count * layout.words())),
      data_(storage_.as<T>()) {}

template <typename T>
void Buffers<T>::read(const T* images, const T* mean) {
  const std::int64_t height = layout_.size().height;
  const std::int64_t width = layout_.size().width;
  const std::int64_t bands = (height + kRowsAtOnce - 1) / kRowsAtOnce;
  at::parallel_for(0, count_ * bands, 1, [&](std::int64_t begin, std::int64_t end) {
    AlignedBuffer<T> difference(width);
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t i = item / bands;
      const Channel<T> buffer{data_ + i * layout_.words()};
      const std::int64_t first = item % bands * kRowsAtOnce;
      if (first == 0) clear_margins(layout_, buffer);
      for (std::int64_t y = first; y < std::min(first + kRowsAtOnce, height); ++y) {
        const T* row = images + (i * height + y) * width;
        if (mean != nullptr) {
          row::subtract<T>(difference.data(), row, mean + y * width, width);
          row = difference.data();
        }
        read_row(layout_, y, row, buffer);
      }
    }
  });
}

template <typename T>
void FactorRow<T>::read(std::int64_t b, std::int64_t y) {
  const std::int64_t height = layout_.size().height;
  const std::int64_t width = layout_.size().width;
  const T* psi = maps_.off_diagonal.const_data_ptr<T>() + b * channels_ * height * width;
  for (std::int64_t k = 0; k < channels_; ++k) {
    parts_.read(y, k, psi + (k * height + y) * width);
  }
  const T* phi = maps_.log_diagonal.const_data_ptr<T>() + (b * height + y) * width;
  row::exponential<T>(diagonal_.data(), phi, T{1}, width);
  parts_.read(y, channels_, diagonal_.data());
  for_each_class_of_row(
      layout_, all_levels(layout_), y, [&](const PlaneLevel&, const Plane& plane, std::int64_t) {
        for (const PlaneTerm& term : plane.neighbours) {
          const planes::Tap& tap = plane.taps[static_cast<std::size_t>(term.channel) + 1];
          T* row = parts_.at(term.channel, plane);
          std::fill(row, row + tap.begin, T{0});
          std::fill(row + tap.end, row + plane.columns, T{0});
        }
      });
}

template <typename T>
void FactorRow<T>::add_to(const PlaneLevel& level,
                          const Plane& plane,
                          std::int64_t i,
                          const Buffers<T>& x,
                          Buffers<T>& products) {
  T* field = products.data() + i * level.pitch;
  const std::int64_t y = plane.row + i * plane.stride;
  targets_.clear();
  targets_.push_back({parts_.at(channels_, plane), field + plane.start});
  for (std::size_t k = 0; k < plane.offsets.size(); ++k) {
    const std::int64_t of_neighbour = y + plane.offsets[k].dy;
    if (of_neighbour < 0 || of_neighbour >= layout_.size().height) continue;
    const PlaneTerm& term = plane.neighbours[k];
    targets_.push_back({parts_.at(term.channel, plane), field + term.field});
  }
  planes::scatter(planes::Scattering<T>{x.data() + plane.start + i * level.pitch, targets_},
                  {plane.columns, x.count(), layout_.words()});
}

namespace {

// The finest levels, whose rows reach few rows of the image: bands of rows of which each second one
// is scattered by any thread, and then the others. The coarser levels are few pixels.
constexpr std::int64_t kFineLevels = 2;

// Returns how many rows of the image make a band, such that those of every second band reach no
// common row.
std::int64_t band_rows(const PlaneLayout& layout, const LevelRange& fine) {
  std::int64_t reach = 2;
  for (std::int64_t y = 0; y < std::int64_t{4} << fine.end; ++y) {
    for_each_class_of_row(
        layout, fine, y, [&](const PlaneLevel&, const Plane& plane, std::int64_t) {
          for (const Offset& offset : plane.offsets) reach = std::max(reach, std::abs(offset.dy));
        });
  }
  return 2 * reach;
}

template <typename T>
void scatter_rows(const FactorMaps& maps,
                  std::int64_t b,
                  const LevelRange& levels,
                  const std::vector<std::int64_t>& rows,
                  const Buffers<T>& x,
                  Buffers<T>& products) {
  FactorRow<T> factor(x.layout(), maps);
  for (const std::int64_t y : rows) {
    factor.read(b, y);
    for_each_class_of_row(
        x.layout(), levels, y, [&](const PlaneLevel& level, const Plane& plane, std::int64_t i) {
          factor.add_to(level, plane, i, x, products);
        });
  }
}

}  // namespace

template <typename T>
void multiply_in_planes(const FactorMaps& maps,
                        std::int64_t b,
                        const Buffers<T>& x,
                        Buffers<T>& products) {
  const PlaneLayout& layout = x.layout();
  const std::int64_t height = layout.size().height;
  const std::int64_t levels = all_levels(layout).end;
  const LevelRange fine{0, std::min(kFineLevels, levels - 1)};
  std::fill_n(products.data(), products.count() * layout.words(), T{0});
  const std::int64_t rows = band_rows(layout, fine);
  const std::int64_t bands = (height + rows - 1) / rows;
  for (const std::int64_t first : {0, 1}) {
    at::parallel_for(0, (bands + 1 - first) / 2, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> own;
      for (std::int64_t band = begin; band < end; ++band) {
        const std::int64_t top = (2 * band + first) * rows;
        for (std::int64_t y = top; y < std::min(top + rows, height); ++y) own.push_back(y);
      }
      scatter_rows(maps, b, fine, own, x, products);
    });
  }
  std::vector<std::int64_t> coarse;
  for (std::int64_t y = 0; y < height; ++y) {
    bool any = false;
    for_each_class_of_row(
        layout, {fine.end, levels}, y, [&](const PlaneLevel&, const Plane&, std::int64_t) {
          any = true;
        });
    if (any) coarse.push_back(y);
  }
  scatter_rows(maps, b, {fine.end, levels}, coarse, x, products);
  for (std::int64_t s = 0; s < products.count(); ++s) {
    add_copies(layout, Channel<T>{products.data() + s * layout.words()});
  }
}

FactorMaps contiguous(const FactorMaps& maps) {
  return {maps.log_diagonal.contiguous(), maps.off_diagonal.contiguous(), maps.neighbourhood};
}

template class Buffers<float>;
template class Buffers<double>;
template class FactorRow<float>;
template class FactorRow<double>;
template void multiply_in_planes<float>(const FactorMaps&,
                                        std::int64_t,
                                        const Buffers<float>&,
                                        Buffers<float>&);
template void multiply_in_planes<double>(const FactorMaps&,
                                         std::int64_t,
                                         const Buffers<double>&,
                                         Buffers<double>&);

}  // namespace supn::cpu
