// The inner loops of the CPU path: plain pointers, one image row or one flat range, no threads.
// T is float or double. Source and destination ranges must not overlap unless said.
#pragma once

#include <cstdint>

namespace supn::row {

// acc[i] ← fma(a[i], b[i], acc[i]).
template <typename T>
void add_products(T* acc, const T* a, const T* b, std::int64_t count);

// acc[i] ← fma(−a[i], b[i], acc[i]).
template <typename T>
void subtract_products(T* acc, const T* a, const T* b, std::int64_t count);

// Several products at once, tap j being coefficients[j·coefficient_step + i]·field[j·field_step +
// i]: acc[i] ← acc[i] ± tap 0 ± tap 1 ..., each fused, in this order. acc is read and written once,
// which also spares the stalls of loads that follow a store to an address 4096 bytes on.
template <typename T>
struct Window {
  const T* coefficients;
  std::int64_t coefficient_step;
  const T* field;
  std::int64_t field_step;
  std::int64_t taps;
};
template <typename T>
void add_window(T* acc, const Window<T>& window, std::int64_t count);
template <typename T>
void subtract_window(T* acc, const Window<T>& window, std::int64_t count);

// A row of Lᵀx: z[i] = Σ_k ψ_k·x[· + o_k] + e^φ·x[i] in the order of factor_rows.hpp, neighbours
// outside the image left out.
template <typename T>
struct ProductRow {
  const T* off_diagonal;    // ψ_0 of this row
  std::int64_t map_step;    // to ψ_1
  const T* diagonal;        // e^φ of this row
  const T* field;           // x of this row
  std::int64_t field_step;  // to the row below
  std::int64_t rows_below;  // there are, at most the radius
  std::int64_t width;
  std::int64_t radius;
};
template <typename T>
void transpose_product(T* z, const ProductRow<T>& row);

// acc[i] ← acc[i]·a[i].
template <typename T>
void multiply(T* acc, const T* a, std::int64_t count);

// out[i] = e^(sign·x[i]), within 2 ulp; overflow to infinity, underflow to zero, NaN stays.
template <typename T>
void exponential(T* out, const T* x, T sign, std::int64_t count);

// Σ x[i]² and Σ x[i] in f64, in eight interleaved partial sums: an order that no vector width
// changes.
template <typename T>
double sum_of_squares(const T* x, std::int64_t count);
template <typename T>
double sum(const T* x, std::int64_t count);

// The part of a substitution that runs along its own row. own + dx·stride is the coefficient row of
// the offset (0, dx + 1), dx < radius; inverse = e^−φ.
//   from the right:  acc[x] ← (acc[x] − Σ_{dx=r..1} own_dx[x]·acc[x + dx])·inverse[x]
//   from the left:   acc[x] ← (acc[x] − Σ_{dx=r..1} own_dx[x − dx]·acc[x − dx])·inverse[x]
template <typename T>
struct OwnRow {
  const T* own;
  std::int64_t stride;
  const T* inverse;
  std::int64_t width;
  std::int64_t radius;
};
template <typename T>
void substitute_from_right(T* acc, const OwnRow<T>& row);
template <typename T>
void substitute_from_left(T* acc, const OwnRow<T>& row);

}  // namespace supn::row
