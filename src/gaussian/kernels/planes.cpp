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
using supn::HWY_NAMESPACE::load_first;
using supn::HWY_NAMESPACE::store_first;
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

// The last elements of a row, fewer than a vector holds. What follows them in memory is not touched,
// since it may be another thread's.
template <typename T>
struct Rest {
  FullTag<T> d;
  std::int64_t count;
  explicit Rest(std::int64_t elements) : count(elements) {}
  HWY_INLINE auto load(const T* source) const { return load_first(d, source, count); }
  template <class V>
  HWY_INLINE void store(V value, T* target) const {
    store_first(d, value, target, count);
  }
  // Sums over the elements alone: the others may be 0/0.
  template <class V>
  HWY_INLINE double square_sum(V value) const {
    const V own = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), value);
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

// Elements j … of kSamples samples from `first` on.
template <std::int64_t kSamples, class Access, typename T>
HWY_INLINE void substitute_block(const Access& access,
                                 const Substitution<T>& step,
                                 const RowShape& shape,
                                 std::int64_t first,
                                 std::int64_t j) {
  const std::int64_t place = first * shape.stride + j;
  T* const row = step.row + place;
  hn::Vec<FullTag<T>> sum[kSamples];
  for (std::int64_t s = 0; s < kSamples; ++s) sum[s] = access.load(row + s * shape.stride);
  for (const Term<T>& term : step.terms) {
    const auto coefficient = access.load(term.coefficient + j);
    const T* const field = term.field + place;
    for (std::int64_t s = 0; s < kSamples; ++s) {
      sum[s] = fused_minus(coefficient, access.load(field + s * shape.stride), sum[s]);
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
  for (std::int64_t s = 0; s < kSamples; ++s) access.store(sum[s], row + s * shape.stride);
}

template <typename T>
void substitute_rows(const Substitution<T>& step, const RowShape& shape) {
  for_each_vector<T>(shape.length, [&](const auto& access, std::int64_t j) SUPN_LAMBDA {
    std::int64_t s = 0;
    for (; s + kTogether <= shape.samples; s += kTogether) {
      substitute_block<kTogether>(access, step, shape, s, j);
    }
    for (; s < shape.samples; ++s) substitute_block<1>(access, step, shape, s, j);
  });
}

// Adds kSamples samples from `first` on; the first ones start the sums.
template <std::int64_t kSamples, class Access, typename T>
HWY_INLINE void sum_block(const Access& access,
                          const SampleSums<T>& sums,
                          const RowShape& shape,
                          std::int64_t first,
                          std::int64_t j) {
  const FullTag<T> d;
  hn::Vec<FullTag<T>> own[kSamples];
  for (std::int64_t s = 0; s < kSamples; ++s) {
    own[s] = access.load(sums.own + (first + s) * sums.apart + j);
    if (sums.weights != nullptr) own[s] = hn::Mul(own[s], hn::Set(d, sums.weights[first + s]));
  }
  const auto start = [&](const T* sum)
                         SUPN_LAMBDA { return first == 0 ? hn::Zero(d) : access.load(sum + j); };
  if (sums.own_sum != nullptr) {
    auto total = start(sums.own_sum);
    for (std::int64_t s = 0; s < kSamples; ++s) total = hn::Sub(total, own[s]);
    access.store(total, sums.own_sum + j);
  }
  for (const SampleSum<T>& sum : sums.sums) {
    auto total = start(sum.sum);
    const T* const field = sum.field + first * shape.stride + j;
    for (std::int64_t s = 0; s < kSamples; ++s) {
      total = fused(own[s], access.load(field + s * shape.stride), total);
    }
    access.store(total, sum.sum + j);
  }
}

template <typename T>
void sum_rows(const SampleSums<T>& sums, const RowShape& shape) {
  for_each_vector<T>(shape.length, [&](const auto& access, std::int64_t j) SUPN_LAMBDA {
    std::int64_t s = 0;
    for (; s + kTogether <= shape.samples; s += kTogether) {
      sum_block<kTogether>(access, sums, shape, s, j);
    }
    for (; s < shape.samples; ++s) sum_block<1>(access, sums, shape, s, j);
  });
}

void substitute_f32(const Substitution<float>& s, const RowShape& r) { substitute_rows(s, r); }
void substitute_f64(const Substitution<double>& s, const RowShape& r) { substitute_rows(s, r); }
void sum_f32(const SampleSums<float>& s, const RowShape& r) { sum_rows(s, r); }
void sum_f64(const SampleSums<double>& s, const RowShape& r) { sum_rows(s, r); }

}  // namespace
}  // namespace supn::planes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace supn::planes {
namespace {

HWY_EXPORT(substitute_f32);
HWY_EXPORT(substitute_f64);
HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_f64);
}  // namespace

void substitute(const Substitution<float>& step, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(substitute_f32)(step, shape);
}
void substitute(const Substitution<double>& step, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(substitute_f64)(step, shape);
}
void sum_over_samples(const SampleSums<float>& sums, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(sum_f32)(sums, shape);
}
void sum_over_samples(const SampleSums<double>& sums, const RowShape& shape) {
  HWY_DYNAMIC_DISPATCH(sum_f64)(sums, shape);
}

}  // namespace supn::planes
#endif
