#include "gaussian/ops/cpu/substitution.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "gaussian/kernels/samples_in_lanes.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/lone_sample.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"
#include "gaussian/ops/cpu/solutions.hpp"

namespace supn::cpu {
namespace {

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
  return solutions<T>(rhs, [&](const at::Tensor& result, const auto& b, const auto& sink) {
    substitute<kSide, T>(ContiguousFactor(factor), result, b, sink);
  });
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
    return samples<scalar_t>(
        mean, seeds, range, [&](const at::Tensor& result, const auto& b, const auto& sink) {
          substitute<Side::kLater, scalar_t>(ContiguousFactor(factor), result, b, sink);
        });
  });
}

}  // namespace supn::cpu
