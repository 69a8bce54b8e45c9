#include "gaussian/ops/cpu/substitution.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "gaussian/kernels/samples_in_lanes.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/cpu/lone_sample.hpp"
#include "gaussian/ops/cpu/sample_groups.hpp"
#include "gaussian/ops/cpu/solve_tasks.hpp"

namespace supn::cpu {
namespace {

// Solves for every group of a task's samples.
template <Side kSide, typename T, typename Task>
auto substitute(const FactorMaps& maps, const Task& task) {
  const ContiguousFactor factor(maps);
  const at::Tensor& values = task.values();
  const int threads = at::get_num_threads();
  const std::vector<SampleGroup> groups =
      sample_groups<T>({values.size(0), values.size(1), threads});
  const auto count = static_cast<std::int64_t>(groups.size());
  const std::int64_t tasks = values.size(0) * count;
  const bool alone = groups.front().lanes == 1;
  const bool by_strips = rows_fit_lanes(factor.view<T>(0));
  const auto solve = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SampleGroup& group = groups[static_cast<std::size_t>(i % count)];
      const FactorView<T> view = factor.view<T>(i / count);
      const RightHandSide<T> rhs = task.rhs(i / count, group.first);
      const Sink<T> sink = task.sink(i / count, group.first);
      if (group.lanes > 1) {
        solve_samples_in_lanes<kSide>(view, rhs, sink, group.count);
      } else if (by_strips) {
        LoneSample<kSide, T>(view, rhs, sink).solve_by_strips();
      } else {
        LoneSample<kSide, T>(view, rhs, sink).solve_by_rows();
      }
    }
  };
  const std::int64_t of_task = values.size(2) * values.size(3) * groups.front().lanes;
  if (alone && tasks < threads && by_strips) {
    solve(0, tasks);  // fewer samples than threads share out their rows
  } else {
    at::parallel_for(0, tasks, std::max<std::int64_t>(1, kGrain / of_task), solve);
  }
  return task.result();
}

}  // namespace

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor", [&] {
    return substitute<Side::kEarlier, scalar_t>(factor, SolveTask<scalar_t>(b));
  });
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_factor_transpose", [&] {
    return substitute<Side::kLater, scalar_t>(factor, SolveTask<scalar_t>(b));
  });
}

ExactSamples sample_exactly(const FactorMaps& factor,
                            const at::Tensor& mean,
                            std::span<const std::uint64_t> seeds,
                            const SampleRange& range) {
  return AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "sample_exactly", [&] {
    return substitute<Side::kLater, scalar_t>(factor, SampleTask<scalar_t>(mean, seeds, range));
  });
}

}  // namespace supn::cpu
