#include "gaussian/sparse/pixel_rows.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>

#include "gaussian/kernels/scattering.hpp"
#include "gaussian/sparse/noise_rows.hpp"

namespace supn {
namespace {

// One noise in 256 pixels.
constexpr std::int64_t kCoarseStride = 16;

std::int64_t groups_of(std::int64_t rows) { return (rows + kRowLanes - 1) / kRowLanes; }

// Returns the bits of x with a zero after each.
std::int64_t spread(std::int64_t x) {
  std::int64_t result = 0;
  for (int bit = 0; x >> bit != 0; ++bit) result |= (x >> bit & 1) << (2 * bit);
  return result;
}

}  // namespace

std::int64_t place_on_curve(std::int64_t pixel, std::int64_t width) {
  return spread(pixel / width) << 1 | spread(pixel % width);
}

PixelRows::PixelRows(const FactorGraph& graph,
                     std::span<const std::int64_t> pixels,
                     std::int64_t coarse_stride)
    : graph_(graph), size_(static_cast<std::int64_t>(pixels.size())), first_fine_(graph.pixels()) {
  std::size_t fine = 0;
  for (const FactorGraph::Level& level : graph.levels()) {
    if (level.stride >= coarse_stride || level.begin == 0) continue;
    if (fine++ == 0) first_fine_ = level.begin;
  }
  levels_.assign(fine, std::vector<Row>(static_cast<std::size_t>(size_)));
  coarse_ = at::zeros({size_, first_fine_}, at::TensorOptions(at::kDouble));
  at::parallel_for(0, groups_of(size_), 1, [&](std::int64_t begin, std::int64_t end) {
    SparseForwardSolver solver(graph, kRowLanes);
    for (std::int64_t group = begin; group < end; ++group) {
      solve_group(solver, pixels, group * kRowLanes);
    }
  });
}

void PixelRows::solve_group(SparseForwardSolver& solver,
                            std::span<const std::int64_t> pixels,
                            std::int64_t first) {
  const std::int64_t lanes = std::min(kRowLanes, size_ - first);
  std::array<LaneEntry, kRowLanes> entries;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    entries[static_cast<std::size_t>(lane)] = {
        pixels[static_cast<std::size_t>(first + lane)], lane, 1.0};
  }
  const auto used = std::span(entries).first(static_cast<std::size_t>(lanes));
  solver.solve(used, [&](std::int64_t position, const double* values) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      if (values[lane] != 0.0) add(first + lane, position, values[lane]);
    }
  });
}

void PixelRows::add(std::int64_t row, std::int64_t position, double value) {
  if (position < first_fine_) {
    coarse_.mutable_data_ptr<double>()[row * first_fine_ + position] = value;
    return;
  }
  const std::size_t coarse = graph_.levels().size() - levels_.size();
  std::size_t level = levels_.size() - 1;
  while (position < graph_.levels()[coarse + level].begin) --level;
  Row& part = levels_[level][static_cast<std::size_t>(row)];
  part.values.push_back(value);
  part.positions.push_back(static_cast<std::int32_t>(position));
  const std::int64_t y = graph_.pixel(position) / graph_.width();
  const std::int64_t x = graph_.pixel(position) % graph_.width();
  part.extent.add({y, y, x, x});
}

void PixelRows::Extent::add(const Extent& other) {
  top = std::min(top, other.top);
  bottom = std::max(bottom, other.bottom);
  left = std::min(left, other.left);
  right = std::max(right, other.right);
}

FineCovariance::FineCovariance(const FactorGraph& graph) : block_(graph.pixels() * kRowLanes) {
  std::fill_n(block_.data(), graph.pixels() * kRowLanes, 0.0);
}

void FineCovariance::add(const PixelRows& rows, std::int64_t first, const CovarianceBlock& block) {
  const std::int64_t end = block.begin + block.size;
  const std::int64_t lanes = std::min(kRowLanes, end - first);
  const auto sum = [&](std::int64_t i, std::int64_t j) -> double& {
    return block.data[(i - block.begin) * block.size + j - block.begin];
  };
  for (const std::vector<PixelRows::Row>& level : rows.levels_) {
    const auto row = [&](std::int64_t i) -> const PixelRows::Row& {
      return level[static_cast<std::size_t>(i)];
    };
    PixelRows::Extent reach;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const PixelRows::Row& own = row(first + lane);
      reach.add(own.extent);
      for (std::size_t i = 0; i < own.values.size(); ++i) {
        block_.data()[own.positions[i] * kRowLanes + lane] = own.values[i];
      }
    }
    for (std::int64_t i = first; i < end; ++i) {
      if (!reach.meets(row(i).extent)) continue;
      double products[kRowLanes] = {};
      scattering::add_inner_products(
          {row(i).values, row(i).positions}, block_.data(), kRowLanes, products);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        sum(i, first + lane) += products[lane];
        // Pairs inside the group come twice.
        if (i >= first + lanes) sum(first + lane, i) += products[lane];
      }
    }
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (const std::int32_t position : row(first + lane).positions) {
        block_.data()[position * kRowLanes + lane] = 0.0;
      }
    }
  }
}

at::Tensor covariance_of_pixels(const FactorGraph& graph, std::span<const std::int64_t> pixels) {
  const PixelRows rows(graph, pixels, kCoarseStride);
  const at::Tensor covariance = rows.coarse().matmul(rows.coarse().t());
  const CovarianceBlock all{covariance.mutable_data_ptr<double>(), 0, rows.size()};
  at::parallel_for(0, groups_of(rows.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    FineCovariance fine(graph);
    for (std::int64_t group = begin; group < end; ++group) fine.add(rows, group * kRowLanes, all);
  });
  return covariance;
}

}  // namespace supn
