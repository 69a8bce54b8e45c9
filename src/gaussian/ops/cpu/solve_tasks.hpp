// What substitutions of both orders solve for, and where solutions go: given right-hand sides, or
// samples, whose right-hand sides are drawn. A task has result tensors, values() [B,S,H,W] among
// them, and rhs(image, first) and sink(image, first) of an image's samples from `first` on.
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

template <typename T>
class SolveTask {
 public:
  explicit SolveTask(const at::Tensor& rhs)
      : b_(rhs.contiguous()),
        result_(empty_on_huge_pages(b_.sizes(), b_.options())),
        store_(store_of<T>(result_)) {}

  const at::Tensor& values() const { return result_; }
  const at::Tensor& result() const { return result_; }
  RightHandSide<T> rhs(std::int64_t image, std::int64_t first) const {
    return {b_.const_data_ptr<T>() + place(image, first), {}};
  }
  Sink<T> sink(std::int64_t image, std::int64_t first) const {
    T* to = result_.mutable_data_ptr<T>() + place(image, first);
    return {to, nullptr, nullptr, nullptr, store_};
  }

 private:
  std::int64_t place(std::int64_t image, std::int64_t first) const {
    return (image * b_.size(1) + first) * b_.size(2) * b_.size(3);
  }

  at::Tensor b_;
  at::Tensor result_;
  Store store_;
};

template <typename T>
class SampleTask {
 public:
  SampleTask(const at::Tensor& mean, std::span<const std::uint64_t> seeds, const SampleRange& range)
      : mean_(mean.contiguous()),
        seeds_(seeds),
        range_(range),
        result_{empty_on_huge_pages({mean.size(0), range.count, mean.size(2), mean.size(3)},
                                    mean.options()),
                at::empty({mean.size(0), range.count}, mean.options().dtype(at::kDouble)),
                at::empty({mean.size(0), range.count}, mean.options().dtype(at::kDouble))},
        store_(store_of<T>(result_.values)) {}

  const at::Tensor& values() const { return result_.values; }
  const ExactSamples& result() const { return result_; }
  RightHandSide<T> rhs(std::int64_t image, std::int64_t first) const {
    const auto sample = static_cast<std::uint64_t>(range_.first + first);
    return {nullptr, {seeds_[static_cast<std::size_t>(image)], sample, 0}};
  }
  Sink<T> sink(std::int64_t image, std::int64_t first) const {
    const std::int64_t at = image * range_.count + first;
    const std::int64_t pixels = mean_.size(2) * mean_.size(3);
    return {result_.values.mutable_data_ptr<T>() + at * pixels,
            mean_.const_data_ptr<T>() + image * pixels,
            result_.residual_squares.mutable_data_ptr<double>() + at,
            result_.noise_squares.mutable_data_ptr<double>() + at,
            store_};
  }

 private:
  at::Tensor mean_;
  std::span<const std::uint64_t> seeds_;
  SampleRange range_;
  ExactSamples result_;
  Store store_;
};

}  // namespace supn::cpu
