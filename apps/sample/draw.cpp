#include "sample/draw.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <span>

namespace supn {
namespace {

// Samples that are in memory in float64 at once. A GPU takes as long for few as for many.
constexpr std::int64_t kGroup = 16;
constexpr std::int64_t kGroupOnGpu = 256;

// In raster order a sample takes 1,213 steps one after the other at 640x192. A GPU has to be told
// of them one by one, so that the CPU is ready sooner.
StructuredGaussian where_it_is_fast(const StructuredGaussian& gaussian) {
  return gaussian.neighbourhood().is_raster() ? gaussian.to(at::Device(at::kCPU)) : gaussian;
}

// Running sums of the deviations from the mean map.
class Spread {
 public:
  explicit Spread(at::Tensor origin)
      : origin_(std::move(origin)),
        sum_(at::zeros_like(origin_)),
        squares_(at::zeros_like(origin_)) {}

  // Sample by sample, so that the bits do not depend on the groups.
  void add(const at::Tensor& maps) {
    for (std::int64_t s = 0; s < maps.size(0); ++s) {
      const at::Tensor deviation = maps[s] - origin_;
      sum_ += deviation;
      squares_ += deviation * deviation;
      ++count_;
    }
  }
  at::Tensor std() const {
    const auto n = static_cast<double>(count_);
    return ((squares_ - sum_ * sum_ / n) / (n - 1.0)).clamp_min(0.0).sqrt();
  }

 private:
  at::Tensor origin_;
  at::Tensor sum_;
  at::Tensor squares_;
  std::int64_t count_ = 0;
};

void add_report(SolveReport& total, const SolveReport& group) {
  total.iterations = group.iterations;
  total.relative_residual = std::max(total.relative_residual, group.relative_residual);
  total.non_finite += group.non_finite;
}

}  // namespace

DrawnMaps draw(const StructuredGaussian& predicted,
               std::uint64_t seed,
               const DrawOptions& options,
               const ImageSize& size) {
  const at::NoGradGuard no_grad;
  const StructuredGaussian gaussian = where_it_is_fast(predicted);
  const at::Tensor mean = to_quantity(gaussian.mean()[0], options.output, size)[0];
  const std::int64_t most = mean.is_cpu() ? kGroup : kGroupOnGpu;
  DrawnMaps maps;
  maps.mean = mean.to(at::kCPU, at::kFloat);
  maps.samples = at::empty({options.count, size.height, size.width}, at::kFloat);
  Spread spread(mean);
  const std::int64_t total = std::max(options.count, options.std_samples);
  for (std::int64_t first = 0; first < total; first += most) {
    const std::int64_t count = std::min(most, total - first);
    const Samples drawn = sample(
        gaussian,
        std::span(&seed, 1),
        {.method = options.method, .iterations = options.iterations, .range = {first, count}});
    add_report(maps.report, drawn.report);
    const at::Tensor group = to_quantity(drawn.values[0], options.output, size);
    spread.add(group);
    const std::int64_t kept = std::min(count, options.count - first);
    if (kept > 0) maps.samples.narrow(0, first, kept).copy_(group.narrow(0, 0, kept));
  }
  maps.std = spread.std().to(at::kCPU, at::kFloat);
  return maps;
}

}  // namespace supn
