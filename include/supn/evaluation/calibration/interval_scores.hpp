// Are intervals of depth right, and are they narrow? Of quantiles q_p at p = 0.05, 0.10 … 0.95 of a
// depth, or of a difference of two, against the true value y; D the true depth that a value belongs
// to (of a difference: the mean of both), so that everything is a share of the depth:
//
//   in 50, in 90   share of y within [q_.25, q_.75] and [q_.05, q_.95]
//   width          mean (q_.95 − q_.05)/D: sharpness, low is good where coverage is right
//   CRPS           mean over values of 2·Σ_p 0.05·(1{y ≤ q_p} − p)(q_p − y)/D: low is good
//   score          mean [q_.95 − q_.05 + 20·max(q_.05 − y, y − q_.95, 0)]/D: low is good
//
// CRPS and score are proper: the true distribution has the lowest (Gneiting and Raftery 2007).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>

namespace supn {

inline constexpr std::array<double, 19> kQuantileProbabilities{0.05,
                                                               0.10,
                                                               0.15,
                                                               0.20,
                                                               0.25,
                                                               0.30,
                                                               0.35,
                                                               0.40,
                                                               0.45,
                                                               0.50,
                                                               0.55,
                                                               0.60,
                                                               0.65,
                                                               0.70,
                                                               0.75,
                                                               0.80,
                                                               0.85,
                                                               0.90,
                                                               0.95};

struct IntervalScores {
  double in_50 = 0.0;
  double in_90 = 0.0;
  double width = 0.0;
  double crps = 0.0;
  double score = 0.0;
};

// Of one image's depths at single points, at the mean logits of regions, and of differences between
// points; what was not measured is empty.
struct DepthIntervals {
  std::optional<IntervalScores> points = std::nullopt;
  std::optional<IntervalScores> regions = std::nullopt;
  std::optional<IntervalScores> differences = std::nullopt;
};

// quantiles [19,K], truth and depth [K]. NaN where there are no values or a quantile is NaN. Throws
// c10::Error for other shapes.
IntervalScores interval_scores(const at::Tensor& quantiles,
                               const at::Tensor& truth,
                               const at::Tensor& depth);

}  // namespace supn
