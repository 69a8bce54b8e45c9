#include "gaussian/ops/cpu/plane_products.hpp"

#include <algorithm>

#include "gaussian/kernels/rows.hpp"

namespace supn::cpu {
namespace {

std::int64_t whole_blocks(std::int64_t width) {
  return (width + planes::kBlock - 1) / planes::kBlock * planes::kBlock;
}

}  // namespace

template <typename T>
ProductRow<T>::ProductRow(const FactorMaps& maps, const Buffers<T>& x)
    : maps_(maps),
      x_(x),
      layout_(x.layout()),
      channels_(maps.off_diagonal.size(1) + 1),
      coarser_apart_(whole_blocks(layout_.size().width)),
      products_(layout_, x.count()),
      diagonal_(layout_.size().width),
      coarser_(channels_ * coarser_apart_),
      coefficients_(static_cast<std::size_t>(channels_)),
      no_taps_(static_cast<std::size_t>(channels_), planes::Tap{0, 0, 0}),
      taps_(static_cast<std::size_t>(layout_.period() * channels_)) {}

template <typename T>
void ProductRow<T>::multiply(std::int64_t b, std::int64_t y) {
  const std::int64_t width = layout_.size().width;
  const std::int64_t pixels = layout_.size().height * width;
  const T* phi = maps_.log_diagonal.const_data_ptr<T>() + b * pixels + y * width;
  const T* psi = maps_.off_diagonal.const_data_ptr<T>() + b * (channels_ - 1) * pixels + y * width;
  row::exponential<T>(diagonal_.data(), phi, T{1}, width);
  coefficients_[0] = diagonal_.data();
  for (std::size_t k = 1; k < coefficients_.size(); ++k, psi += pixels) coefficients_[k] = psi;
  const auto levels = static_cast<std::int64_t>(layout_.levels().size());
  const Plane& grid = layout_.grid();
  if (y % grid.stride == grid.row) multiply_coarsest(y);
  for (std::int64_t l = 0; l < levels && y % (std::int64_t{1} << l) == 0; ++l) multiply_level(l, y);
}

template <typename T>
void ProductRow<T>::multiply_coarsest(std::int64_t y) {
  const Plane& grid = layout_.grid();
  T* row = coarser_.data();
  for (const T*& coefficients : coefficients_) {
    for (std::int64_t j = 0; j < grid.columns; ++j) {
      row[j] = coefficients[grid.column + j * grid.stride];
    }
    row += coarser_apart_;
  }
  const std::vector<const T*> maps(coefficients_);
  read_coarser();
  start_row(layout_.coarsest(), 1);
  add_class(layout_.coarsest(), grid, 0, y);
  multiply_row(grid.taps.size(), grid.columns, nullptr);
  coefficients_ = maps;
}

template <typename T>
void ProductRow<T>::multiply_level(std::int64_t l, std::int64_t y) {
  const PlaneLevel& level = layout_.levels()[static_cast<std::size_t>(l)];
  start_row(level, layout_.period());
  for (const Plane& plane : level.classes) {
    if (((y - plane.row) & (plane.stride - 1)) == 0) {
      add_class(level, plane, (plane.column >> l) % layout_.period(), y);
    }
  }
  const bool is_last = l + 1 == static_cast<std::int64_t>(layout_.levels().size());
  const bool hands_on = !is_last && (y >> l) % 2 == 0;
  multiply_row(coefficients_.size(), level.grid_columns, hands_on ? coarser_.data() : nullptr);
  if (hands_on) read_coarser();
}

template <typename T>
void ProductRow<T>::read_coarser() {
  const T* row = coarser_.data();
  for (const T*& coefficients : coefficients_) {
    coefficients = row;
    row += coarser_apart_;
  }
}

template <typename T>
void ProductRow<T>::start_row(const PlaneLevel& level, std::int64_t phases) {
  classes_.clear();
  for (std::int64_t phase = 0; phase < phases; ++phase) {
    classes_.push_back({no_taps_.data(), 0, 0, x_.data(), products_.at(0, level, phase)});
  }
}

template <typename T>
void ProductRow<T>::add_class(const PlaneLevel& level,
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
}

template <typename T>
void ProductRow<T>::multiply_row(std::size_t taps, std::int64_t columns, T* coarser) {
  planes::multiply(
      planes::GridRow<T>{
          std::span<const T* const>(coefficients_).first(taps), classes_, coarser, coarser_apart_},
      {columns, x_.count(), layout_.words()},
      layout_.row_words());
}

template class ProductRow<float>;
template class ProductRow<double>;

}  // namespace supn::cpu
