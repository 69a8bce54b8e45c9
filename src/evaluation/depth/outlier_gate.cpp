#include "supn/evaluation/depth/outlier_gate.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace supn {
namespace {

// Pixels of the maps within which the larger distance explains the smaller one.
constexpr std::int64_t kReach = 32;

at::Tensor where_true(const at::Tensor& mask) { return mask.nonzero().reshape({-1}); }

struct Suspect {
  std::int64_t index;
  std::int64_t y;
  std::int64_t x;
};

bool is_near(const Suspect& a, const Suspect& b) {
  return std::max(std::abs(a.y - b.y), std::abs(a.x - b.x)) <= kReach;
}

// Marks, bool [n], those over the limit that have no worse one near them.
at::Tensor worst_nearby(const at::Tensor& distances,
                        const at::Tensor& over,
                        const at::Tensor& pixels,
                        std::int64_t width) {
  at::Tensor worst = at::zeros(over.sizes(), over.options());
  bool* const is_worst = worst.mutable_data_ptr<bool>();
  const bool* const is_over = over.const_data_ptr<bool>();
  const std::int64_t* const pixel = pixels.const_data_ptr<std::int64_t>();
  const at::Tensor order = distances.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  std::vector<Suspect> found;
  for (std::int64_t i = 0; i < order.size(0); ++i) {
    const std::int64_t index = order.const_data_ptr<std::int64_t>()[i];
    if (!is_over[index]) break;
    const Suspect suspect{index, pixel[index] / width, pixel[index] % width};
    const bool explained = std::any_of(
        found.begin(), found.end(), [&](const Suspect& other) { return is_near(suspect, other); });
    if (explained) continue;
    found.push_back(suspect);
    is_worst[index] = true;
  }
  return worst;
}

}  // namespace

Observations selected(const Observations& observations, const at::Tensor& index) {
  Observations result{observations.pixels.index_select(0, index),
                      observations.values.index_select(0, index),
                      observations.noise_variance};
  if (result.noise_variance.defined() && result.noise_variance.numel() > 1) {
    result.noise_variance = result.noise_variance.index_select(0, index);
  }
  return result;
}

GateResult gate_outliers(const StructuredGaussian& gaussian,
                         const Observations& observations,
                         const GateOptions& options) {
  TORCH_CHECK(options.limit > 0.0 && options.max_rounds > 0,
              "gate_outliers: expected a positive limit and max_rounds, got ",
              options.limit,
              " and ",
              options.max_rounds);
  GateResult result;
  result.kept = at::arange(observations.pixels.size(0), at::kLong);
  std::vector<at::Tensor> dropped{at::empty({0}, at::kLong)};
  std::vector<at::Tensor> distances{at::empty({0}, at::kDouble)};
  while (result.kept.size(0) > 0) {
    const Observations asked = selected(observations, result.kept);
    ConditionedGaussian conditioned(gaussian, asked, options.conditioning);
    const at::Tensor distance = conditioned.distances().contiguous();
    const at::Tensor over = distance.gt(options.limit);
    result.remaining = over.sum().item<std::int64_t>();
    ++result.rounds;
    if (result.remaining == 0 || result.rounds == options.max_rounds) break;
    const at::Tensor worst =
        worst_nearby(distance, over, asked.pixels.contiguous(), gaussian.width());
    dropped.push_back(result.kept.index_select(0, where_true(worst)));
    distances.push_back(distance.index_select(0, where_true(worst)));
    result.kept = result.kept.index_select(0, where_true(worst.logical_not()));
  }
  result.dropped = at::cat(dropped);
  result.distances = at::cat(distances);
  return result;
}

}  // namespace supn
