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
// Fewer pixels lie far apart: more of them side by side would share little and take more memory.
constexpr std::int64_t kFewPixels = 512;

std::int64_t groups_of(std::int64_t rows, std::int64_t lanes) { return (rows + lanes - 1) / lanes; }

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
  const std::int64_t lanes = size_ < kFewPixels ? kRowLanes / 2 : kRowLanes;
  at::parallel_for(0, groups_of(size_, lanes), 1, [&](std::int64_t begin, std::int64_t end) {
    SparseForwardSolver solver(graph, lanes);
    for (std::int64_t group = begin; group < end; ++group) {
      solve_group(solver, pixels, group * lanes);
    }
  });
}

void PixelRows::solve_group(SparseForwardSolver& solver,
                            std::span<const std::int64_t> pixels,
                            std::int64_t first) {
  const std::int64_t lanes = std::min(solver.lanes(), size_ - first);
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

std::int64_t PixelRows::fine_entries() const {
  std::size_t count = 0;
  for (const std::vector<Row>& level : levels_) {
    for (const Row& row : level) count += row.values.size();
  }
  return static_cast<std::int64_t>(count);
}

at::Tensor PixelRows::transpose_times(const at::Tensor& weights) const {
  at::Tensor result = at::zeros({weights.size(0), graph_.pixels()}, weights.options());
  const at::Tensor own = weights.contiguous();
  const at::Tensor common = own.matmul(coarse_);
  at::parallel_for(0, weights.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      double* out = result.mutable_data_ptr<double>() + s * graph_.pixels();
      const double* coarse = common.const_data_ptr<double>() + s * first_fine_;
      for (std::int64_t p = 0; p < first_fine_; ++p) out[graph_.pixel(p)] = coarse[p];
      for (const std::vector<Row>& level : levels_) {
        const double* weight = own.const_data_ptr<double>() + s * size_;
        for (const Row& row : level) {
          for (std::size_t i = 0; i < row.values.size(); ++i) {
            out[graph_.pixel(row.positions[i])] += *weight * row.values[i];
          }
          ++weight;
        }
      }
    }
  });
  return result;
}

void PixelRows::Extent::add(const Extent& other) {
  top = std::min(top, other.top);
  bottom = std::max(bottom, other.bottom);
  left = std::min(left, other.left);
  right = std::max(right, other.right);
}

void FineCovariance::spread(const std::vector<PixelRows::Row>& level,
                            std::int64_t first,
                            std::int64_t lanes) {
  block_.clear();
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const PixelRows::Row& own = level[static_cast<std::size_t>(first + lane)];
    for (std::size_t i = 0; i < own.values.size(); ++i) {
      std::int32_t& place = place_[static_cast<std::size_t>(own.positions[i])];
      if (place == kNone) {
        place = static_cast<std::int32_t>(block_.size() / kRowLanes);
        block_.resize(block_.size() + kRowLanes, 0.0);
      }
      block_[static_cast<std::size_t>(place * kRowLanes + lane)] = own.values[i];
    }
  }
}

void FineCovariance::clear(const std::vector<PixelRows::Row>& level,
                           std::int64_t first,
                           std::int64_t lanes) {
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    for (const std::int32_t position : level[static_cast<std::size_t>(first + lane)].positions) {
      place_[static_cast<std::size_t>(position)] = kNone;
    }
  }
}

void FineCovariance::select(const PixelRows::Row& row) {
  values_.clear();
  places_.clear();
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const std::int32_t place = place_[static_cast<std::size_t>(row.positions[i])];
    if (place == kNone) continue;
    values_.push_back(row.values[i]);
    places_.push_back(place);
  }
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
    for (std::int64_t lane = 0; lane < lanes; ++lane) reach.add(row(first + lane).extent);
    spread(level, first, lanes);
    for (std::int64_t i = first; i < end; ++i) {
      if (!reach.meets(row(i).extent)) continue;
      select(row(i));
      double products[kRowLanes] = {};
      scattering::add_inner_products({values_, places_}, block_.data(), kRowLanes, products);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        sum(i, first + lane) += products[lane];
        // Pairs inside the group come twice.
        if (i >= first + lanes) sum(first + lane, i) += products[lane];
      }
    }
    clear(level, first, lanes);
  }
}

PixelRows rows_of_pixels(const FactorGraph& graph, std::span<const std::int64_t> pixels) {
  return {graph, pixels, kCoarseStride};
}

at::Tensor covariance_of(const FactorGraph& graph, const PixelRows& rows) {
  const at::Tensor covariance = rows.coarse().matmul(rows.coarse().t());
  const CovarianceBlock all{covariance.mutable_data_ptr<double>(), 0, rows.size()};
  at::parallel_for(
      0, groups_of(rows.size(), kRowLanes), 1, [&](std::int64_t begin, std::int64_t end) {
        FineCovariance fine(graph);
        for (std::int64_t group = begin; group < end; ++group)
          fine.add(rows, group * kRowLanes, all);
      });
  return covariance;
}

}  // namespace supn
