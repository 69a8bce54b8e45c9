// The inner loops along one image row or one flat range: plain pointers, no threads. T is float or
// double. Source and destination ranges must not overlap unless said.
#pragma once

#include <cstdint>

#include "gaussian/kernels/factor_view.hpp"

namespace supn::row {

// Row y of a factor's maps and of a field.
template <typename T>
struct FactorRow {
  FactorView<T> view;
  std::int64_t y;
  const T* diagonal;  // [W], e^φ for products, e^−φ for sweeps and substitutions
  const T* field;     // the field's row y; its other rows are multiples of view.width away
};

// The kernels of this processor's instruction set.
template <typename T>
struct Kernels {
  // Sets, by side, z = row y of Lᵀx or of Lx, neighbours outside the image left out.
  void (*product[2])(T* z, const FactorRow<T>& row);
  // z = row y of (b − Σ_k ψ_k·x[· + o_k])·e^−φ: a Jacobi sweep for Lᵀ.
  void (*sweep)(T* z, const T* b, const FactorRow<T>& row);
  // Does, by side, the same for a substitution. z is row y of the field itself, whose rows before
  // are finished.
  void (*substitute[2])(T* z, const T* b, const FactorRow<T>& row);
  // acc[i] ← fma(±a[i], b[i], acc[i]).
  void (*add_products)(T* acc, const T* a, const T* b, std::int64_t count);
  void (*subtract_products)(T* acc, const T* a, const T* b, std::int64_t count);
  // acc[i] ← acc[i]·a[i].
  void (*multiply)(T* acc, const T* a, std::int64_t count);
  // out[i] = a[i] − b[i].
  void (*subtract)(T* out, const T* a, const T* b, std::int64_t count);
  // out[i] = e^(sign·x[i]), within 2 ulp; overflow to infinity, underflow to zero, NaN stays.
  void (*exponential)(T* out, const T* x, T sign, std::int64_t count);
  // Σ x[i]² and Σ x[i] in f64, in eight interleaved partial sums: an order that no vector width
  // changes.
  double (*sum_of_squares)(const T* x, std::int64_t count);
  double (*sum)(const T* x, std::int64_t count);
};
template <typename T>
const Kernels<T>& kernels();

template <Side kSide, typename T>
void product(T* z, const FactorRow<T>& row) {
  kernels<T>().product[static_cast<int>(kSide)](z, row);
}
template <Side kSide, typename T>
void substitute(T* z, const T* b, const FactorRow<T>& row) {
  kernels<T>().substitute[static_cast<int>(kSide)](z, b, row);
}
template <typename T>
void sweep(T* z, const T* b, const FactorRow<T>& row) {
  kernels<T>().sweep(z, b, row);
}
template <typename T>
void add_products(T* acc, const T* a, const T* b, std::int64_t count) {
  kernels<T>().add_products(acc, a, b, count);
}
template <typename T>
void subtract_products(T* acc, const T* a, const T* b, std::int64_t count) {
  kernels<T>().subtract_products(acc, a, b, count);
}
template <typename T>
void multiply(T* acc, const T* a, std::int64_t count) {
  kernels<T>().multiply(acc, a, count);
}
template <typename T>
void subtract(T* out, const T* a, const T* b, std::int64_t count) {
  kernels<T>().subtract(out, a, b, count);
}
template <typename T>
void exponential(T* out, const T* x, T sign, std::int64_t count) {
  kernels<T>().exponential(out, x, sign, count);
}
template <typename T>
double sum_of_squares(const T* x, std::int64_t count) {
  return kernels<T>().sum_of_squares(x, count);
}
template <typename T>
double sum(const T* x, std::int64_t count) {
  return kernels<T>().sum(x, count);
}

}  // namespace supn::row
