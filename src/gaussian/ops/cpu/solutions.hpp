// Substitutions of both orders are asked for solutions of given right-hand sides, and for samples,
// whose right-hand sides are drawn. `substitute(result, rhs, sink)` does the work, result
// [B,S,H,W]; rhs(image, first) and sink(image, first) say what to solve for and where results go,
// from sample `first` on.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <span>

#include "gaussian/huge_pages.hpp"
#include "gaussian/kernels/substitution.hpp"
#include "gaussian/ops/cpu/substitution.hpp"

namespace supn::cpu {

// Results of this many bytes don't stay in a cache.
constexpr std::int64_t kPastCachesBytes = std::int64_t{16} << 20;

template <typename T>
Store store_of(const at::Tensor& result) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(result.const_data_ptr<T>()) % 64 == 0 &&
                       result.size(3) % 16 == 0;
  const bool large = result.numel() * static_cast<std::int64_t>(sizeof(T)) >= kPastCachesBytes;
  return aligned && large ? Store::kPastCaches : Store::kCached;
}

template <typename T, typename Substitute>
at::Tensor solutions(const at::Tensor& rhs, const Substitute& substitute) {
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = empty_on_huge_pages(b.sizes(), b.options());
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  const Store store = store_of<T>(result);
  const auto place = [&](std::int64_t image, std::int64_t first) {
    return (image * b.size(1) + first) * b.size(2) * b.size(3);
  };
  substitute(
      result,
      [&](std::int64_t image, std::int64_t first) {
        return RightHandSide<T>{in + place(image, first), {}};
      },
      [&](std::int64_t image, std::int64_t first) {
        return Sink<T>{out + place(image, first), nullptr, nullptr, nullptr, store};
      });
  return result;
}

template <typename T, typename Substitute>
ExactSamples samples(const at::Tensor& mean_map,
                     std::span<const std::uint64_t> seeds,
                     const SampleRange& range,
                     const Substitute& substitute) {
  const at::Tensor mean = mean_map.contiguous();
  const std::int64_t pixels = mean.size(2) * mean.size(3);
  const auto f64 = mean.options().dtype(at::kDouble);
  ExactSamples result{
      empty_on_huge_pages({mean.size(0), range.count, mean.size(2), mean.size(3)}, mean.options()),
      at::empty({mean.size(0), range.count}, f64),
      at::empty({mean.size(0), range.count}, f64)};
  const T* means = mean.const_data_ptr<T>();
  T* values = result.values.mutable_data_ptr<T>();
  double* residual_squares = result.residual_squares.mutable_data_ptr<double>();
  double* noise_squares = result.noise_squares.mutable_data_ptr<double>();
  const Store store = store_of<T>(result.values);
  substitute(
      result.values,
      [&](std::int64_t image, std::int64_t first) {
        const auto sample = static_cast<std::uint64_t>(range.first + first);
        return RightHandSide<T>{nullptr, {seeds[static_cast<std::size_t>(image)], sample, 0}};
      },
      [&](std::int64_t image, std::int64_t first) {
        const std::int64_t at = image * range.count + first;
        return Sink<T>{values + at * pixels,
                       means + image * pixels,
                       residual_squares + at,
                       noise_squares + at,
                       store};
      });
  return result;
}

}  // namespace supn::cpu
