#include "gaussian/conditioning/two_level_pcg_system.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <span>
#include <vector>

#include "gaussian/in_float64.hpp"
#include "gaussian/sparse/pixel_rows.hpp"

namespace supn {
namespace {

constexpr std::int64_t kBlock = 128;
// One noise in 64 pixels is kept whole: 30 to 40 iterations for a laser scan on a smooth field,
// where a stride of 16 takes 75 to 200.
constexpr std::int64_t kCoarseStride = 8;
// Share of its variance by which each observation of P is noisier than it is.
constexpr double kRegularisation = 1e-9;
// Rows of V that are held at once: some 25 MB.
constexpr std::int64_t kRowsAtOnce = 16 * kBlock;

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

// Fills the first dimension up to whole blocks.
at::Tensor filled_up(const at::Tensor& rows, double value) {
  const std::int64_t missing = blocks_of(rows.size(0)) * kBlock - rows.size(0);
  std::vector<std::int64_t> pad(static_cast<std::size_t>(2 * rows.dim()), 0);
  pad.back() = missing;
  return at::constant_pad_nd(rows, pad, value);
}

// Returns B⁻¹ of some rows [blocks, kBlock, kBlock].
at::Tensor inverse_blocks(const FactorGraph& graph,
                          const PixelRows& rows,
                          const at::Tensor& noise_variance) {
  const at::Tensor blocks = filled_up(noise_variance, 1.0).view({-1, kBlock}).diag_embed();
  add_fine(graph, rows, blocks);
  // A pixel of the coarse levels has no finer noise: without this, B had no inverse if it is exact.
  const at::Tensor coarse = filled_up(rows.coarse().square().sum(1), 1.0).view({-1, kBlock});
  const at::Tensor variance = blocks.diagonal(0, 1, 2).add(coarse);
  blocks.diagonal(0, 1, 2).add_(variance, kRegularisation);
  return at::cholesky_inverse(at::linalg_cholesky(blocks));
}

}  // namespace

TwoLevelPcgSystem::TwoLevelPcgSystem(const StructuredGaussian& gaussian,
                                     const ObservationSet& observations,
                                     const PcgLimits& limits,
                                     SystemReport& report)
    : gaussian_(gaussian), observations_(observations), limits_(limits), report_(report) {
  const FactorGraph graph(in_float64_on_cpu(gaussian));
  const std::span<const std::int64_t> pixels = observations.pixels;
  const at::Tensor noise_variance = observations.noise_variance.cpu();
  std::vector<at::Tensor> blocks;
  at::Tensor capacitance;
  for (std::size_t first = 0; first < pixels.size(); first += kRowsAtOnce) {
    const auto count = std::min<std::size_t>(kRowsAtOnce, pixels.size() - first);
    const PixelRows rows(graph, pixels.subspan(first, count), kCoarseStride);
    const auto begin = static_cast<std::int64_t>(first);
    blocks.push_back(inverse_blocks(graph, rows, noise_variance.narrow(0, begin, rows.size())));
    if (!capacitance.defined()) capacitance = at::eye(rows.coarse().size(1), at::kDouble);
    add_part(filled_up(rows.coarse(), 0.0), blocks.back(), capacitance);
  }
  const at::Device device = gaussian.mean().device();
  blocks_ = at::cat(blocks).to(device);
  coarse_cholesky_ = at::linalg_cholesky(capacitance).to(device);
}

void TwoLevelPcgSystem::add_part(const at::Tensor& coarse,
                                 const at::Tensor& inverse,
                                 at::Tensor& capacitance) {
  constexpr std::int64_t kPanel = 256;
  const std::int64_t noises = coarse.size(1);
  const at::Tensor by_block = coarse.view({-1, kBlock, noises});
  const at::Tensor solved = at::bmm(inverse, by_block).view({-1, noises});
  for (std::int64_t first = 0; first < noises; first += kPanel) {
    const std::int64_t count = std::min(kPanel, noises - first);
    const std::int64_t below = noises - first;
    capacitance.narrow(0, first, below)
        .narrow(1, first, count)
        .addmm_(coarse.narrow(1, first, below).t(), solved.narrow(1, first, count));
  }
  // A block with fewer noises than another takes some that it has nothing of.
  const at::Tensor reached = by_block.ne(0.0).any(1).to(at::kByte);
  const std::int64_t most = reached.sum(1).max().item<std::int64_t>();
  const at::Tensor own = std::get<1>(reached.sort(1, /*descending=*/true)).narrow(1, 0, most);
  const at::Tensor rows = by_block.gather(2, own.unsqueeze(1).expand({-1, kBlock, -1}));
  const at::Device device = gaussian_.mean().device();
  coarse_.push_back({own.contiguous().to(device), rows.to(device)});
}

at::Tensor TwoLevelPcgSystem::in_blocks(const at::Tensor& values) const {
  return filled_up(values.t(), 0.0).view({-1, kBlock, values.size(0)}).transpose(1, 2);
}

at::Tensor TwoLevelPcgSystem::by_observation(const at::Tensor& blocks) const {
  return blocks.transpose(0, 1)
      .reshape({blocks.size(1), -1})
      .narrow(1, 0, observations_.size())
      .contiguous();
}

at::Tensor TwoLevelPcgSystem::coarse_transpose_times(const at::Tensor& blocks) const {
  const std::int64_t samples = blocks.size(1);
  at::Tensor result = at::zeros({samples, coarse_cholesky_.size(0)}, blocks.options());
  std::int64_t first = 0;
  for (const CoarsePart& part : coarse_) {
    const at::Tensor own = blocks.narrow(0, first, part.rows.size(0));
    const at::Tensor products = at::bmm(own, part.rows).transpose(0, 1).reshape({samples, -1});
    result.scatter_add_(1, part.noises.view({1, -1}).expand({samples, -1}), products);
    first += part.rows.size(0);
  }
  return result;
}

at::Tensor TwoLevelPcgSystem::coarse_times(const at::Tensor& noise) const {
  std::vector<at::Tensor> parts;
  for (const CoarsePart& part : coarse_) {
    const std::int64_t count = part.rows.size(0);
    const at::Tensor own =
        noise.index_select(1, part.noises.view(-1)).view({noise.size(0), count, -1});
    parts.push_back(at::bmm(own.transpose(0, 1), part.rows.transpose(1, 2)));
  }
  return at::cat(parts);
}

at::Tensor TwoLevelPcgSystem::solve(const at::Tensor& residuals) const {
  const auto times = [&](const at::Tensor& x) {
    const at::Tensor field = scattered(x, observations_.pixels, gaussian_.size());
    return gathered(covariance_times(gaussian_, field), observations_.pixels)
        .add(x.mul(observations_.noise_variance));
  };
  const auto preconditioned = [&](const at::Tensor& r) {
    const at::Tensor blocks = in_blocks(r);
    const at::Tensor pulled = coarse_transpose_times(at::bmm(blocks, blocks_));
    const at::Tensor common = at::cholesky_solve(pulled.t(), coarse_cholesky_).t();
    return by_observation(at::bmm(blocks.sub(coarse_times(common)), blocks_));
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
