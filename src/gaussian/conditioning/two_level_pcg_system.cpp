#include "gaussian/conditioning/two_level_pcg_system.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <span>
#include <vector>

#include "gaussian/in_float64.hpp"
#include "gaussian/sparse/pixel_rows.hpp"

namespace supn {
namespace {

constexpr std::int64_t kBlock = 64;
// One noise in 64 pixels is kept whole: 30 to 40 iterations for a laser scan on a smooth field,
// where a stride of 16 takes 75 to 200.
constexpr std::int64_t kCoarseStride = 8;
// Share of its variance by which each observation of P is noisier than it is.
constexpr double kRegularisation = 1e-9;
// Rows of V that are held at once: some 25 MB.
constexpr std::int64_t kRowsAtOnce = 32 * kBlock;

std::int64_t blocks_of(std::int64_t observations) { return (observations + kBlock - 1) / kBlock; }

// Adds what the rows of each block have in common at the fine levels to blocks [n, kBlock, kBlock].
void add_fine(const FactorGraph& graph, const PixelRows& rows, const at::Tensor& blocks) {
  at::parallel_for(0, blocks_of(rows.size()), 1, [&](std::int64_t first, std::int64_t last) {
    FineCovariance fine(graph);
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = block * kBlock;
      const std::int64_t size = std::min(kBlock, rows.size() - begin);
      const at::Tensor sums = at::zeros({size, size}, blocks.options());
      const CovarianceBlock part{sums.mutable_data_ptr<double>(), begin, size};
      for (std::int64_t row = begin; row < begin + size; row += kRowLanes) {
        fine.add(rows, row, part);
      }
      blocks[block].narrow(0, 0, size).narrow(1, 0, size).add_(sums);
    }
  });
}

// Turns [m] into [blocks, kBlock], the last one filled up with ones.
at::Tensor in_blocks(const at::Tensor& values) {
  const std::int64_t missing = blocks_of(values.size(0)) * kBlock - values.size(0);
  return at::constant_pad_nd(values, {0, missing}, 1.0).view({-1, kBlock});
}

}  // namespace

TwoLevelPcgSystem::TwoLevelPcgSystem(const StructuredGaussian& gaussian,
                                     const ObservationSet& observations,
                                     const PcgLimits& limits,
                                     PcgReport& report)
    : gaussian_(gaussian), observations_(observations), limits_(limits), report_(report) {
  const FactorGraph graph(in_float64_on_cpu(gaussian));
  const std::span<const std::int64_t> pixels = observations.pixels;
  const at::Tensor blocks = in_blocks(observations.noise_variance.cpu()).diag_embed();
  std::vector<at::Tensor> coarse;
  for (std::size_t first = 0; first < pixels.size(); first += kRowsAtOnce) {
    const auto count = std::min<std::size_t>(kRowsAtOnce, pixels.size() - first);
    const PixelRows rows(graph, pixels.subspan(first, count), kCoarseStride);
    coarse.push_back(rows.coarse());
    const auto block = static_cast<std::int64_t>(first) / kBlock;
    add_fine(graph, rows, blocks.narrow(0, block, blocks_of(rows.size())));
  }
  coarse_ = at::cat(coarse);
  // A pixel of the coarse levels has no finer noise: without this, B had no inverse if it is exact.
  const at::Tensor variance = blocks.diagonal(0, 1, 2).add(in_blocks(coarse_.square().sum(1)));
  blocks.diagonal(0, 1, 2).add_(variance, kRegularisation);
  const at::Device device = gaussian.mean().device();
  coarse_ = coarse_.to(device);
  blocks_ = at::cholesky_inverse(at::linalg_cholesky(blocks)).to(device);
  at::Tensor capacitance = coarse_.t().matmul(blocks_solved(coarse_.t()).t());
  capacitance.diagonal().add_(1.0);
  coarse_cholesky_ = at::linalg_cholesky(capacitance);
}

at::Tensor TwoLevelPcgSystem::blocks_solved(const at::Tensor& residuals) const {
  const std::int64_t count = blocks_.size(0);
  const std::int64_t missing = count * kBlock - residuals.size(1);
  const at::Tensor columns = at::constant_pad_nd(residuals, {0, missing}).t();
  const at::Tensor solved = at::bmm(blocks_, columns.reshape({count, kBlock, -1}));
  return solved.view({count * kBlock, -1}).t().narrow(1, 0, residuals.size(1));
}

at::Tensor TwoLevelPcgSystem::solve(const at::Tensor& residuals) const {
  const auto times = [&](const at::Tensor& x) {
    const at::Tensor field = scattered(x, observations_.pixels, gaussian_.size());
    return gathered(covariance_times(gaussian_, field), observations_.pixels)
        .add(x.mul(observations_.noise_variance));
  };
  const auto preconditioned = [&](const at::Tensor& r) {
    const at::Tensor pulled = blocks_solved(r).matmul(coarse_);
    const at::Tensor common = at::cholesky_solve(pulled.t(), coarse_cholesky_);
    return blocks_solved(r.sub(coarse_.matmul(common).t()));
  };
  return conjugate_gradients(residuals.contiguous(), times, preconditioned, limits_, report_);
}

at::Tensor TwoLevelPcgSystem::correction(const at::Tensor& residuals) {
  return covariance_times(gaussian_,
                          scattered(solve(residuals), observations_.pixels, gaussian_.size()));
}

at::Tensor TwoLevelPcgSystem::weights(const at::Tensor& residual,
                                      const at::Tensor& /*correction*/) {
  return solve(residual.unsqueeze(0)).squeeze(0);
}

}  // namespace supn
