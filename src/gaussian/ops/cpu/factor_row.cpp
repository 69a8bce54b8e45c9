#include "gaussian/ops/cpu/factor_row.hpp"

#include "gaussian/kernels/rows.hpp"

namespace supn::cpu {
namespace {

std::int64_t whole_blocks(std::int64_t width) {
  return (width + planes::kBlock - 1) / planes::kBlock * planes::kBlock;
}

}  // namespace

template <typename T>
FactorRow<T>::FactorRow(const FactorMaps& maps, const Buffers<T>& x)
    : maps_(maps),
      x_(x),
      layout_(x.layout()),
      channels_(maps.off_diagonal.size(1) + 1),
      coarser_apart_(whole_blocks(layout_.size().width)),
      diagonal_(layout_.size().width),
      coarser_(handed_words()),
      coefficients_(static_cast<std::size_t>(channels_)),
      no_taps_(static_cast<std::size_t>(channels_), planes::Tap{0, 0, 0}),
      taps_(static_cast<std::size_t>(layout_.period() * channels_)) {}

template <typename T>
void FactorRow<T>::read(std::int64_t b, std::int64_t y) {
  const std::int64_t width = layout_.size().width;
  const std::int64_t pixels = layout_.size().height * width;
  const T* phi = maps_.log_diagonal.const_data_ptr<T>() + b * pixels + y * width;
  const T* psi = maps_.off_diagonal.const_data_ptr<T>() + b * (channels_ - 1) * pixels + y * width;
  row::exponential<T>(diagonal_.data(), phi, T{1}, width);
  coefficients_[0] = diagonal_.data();
  for (std::size_t k = 1; k < coefficients_.size(); ++k, psi += pixels) coefficients_[k] = psi;
}

template <typename T>
void FactorRow<T>::read_handed(const T* row) {
  for (const T*& coefficients : coefficients_) {
    coefficients = row;
    row += coarser_apart_;
  }
}

template <typename T>
void FactorRow<T>::start_coarsest(std::int64_t y) {
  const Plane& grid = layout_.grid();
  T* row = coarser_.data();
  for (const T* coefficients : coefficients_) {
    for (std::int64_t j = 0; j < grid.columns; ++j) {
      row[j] = coefficients[grid.column + j * grid.stride];
    }
    row += coarser_apart_;
  }
  read_handed(coarser_.data());
  classes_.assign(1, {});
  add_class(layout_.coarsest(), grid, 0, y);
}

template <typename T>
void FactorRow<T>::start_level(std::int64_t l, std::int64_t y) {
  const PlaneLevel& level = layout_.levels()[static_cast<std::size_t>(l)];
  classes_.assign(static_cast<std::size_t>(layout_.period()),
                  {no_taps_.data(), 0, 0, x_.data(), nullptr});
  for (const Plane& plane : level.classes) {
    if (((y - plane.row) & (plane.stride - 1)) != 0) continue;
    add_class(level, plane, (plane.column >> l) % layout_.period(), y);
  }
}

template <typename T>
void FactorRow<T>::add_class(const PlaneLevel& level,
                             const Plane& plane,
                             std::int64_t phase,
                             std::int64_t y) {
  planes::ClassProducts<T>& products = classes_[static_cast<std::size_t>(phase)];
  products.fields = x_.data() + (y - plane.row) / plane.stride * level.pitch;
  const auto is_outside = [&](const Offset& offset) {
    return y + offset.dy < 0 || y + offset.dy >= layout_.size().height;
  };
  if (std::none_of(plane.offsets.begin(), plane.offsets.end(), is_outside)) {
    products.taps = plane.taps.data();
    products.begin = plane.inner_begin;
    products.end = plane.inner_end;
    return;
  }
  planes::Tap* const taps = taps_.data() + phase * channels_;
  std::copy(plane.taps.begin(), plane.taps.end(), taps);
  for (std::size_t k = 0; k < plane.offsets.size(); ++k) {
    if (is_outside(plane.offsets[k])) taps[k + 1] = {plane.start, 0, 0};
  }
  products.taps = taps;
  products.begin = 0;
  products.end = 0;
}

template class FactorRow<float>;
template class FactorRow<double>;

}  // namespace supn::cpu
