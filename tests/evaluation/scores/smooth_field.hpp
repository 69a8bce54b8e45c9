// A smooth Gaussian over a small image, and what is drawn from it.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/evaluation/scores/accuracy.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn::smooth_field {

inline constexpr std::int64_t kFieldHeight = 24;
inline constexpr std::int64_t kFieldWidth = 40;
inline constexpr double kFieldStd = 0.1;

// First-order autoregression along rows and columns with stationary std kFieldStd: smooth.
inline StructuredGaussian smooth() {
  const double a = 0.9;
  const double innovation = kFieldStd * (1.0 - a * a);
  const at::Tensor map = at::zeros({1, 1, kFieldHeight, kFieldWidth}, at::kDouble);
  at::Tensor off_diagonal = map.repeat({1, 4, 1, 1});
  off_diagonal.select(1, 0).fill_(-a / innovation);     // right
  off_diagonal.select(1, 2).fill_(-a / innovation);     // below
  off_diagonal.select(1, 3).fill_(a * a / innovation);  // below right
  return {map.sub(2.5), map.sub(std::log(innovation)), off_diagonal, Neighbourhood(1)};
}

inline at::Tensor drawn(const StructuredGaussian& gaussian,
                        std::int64_t count,
                        std::uint64_t seed) {
  const std::array<std::uint64_t, 1> seeds{seed};
  return sample(gaussian, seeds, {.range = {0, count}}).values[0];
}

// The same marginals, independent pixels.
inline StructuredGaussian without_coupling(const StructuredGaussian& gaussian) {
  const at::Tensor variance = StructuredField(gaussian).variance();
  return {gaussian.mean(),
          variance.log().mul(-0.5).view({1, 1, kFieldHeight, kFieldWidth}),
          at::zeros({1, 0, kFieldHeight, kFieldWidth}, at::kDouble),
          Neighbourhood(0)};
}

inline EvaluationConfig config() {
  EvaluationConfig result;
  result.protocol = AccuracyProtocol::kEigenBenchmark;
  result.samples = 40;
  return result;
}

inline GroundTruth truth_from(const at::Tensor& logits) {
  const at::Tensor depth = depth_from_disparity(disparity_from_logit(logits, {}), 5.4);
  return ground_truth(depth, AccuracyProtocol::kEigenBenchmark);
}

}  // namespace supn::smooth_field
