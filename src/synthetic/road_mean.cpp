#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <numbers>

#include "road_noise.hpp"
#include "supn/synthetic/road.hpp"

namespace supn {
namespace {

constexpr int kWaves = 32;
constexpr double kLookLength = 0.15;   // of the process over looks; each colour lies in [0, 1]
constexpr double kSharedByLook = 1.8;  // of s

// [1 2 1]/4 along both axes, edges repeated.
at::Tensor smoothed(const at::Tensor& map) {
  at::Tensor result = map;
  for (const std::int64_t axis : {0, 1}) {
    const std::int64_t last = result.size(axis) - 1;
    const at::Tensor before =
        at::cat({result.narrow(axis, 0, 1), result.narrow(axis, 0, last)}, axis);
    const at::Tensor after =
        at::cat({result.narrow(axis, 1, last), result.narrow(axis, last, 1)}, axis);
    result = (before + result * 2.0 + after) * 0.25;
  }
  return result;
}

// disparity = 0.01 + 9.99·sigmoid(logit), depth = scale / disparity.
at::Tensor logit_of_depth(const at::Tensor& depth, double scale) {
  const at::Tensor sigmoid = ((scale / depth) - 0.01) / 9.99;
  return (sigmoid / (1.0 - sigmoid)).log();
}

double standard_normal(road::SceneRandom& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform(0.0, 1.0)));
  return radius * std::cos(random.uniform(0.0, 2.0 * std::numbers::pi));
}

}  // namespace

at::Tensor shared_misjudgement(const at::Tensor& rgb, std::uint64_t world) {
  at::Tensor colour = rgb.to(at::kDouble) / 255.0;
  for (int pass = 0; pass < 6; ++pass) colour = smoothed(colour);
  const at::Tensor greys = at::linspace(0.1, 0.9, 17, at::kDouble);
  road::SceneRandom random(world);
  at::Tensor sum = at::zeros_like(colour.select(2, 0));
  for (int wave = 0; wave < kWaves; ++wave) {
    const double phase = random.uniform(0.0, 2.0 * std::numbers::pi);
    at::Tensor angle = sum.new_full(sum.sizes(), phase);
    double frequency = 0.0;  // along the greys
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const double slope = standard_normal(random) / kLookLength;
      angle.add_(colour.select(2, channel), slope);
      frequency += slope;
    }
    sum.add_(angle.cos()).sub_((greys * frequency + phase).cos().mean());
  }
  return sum * std::sqrt(2.0 / kWaves);
}

at::Tensor road_mean(const RoadView& view, const RoadSpread& spread, const RoadEnsemble& ensemble) {
  TORCH_CHECK(ensemble.scale > 0.01 * kRoadSkyDepth,
              "road_mean: expected a scale above ",
              0.01 * kRoadSkyDepth,
              " (the sky's disparity must stay above 0.01), got ",
              ensemble.scale);
  return smoothed(logit_of_depth(road_depth(view), ensemble.scale)) +
         spread.std * shared_misjudgement(view.rgb, ensemble.world) * kSharedByLook;
}

}  // namespace supn
