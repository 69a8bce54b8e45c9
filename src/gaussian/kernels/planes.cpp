#include "gaussian/kernels/planes.hpp"

#include "gaussian/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gaussian/kernels/planes.cpp"
#include <hwy/foreach_target.h>
// Below foreach_target.h, which includes this file again.
#include "gaussian/kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace supn::planes::HWY_NAMESPACE {
namespace {

using supn::HWY_NAMESPACE::FullTag;
using supn::HWY_NAMESPACE::fused;
using supn::HWY_NAMESPACE::fused_minus;
namespace hn = hwy::HWY_NAMESPACE;

// Samples that go through a chain together: their accumulators hide the latency of an addition.
constexpr std::int64_t kTogether = 4;

// Writes one vector's worth or, at the end of a row, its first `count` elements.
template <class D, class V, typename T>
HWY_INLINE void store(D d, V value, T* target, std::int64_t count) {
  if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(value, d, target);
  } else {
    hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(count)), d, target);
  }
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> load(D d, const T* source, std::int64_t count) {
  if (count >= static_cast<std::int64_t>(hn::Lanes(d))) return hn::LoadU(d, source);
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, source);
}

// Elements j … of kSamples consecutive samples.
template <std::int64_t kSamples, typename T>
void substitute_block(const Substitution<T>& step,
                      const RowShape& shape,
                      std::int64_t first,
                      std::int64_t j) {
  const FullTag<T> d;
  const std::int64_t count = shape.length - j;
  hn::Vec<FullTag<T>> sum[kSamples];
  T* row = step.row + first * shape.stride + j;
  for (std::int64_t s = 0; s < kSamples; ++s) sum[s] = load(d, row + s * shape.stride, count);
  for (const Term<T>& term : step.terms) {
    const auto coefficient = load(d, term.coefficient + j, count);
    const T* field = term.field + first * shape.stride + j;
    for (std::int64_t s = 0; s < kSamples; ++s) {
      sum[s] = fused_minus(coefficient, load(d, field + s * shape.stride, count), sum[s]);
    }
  }
  if (step.scale != nullptr) {
    const auto scale = load(d, step.scale + j, count);
    for (std::int64_t s = 0; s < kSamples; ++s) sum[s] = hn::Mul(sum[s], scale);
  }
  for (std::int64_t s = 0; s < kSamples; ++s) store(d, sum[s], row + s * shape.stride, count);
}

template <std::int64_t kSamples, typename T>
void multiply_block(const Products<T>& products,
                    const RowShape& shape,
                    std::int64_t first,
                    std::int64_t j) {
  const FullTag<T> d;
  const std::int64_t count = shape.length - j;
  hn::Vec<FullTag<T>> sum[kSamples];
  T* row = products.row + first * shape.stride + j;
  for (std::int64_t s = 0; s < kSamples; ++s) sum[s] = load(d, row + s * shape.stride, count);
  for (const Term<T>& term : products.terms) {
    const auto coefficient = load(d, term.coefficient + j, count);
    const T* field = term.field + first * shape.stride + j;
    for (std::int64_t s = 0; s < kSamples; ++s) {
      sum[s] = fused(coefficient, load(d, field + s * shape.stride, count), sum[s]);
    }
  }
  for (std::int64_t s = 0; s < kSamples; ++s) store(d, sum[s], row + s * shape.stride, count);
}

// block<samples>(first sample, element) over all samples and elements.
template <typename T, class Four, class One>
void for_each_block(const RowShape& shape, const Four& four, const One& one) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FullTag<T>()));
  for (std::int64_t j = 0; j < shape.length; j += lanes) {
    std::int64_t s = 0;
    for (; s + kTogether <= shape.samples; s += kTogether) four(s, j);
    for (; s < shape.samples; ++s) one(s, j);
  }
}

template <typename T>
void substitute_rows(const Substitution<T>& step, const RowShape& shape) {
  for_each_block<T>(
      shape,
      [&](std::int64_t s, std::int64_t j)
          SUPN_LAMBDA { substitute_block<kTogether>(step, shape, s, j); },
      [&](std::int64_t s, std::int64_t j) SUPN_LAMBDA { substitute_block<1>(step, shape, s, j); });
}

template <typename T>
void multiply_rows(const Products<T>& products, const RowShape& shape) {
  for_each_block<T>(
      shape,
      [&](std::int64_t s, std::int64_t j)
          SUPN_LAMBDA { multiply_block<kTogether>(products, shape, s, j); },
      [&](std::int64_t s, std::int64_t j)
          SUPN_LAMBDA { multiply_block<1>(products, shape, s, j); });
}

