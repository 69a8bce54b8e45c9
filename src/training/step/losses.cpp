#include "supn/training/losses.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// (0.005)²: where the members agree more closely than this, closer is not asked for.
constexpr double kVarianceFloor = 2.5e-5;
constexpr std::int64_t kSmallestBlock = 4;
// (0.001)²: differences of neighbours are smaller than the values; float16 files round to 0.0007.
constexpr double kDifferenceFloor = 1e-6;

// Independent streams of one image's noise.
enum class Stream : std::uint64_t { kTargets = 1, kEnergy = 2 };

void check_scales(const char* function, std::size_t first, std::size_t second) {
  TORCH_CHECK(first == second && first > 0,
              function,
              ": expected the same number of scales on both sides, at least one, got ",
              first,
              " and ",
              second);
}

void check_shapes(const char* function, const at::Tensor& mean, const at::Tensor& prediction) {
  const bool fits = prediction.dim() == 4 && mean.dim() == 4 &&
                    prediction.size(0) == mean.size(0) && prediction.size(1) > 0 &&
                    prediction.size(2) == mean.size(2) && prediction.size(3) == mean.size(3);
  TORCH_CHECK(fits,
              function,
              ": expected predictions [B,S,h,w] for a mean of shape ",
              mean.sizes(),
              ", got ",
              prediction.sizes());
}

at::Tensor squared_distance(const StructuredGaussian& gaussian, const at::Tensor& prediction) {
  return (prediction - gaussian.mean().detach()).square().mean(1, true);
}

// [B,count,h,w] of the dtype and device of `shape_of`.
at::Tensor noise_like(const at::Tensor& shape_of,
                      std::span<const std::uint64_t> seeds,
                      std::int64_t count,
                      std::size_t scale,
                      Stream stream) {
  std::vector<std::uint64_t> keys(seeds.begin(), seeds.end());
  const std::uint64_t salt = (static_cast<std::uint64_t>(stream) << 8U) + scale;
  // An odd multiplier keeps different (stream, scale) of one image apart for every seed.
  for (std::uint64_t& key : keys) key ^= salt * 0x9E3779B97F4A7C15ULL;
  return standard_normal(keys,
                         SampleRange{0, count},
                         ImageSize{shape_of.size(2), shape_of.size(3)},
                         shape_of.options());
}

at::Tensor log_block_energy(const at::Tensor& squares, std::int64_t block, double floor) {
  const std::array<std::int64_t, 2> sides{std::min(block, squares.size(2)),
                                          std::min(block, squares.size(3))};
  const at::Tensor energy = at::avg_pool2d(
      squares.mean(1, true), sides, /*stride=*/{}, /*padding=*/0, /*ceil_mode=*/true);
  return (energy + floor).log();
}

// x_{n+o} − x_n where both lie inside, for o = (0,lag), (lag,0), (lag,lag), (lag,−lag); x for lag
// 0.
std::vector<at::Tensor> differences(const at::Tensor& x, std::int64_t lag) {
  if (lag == 0) return {x};
  const std::int64_t h = x.size(2) - lag;
  const std::int64_t w = x.size(3) - lag;
  if (h < 1 || w < 1) return {};
  const at::Tensor left = x.narrow(3, 0, w);
  const at::Tensor right = x.narrow(3, lag, w);
  const auto upper = [&](const at::Tensor& map) { return map.narrow(2, 0, h); };
  const auto lower = [&](const at::Tensor& map) { return map.narrow(2, lag, h); };
  return {
      right - left, lower(x) - upper(x), lower(right) - upper(left), lower(left) - upper(right)};
}

// Returns the lags of a scale: finest >> scale, each once, with 0 for the values themselves.
std::vector<std::int64_t> lags_at(std::size_t scale, const std::vector<std::int64_t>& finest) {
  std::vector<std::int64_t> lags{0};
  for (const std::int64_t lag : finest) {
    lags.push_back(std::max<std::int64_t>(1, lag >> scale));
  }
  std::sort(lags.begin(), lags.end());
  lags.erase(std::unique(lags.begin(), lags.end()), lags.end());
  return lags;
}

std::int64_t block_at(std::size_t scale, std::int64_t finest) {
  return std::max(kSmallestBlock, finest >> scale);
}

}  // namespace

EnsembleNll ensemble_nll(std::span<const StructuredGaussian> gaussians,
                         std::span<const at::Tensor> predictions,
                         double bound) {
  check_scales("ensemble_nll", gaussians.size(), predictions.size());
  EnsembleNll nll;
  for (std::size_t scale = 0; scale < gaussians.size(); ++scale) {
    const StructuredGaussian& gaussian = gaussians[scale];
    check_shapes("ensemble_nll", gaussian.mean(), predictions[scale]);
    const double per_pixel = -1.0 / static_cast<double>(gaussian.pixels());
    const at::Tensor log_probs = log_prob(gaussian, predictions[scale]);
    nll.terms.push_back(log_probs.mean() * per_pixel);
    const at::Tensor term = std::isinf(bound)
                                ? nll.terms.back()
                                : (log_probs.mean(1) * per_pixel).clamp_min(-bound).mean();
    nll.total = scale == 0 ? term : nll.total + term;
  }
  return nll;
}

