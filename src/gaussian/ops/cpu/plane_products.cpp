#include "gaussian/ops/cpu/plane_products.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

namespace supn::cpu {

template <typename T>
void ProductRow<T>::multiply(std::int64_t b, std::int64_t y) {
  factor_.take(b,
               y,
               all_levels(layout_),
               nullptr,
               [&](const PlaneLevel& level,
                   const typename FactorRow<T>::Classes& classes,
                   const planes::GridRow<T>& row,
                   const planes::RowShape& shape) {
                 for (std::size_t phase = 0; phase < classes.size(); ++phase) {
                   classes[phase].z = place(level, y, static_cast<std::int64_t>(phase));
                 }
                 planes::multiply(row, shape, apart());
               });
}

template <typename T>
T* ProductRow<T>::place(const PlaneLevel& level, std::int64_t y, std::int64_t phase) {
  if (planes_ == nullptr) return parts_.at(0, level, phase);
  const Plane& grid = layout_.grid();
  if (&level == &layout_.coarsest()) {
    return planes_->data() + grid.start + y / grid.stride * level.pitch;
  }
  const std::int64_t period = layout_.period();
  const std::int64_t row = y >> (&level - layout_.levels().data());
  return planes_->data() + layout_.margin() +
         layout_.row_start(level, row % period, phase, row / period);
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

// Adds what rows of the image give to Lx, in planes.
template <typename T>
class RowScatter {
 public:
  RowScatter(const FactorMaps& maps, const Buffers<T>& x, Buffers<T>& products)
      : factor_(maps, x), x_(x), products_(products) {}

  void add(std::int64_t b, std::int64_t y, const LevelRange& levels, T* between) {
    factor_.take(b,
                 y,
                 levels,
                 between,
                 [&](const PlaneLevel&,
                     const typename FactorRow<T>::Classes& classes,
                     const planes::GridRow<T>& row,
                     const planes::RowShape& shape) {
                   for (planes::ClassProducts<T>& products : classes) {
                     products.z = products_.data() + (products.fields - x_.data());
                   }
                   planes::scatter(row, shape);
                 });
  }

 private:
  FactorRow<T> factor_;
  const Buffers<T>& x_;
  Buffers<T>& products_;
};

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
  const std::int64_t words = FactorRow<T>(maps, x).handed_words();
  const std::int64_t apart = std::int64_t{1} << fine.end;
  const LargeBuffer handed = LargeBuffer::of<T>((height / apart + 1) * words);
  const auto between = [&](std::int64_t y) { return handed.as<T>() + y / apart * words; };
  products.clear();
  const std::int64_t rows = band_rows(layout, fine);
  const std::int64_t bands = (height + rows - 1) / rows;
  for (const std::int64_t first : {0, 1}) {
    at::parallel_for(0, (bands + 1 - first) / 2, 1, [&](std::int64_t begin, std::int64_t end) {
      RowScatter<T> scatter(maps, x, products);
      for (std::int64_t band = begin; band < end; ++band) {
        const std::int64_t top = (2 * band + first) * rows;
        for (std::int64_t y = top; y < std::min(top + rows, height); ++y) {
          scatter.add(b, y, fine, between(y));
        }
      }
    });
  }
  RowScatter<T> coarse(maps, x, products);
  for (std::int64_t y = 0; y < height; ++y) coarse.add(b, y, {fine.end, levels}, between(y));
  for (std::int64_t s = 0; s < products.count(); ++s) {
    add_copies(layout, Channel<T>{products.data() + s * layout.words()});
  }
}

#define SUPN_INSTANTIATE(T)            \
  template class ProductRow<T>;        \
  template void multiply_in_planes<T>( \
      const FactorMaps&, std::int64_t, const Buffers<T>&, Buffers<T>&);
SUPN_INSTANTIATE(float)
SUPN_INSTANTIATE(double)
#undef SUPN_INSTANTIATE

}  // namespace supn::cpu