template <typename T>
void sum_rows(const SampleSum<T>& sum, const RowShape& shape) {
  const FullTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < shape.length; j += lanes) {
    const std::int64_t count = shape.length - j;
    auto total = hn::Zero(d);
    for (std::int64_t s = 0; s < shape.samples; ++s) {
      total = fused(load(d, sum.a + s * shape.stride + j, count),
                    load(d, sum.b + s * shape.stride + j, count),
                    total);
    }
    store(d, total, sum.sum + j, count);
  }
}

template <typename T>
void deinterleave_row(const T* row, std::int64_t length, std::span<T* const> parts) {
  const auto phases = static_cast<std::int64_t>(parts.size());
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const FullTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; (j + lanes) * phases <= length; j += lanes) {
    hn::Vec<FullTag<T>> a, b, c, e;
    if (phases == 4) {
      hn::LoadInterleaved4(d, row + 4 * j, a, b, c, e);
      hn::StoreU(c, d, parts[2] + j);
      hn::StoreU(e, d, parts[3] + j);
    } else {
      hn::LoadInterleaved2(d, row + 2 * j, a, b);
    }
    hn::StoreU(a, d, parts[0] + j);
    hn::StoreU(b, d, parts[1] + j);
  }
#endif
  for (std::int64_t i = j * phases; i < length; ++i) {
    parts[static_cast<std::size_t>(i % phases)][i / phases] = row[i];
  }
}

template <typename T>
void interleave_row(std::span<const T* const> parts, std::int64_t length, T* row) {
  const auto phases = static_cast<std::int64_t>(parts.size());
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const FullTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; (j + lanes) * phases <= length; j += lanes) {
    const auto part = [&](std::size_t b) SUPN_LAMBDA { return hn::LoadU(d, parts[b] + j); };
    if (phases == 4) {
      hn::StoreInterleaved4(part(0), part(1), part(2), part(3), d, row + 4 * j);
    } else {
      hn::StoreInterleaved2(part(0), part(1), d, row + 2 * j);
    }
  }
#endif
  for (std::int64_t i = j * phases; i < length; ++i) {
    row[i] = parts[static_cast<std::size_t>(i % phases)][i / phases];
  }
}

void substitute_f32(const Substitution<float>& s, const RowShape& r) { substitute_rows(s, r); }
void substitute_f64(const Substitution<double>& s, const RowShape& r) { substitute_rows(s, r); }
void multiply_f32(const Products<float>& p, const RowShape& r) { multiply_rows(p, r); }
void multiply_f64(const Products<double>& p, const RowShape& r) { multiply_rows(p, r); }
void sum_f32(const SampleSum<float>& s, const RowShape& r) { sum_rows(s, r); }
void sum_f64(const SampleSum<double>& s, const RowShape& r) { sum_rows(s, r); }
void deinterleave_f32(const float* row, std::int64_t n, std::span<float* const> parts) {
  deinterleave_row(row, n, parts);
}
void deinterleave_f64(const double* row, std::int64_t n, std::span<double* const> parts) {
  deinterleave_row(row, n, parts);
}
void interleave_f32(std::span<const float* const> parts, std::int64_t n, float* row) {
  interleave_row(parts, n, row);
}
void interleave_f64(std::span<const double* const> parts, std::int64_t n, double* row) {
  interleave_row(parts, n, row);
}

}  // namespace
}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::planes {
namespace {

HWY_EXPORT(substitute_f32);
HWY_EXPORT(substitute_f64);
HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_f64);
HWY_EXPORT(deinterleave_f32);
HWY_EXPORT(deinterleave_f64);
HWY_EXPORT(interleave_f32);
HWY_EXPORT(interleave_f64);

}  // namespace

void substitute(const Substitution<float>& step, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(substitute_f32)(step, shape);
}
void substitute(const Substitution<double>& step, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(substitute_f64)(step, shape);
}
void add_products(const Products<float>& products, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(multiply_f32)(products, shape);
}
void add_products(const Products<double>& products, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(products, shape);
}
void sum_over_samples(const SampleSum<float>& sum, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(sum_f32)(sum, shape);
}
void sum_over_samples(const SampleSum<double>& sum, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(sum_f64)(sum, shape);
}
void deinterleave(const float* row, std::int64_t length, std::span<float* const> parts) {
  HWY_DYNAMIC_DISPATCH(deinterleave_f32)(row, length, parts);
}
void deinterleave(const double* row, std::int64_t length, std::span<double* const> parts) {
  HWY_DYNAMIC_DISPATCH(deinterleave_f64)(row, length, parts);
}
void interleave(std::span<const float* const> parts, std::int64_t length, float* row) {
  HWY_DYNAMIC_DISPATCH(interleave_f32)(parts, length, row);
}
void interleave(std::span<const double* const> parts, std::int64_t length, double* row) {
  HWY_DYNAMIC_DISPATCH(interleave_f64)(parts, length, row);
}

}  // namespace supn::planes
#endif