std::vector<at::Tensor> mean_l1(std::span<const at::Tensor> means,
                                std::span<const at::Tensor> predictions) {
  check_scales("mean_l1", means.size(), predictions.size());
  std::vector<at::Tensor> terms;
  for (std::size_t scale = 0; scale < means.size(); ++scale) {
    check_shapes("mean_l1", means[scale], predictions[scale]);
    terms.push_back((means[scale] - predictions[scale].mean(1, true)).abs().mean());
  }
  return terms;
}

at::Tensor std_matching(std::span<const at::Tensor> local_log_std,
                        std::span<const StructuredGaussian> gaussians,
                        std::span<const at::Tensor> predictions) {
  check_scales("std_matching", gaussians.size(), predictions.size());
  check_scales("std_matching", gaussians.size(), local_log_std.size());
  at::Tensor total;
  for (std::size_t scale = 0; scale < gaussians.size(); ++scale) {
    check_shapes("std_matching", gaussians[scale].mean(), predictions[scale]);
    TORCH_CHECK(local_log_std[scale].defined(),
                "std_matching: expected a local std at scale ",
                scale,
                ", got none (only off_diagonal factored with radius 2 has one)");
    const at::Tensor target =
        (squared_distance(gaussians[scale], predictions[scale]) + kVarianceFloor).log() * 0.5;
    const at::Tensor term = (local_log_std[scale] - target).square().mean();
    total = scale == 0 ? term : total + term;
  }
  return total;
}

at::Tensor energy_matching(std::span<const StructuredGaussian> gaussians,
                           std::span<const at::Tensor> predictions,
                           std::span<const std::uint64_t> seeds,
                           const EnergyOptions& options) {
  check_scales("energy_matching", gaussians.size(), predictions.size());
  at::Tensor total;
  for (std::size_t scale = 0; scale < gaussians.size(); ++scale) {
    const StructuredGaussian& gaussian = gaussians[scale];
    check_shapes("energy_matching", gaussian.mean(), predictions[scale]);
    const at::Tensor noise =
        noise_like(gaussian.mean(), seeds, options.samples, scale, Stream::kEnergy);
    const std::int64_t block = block_at(scale, options.block);
    const at::Tensor sampled =
        log_block_energy(solve_factor_transpose(gaussian, noise).square(), block, kVarianceFloor);
    const at::Tensor wanted =
        log_block_energy(squared_distance(gaussian, predictions[scale]), block, kVarianceFloor);
    const at::Tensor term = (sampled - wanted).square().mean() * 0.25;
    total = scale == 0 ? term : total + term;
  }
  return total;
}

at::Tensor variogram_matching(std::span<const StructuredGaussian> gaussians,
                              std::span<const at::Tensor> predictions,
                              std::span<const std::uint64_t> seeds,
                              const VariogramOptions& options) {
  check_scales("variogram_matching", gaussians.size(), predictions.size());
  std::vector<at::Tensor> totals;
  for (std::size_t scale = 0; scale < gaussians.size(); ++scale) {
    const StructuredGaussian& gaussian = gaussians[scale];
    const at::Tensor& members = predictions[scale];
    check_shapes("variogram_matching", gaussian.mean(), members);
    const at::Tensor deviations = members - gaussian.mean().detach();
    const at::Tensor samples = solve_factor_transpose(
        gaussian, noise_like(gaussian.mean(), seeds, options.samples, scale, Stream::kEnergy));
    const std::int64_t block = block_at(scale, options.block);
    std::vector<at::Tensor> terms;
    for (const std::int64_t lag : lags_at(scale, options.lags)) {
      const std::vector<at::Tensor> sampled = differences(samples, lag);
      const std::vector<at::Tensor> wanted = differences(deviations, lag);
      for (std::size_t i = 0; i < sampled.size(); ++i) {
        const at::Tensor distance = log_block_energy(sampled[i].square(), block, kDifferenceFloor) -
                                    log_block_energy(wanted[i].square(), block, kDifferenceFloor);
        terms.push_back(distance.square().mean() * 0.25);
      }
    }
    totals.push_back(at::stack(terms).mean());
  }
  return at::stack(totals).sum();
}

std::vector<at::Tensor> noisy_targets(std::span<const at::Tensor> predictions,
                                      std::span<const std::uint64_t> seeds,
                                      double std) {
  std::vector<at::Tensor> noisy(predictions.begin(), predictions.end());
  if (std == 0.0) return noisy;
  for (std::size_t scale = 0; scale < noisy.size(); ++scale) {
    const at::Tensor& clean = predictions[scale];
    noisy[scale] = clean + noise_like(clean, seeds, clean.size(1), scale, Stream::kTargets) * std;
  }
  return noisy;
}

}  // namespace supn
