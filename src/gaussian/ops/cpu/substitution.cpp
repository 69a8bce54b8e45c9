#include "gaussian/ops/cpu/substitution.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/kernels/samples_in_lanes.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/lone_sample.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"

namespace supn::cpu {
namespace {

// Results of this many bytes don't stay in a cache.
constexpr std::int64_t kPastCachesBytes = std::int64_t{16} << 20;

template <typename T>
Store store_of(const at::Tensor& result) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(result.const_data_ptr<T>()) % 64 == 0 &&
                       result.size(3) % 16 == 0;
  const bool large = result.numel() * static_cast<std::int64_t>(sizeof(T)) >= kPastCachesBytes;
  return aligned && large ? Store::kPastCaches : Store::kCached;
}

// Solves for every group of samples; b(image, first) and sink(image, first) say of what sample on.
template <Side kSide, typename T, typename Rhs, typename To>
void substitute(const ContiguousFactor& factor,
                const at::Tensor& result,
                const Rhs& b,
                const To& sink) {
  const std::int64_t images = result.size(0);
  const int threads = at::get_num_threads();
  const std::vector<SampleGroup> groups = sample_groups<T>({images, result.size(1), threads});
  const auto count = static_cast<std::int64_t>(groups.size());
  const std::int64_t tasks = images * count;
  const bool alone = groups.front().lanes == 1;
  const auto solve = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SampleGroup& group = groups[static_cast<std::size_t>(i % count)];
      const FactorView<T> view = factor.view<T>(i / count);
      const RightHandSide<T> rhs = b(i / count, group.first);
      const Sink<T> to = sink(i / count, group.first);
      if (group.lanes == 1) {
        LoneSample<kSide, T>(view, rhs, to).solve();
      } else {
        solve_samples_in_lanes<kSide>(view, rhs, to, group.count);
      }
    }
  };
  // Fewer samples than threads share out their rows.
  if (alone && tasks < threads && rows_fit_lanes(factor.view<T>(0))) return solve(0, tasks);
  const std::int64_t of_task = result.size(2) * result.size(3) * groups.front().lanes;
  at::parallel_for(0, tasks, std::max<std::int64_t>(1, kGrain / of_task), solve);
}

template <Side kSide, typename T>
at::Tensor solved(const FactorMaps& factor, const at::Tensor& rhs) {
  const at::Tensor b = rhs.contiguous();
  at::Tensor result = empty_on_huge_pages(b.sizes(), b.options());
  const T* in = b.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  const Store store = store_of<T>(result);
  const auto offset = [&](std::int64_t image, std::int64_t first) {
    return (image * b.size(1) + first) * b.size(2) * b.size(3);
  };
  substitute<kSide, T>(
      ContiguousFactor(factor),
      result,
      [&](std::int64_t image, std::int64_t first) {
        return RightHandSide<T>{in + offset(image, first), {}};
      },
      [&](std::int64_t image, std::int64_t first) {
        return Sink<T>{out + offset(image, first), nullptr, nullptr, nullptr, store};
      });
  return result;
}

template <typename T>
ExactSamples sampled(const FactorMaps& factor,
                     const at::Tensor& mean_map,
                     std::span<const std::uint64_t> seeds,
                     const SampleRange& range) {
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
  substitute<Side::kLater, T>(
      ContiguousFactor(factor),
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

}  // namespace

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(
      b.scalar_type(), "solve_factor", [&] { return solved<Side::kEarlier, scalar_t>(factor, b); });
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor_transpose", [&] {
    return solved<Side::kLater, scalar_t>(factor, b);
  });
}

ExactSamples sample_exactly(const FactorMaps& factor,
                            const at::Tensor& mean,
                            std::span<const std::uint64_t> seeds,
                            const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
    return sampled<scalar_t>(factor, mean, seeds, range);
  });
}

}  // namespace supn::cpu
