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

// Samples that go through a chain together: each coefficient is loaded once for all of them.
constexpr std::int64_t kTogether = 8;

// Whole vectors of a row.
template <typename T>
struct Whole {
  FullTag<T> d;
  HWY_INLINE auto load(const T* source) const { return hn::LoadU(d, source); }
  template <class V>
  HWY_INLINE void store(V value, T* target) const {
    hn::StoreU(value, d, target);
  }
  template <class V>
  HWY_INLINE double square_sum(V value) const {
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Mul(value, value))));
  }
};

// The last elements of a row, fewer than a vector holds.
template <typename T>
struct Rest {
  explicit Rest(std::int64_t count) : mask(hn::FirstN(d, static_cast<std::size_t>(count))) {}
  FullTag<T> d;
  hn::Mask<FullTag<T>> mask;
  HWY_INLINE auto load(const T* source) const { return hn::MaskedLoad(mask, d, source); }
  template <class V>
  HWY_INLINE void store(V value, T* target) const {
    hn::BlendedStore(value, mask, d, target);
  }
  // Sums over the mask's elements alone: the others may be 0/0.
  template <class V>
  HWY_INLINE double square_sum(V value) const {
    const V own = hn::IfThenElseZero(mask, value);
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Mul(own, own))));
  }
};

// run(access to a vector, its first element) along a row.
template <typename T, class Run>
HWY_INLINE void for_each_vector(std::int64_t length, const Run& run) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(FullTag<T>()));
  std::int64_t j = 0;
  for (; j + lanes <= length; j += lanes) run(Whole<T>(), j);
  if (j < length) run(Rest<T>(length - j), j);
}

// A row of all samples plus (kSign = 1) or minus (−1) the terms, elements j … of kSamples samples
// from `first` on. The scale and the residuals are those of Substitution.
template <std::int64_t kSign, std::int64_t kSamples, class Access, typename T>
HWY_INLINE void chain_block(const Access& access,
                            const Substitution<T>& step,
                            const RowShape& shape,
                            std::int64_t first,
                            std::int64_t j) {
  std::int64_t offset[kSamples];
  hn::Vec<FullTag<T>> sum[kSamples];
  for (std::int64_t s = 0; s < kSamples; ++s) {
    offset[s] = (first + s) * shape.stride + j;
    sum[s] = access.load(step.row + offset[s]);
  }
  for (const Term<T>& term : step.terms) {
    const auto coefficient = access.load(term.coefficient + j);
    for (std::int64_t s = 0; s < kSamples; ++s) {
      const auto value = access.load(term.field + offset[s]);
      sum[s] =
          kSign > 0 ? fused(coefficient, value, sum[s]) : fused_minus(coefficient, value, sum[s]);
    }
  }
  if (step.scale != nullptr) {
    const auto scale = access.load(step.scale + j);
    for (std::int64_t s = 0; s < kSamples; ++s) {
      const auto target = sum[s];
      sum[s] = hn::Mul(target, scale);
      if (step.residual_squares != nullptr) {
        const auto residual = hn::Sub(hn::Div(sum[s], scale), target);
        step.residual_squares[first + s] += access.square_sum(residual);
      }
    }
  }
  for (std::int64_t s = 0; s < kSamples; ++s) access.store(sum[s], step.row + offset[s]);
}

template <std::int64_t kSign, typename T>
void chain_rows(const Substitution<T>& step, const RowShape& shape) {
  for_each_vector<T>(shape.length, [&](const auto& access, std::int64_t j) SUPN_LAMBDA {
    std::int64_t s = 0;
    for (; s + kTogether <= shape.samples; s += kTogether) {
      chain_block<kSign, kTogether>(access, step, shape, s, j);
    }
    for (; s < shape.samples; ++s) chain_block<kSign, 1>(access, step, shape, s, j);
  });
}

template <typename T>
void sum_rows(const SampleSum<T>& sum, const RowShape& shape) {
  for_each_vector<T>(shape.length, [&](const auto& access, std::int64_t j) SUPN_LAMBDA {
    auto total = hn::Zero(FullTag<T>());
    for (std::int64_t s = 0; s < shape.samples; ++s) {
      const std::int64_t place = s * shape.stride + j;
      total = fused(access.load(sum.a + place), access.load(sum.b + place), total);
    }
    access.store(total, sum.sum + j);
  });
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

void substitute_f32(const Substitution<float>& s, const RowShape& r) { chain_rows<-1>(s, r); }
void substitute_f64(const Substitution<double>& s, const RowShape& r) { chain_rows<-1>(s, r); }
void add_products_f32(const Substitution<float>& s, const RowShape& r) { chain_rows<1>(s, r); }
void add_products_f64(const Substitution<double>& s, const RowShape& r) { chain_rows<1>(s, r); }
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
HWY_EXPORT(add_products_f32);
HWY_EXPORT(add_products_f64);
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
  HWY_DYNAMIC_DISPATCH(add_products_f32)({products.terms, nullptr, products.row}, shape);
}
void add_products(const Products<double>& products, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(add_products_f64)({products.terms, nullptr, products.row}, shape);
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
