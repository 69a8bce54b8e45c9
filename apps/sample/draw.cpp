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

  void add(const at::Tensor& map) {
    const at::Tensor deviation = map - origin_;
    sum_ += deviation;
    squares_.addcmul_(deviation, deviation);
    ++count_;
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
    // Map by map: so the bits do not depend on the groups, and a map stays in the cache.
    for (std::int64_t s = 0; s < count; ++s) {
      const at::Tensor map = to_quantity(drawn.values[0].narrow(0, s, 1), options.output, size)[0];
      spread.add(map);
      if (first + s < options.count) maps.samples[first + s].copy_(map);
    }
  }
  maps.std = spread.std().to(at::kCPU, at::kFloat);
  return maps;
}

}  // namespace supn
