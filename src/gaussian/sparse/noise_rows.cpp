#include "gaussian/sparse/noise_rows.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>

namespace supn {
namespace {

constexpr std::int64_t kRowLanes = 16;

// Rows of V, one after the other.
struct Rows {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<std::int32_t>> positions;

  explicit Rows(std::size_t count) : values(count), positions(count) {}
  scattering::SparseRow row(std::size_t i) const { return {values[i], positions[i]}; }
};

Rows rows_of(const FactorGraph& graph, std::span<const std::int64_t> pixels) {
  Rows rows(pixels.size());
  const auto count = static_cast<std::int64_t>(pixels.size());
  const std::int64_t groups = (count + kRowLanes - 1) / kRowLanes;
  at::parallel_for(0, groups, 1, [&](std::int64_t begin, std::int64_t end) {
    SparseForwardSolver solver(graph, kRowLanes);
    std::vector<LaneEntry> entries;
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = group * kRowLanes;
      const std::int64_t lanes = std::min(kRowLanes, count - first);
      entries.clear();
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        entries.push_back({pixels[static_cast<std::size_t>(first + lane)], lane, 1.0});
      }
      solver.solve(entries, [&](std::int64_t position, const double* values) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          if (values[lane] == 0.0) continue;
          rows.values[static_cast<std::size_t>(first + lane)].push_back(values[lane]);
          rows.positions[static_cast<std::size_t>(first + lane)].push_back(
              static_cast<std::int32_t>(position));
        }
      });
    }
  });
  return rows;
}

}  // namespace

SparseForwardSolver::SparseForwardSolver(const FactorGraph& graph, std::int64_t lanes)
    : graph_(graph),
      lanes_(lanes),
      values_(static_cast<std::size_t>(lanes)),
      sums_(graph.pixels() * lanes),
      marked_(static_cast<std::size_t>((graph.pixels() + 63) / 64), 0) {
  std::fill_n(sums_.data(), graph.pixels() * lanes, 0.0);
}

void SparseForwardSolver::scatter(std::span<const LaneEntry> right_sides) {
  for (const LaneEntry& entry : right_sides) {
    const std::int64_t position = graph_.position(entry.pixel);
    sums_.data()[position * lanes_ + entry.lane] += entry.value;
    mark(position);
  }
  word_ = static_cast<std::int64_t>(marked_.size()) - 1;
}

std::int64_t SparseForwardSolver::take_last() {
  while (word_ >= 0 && marked_[static_cast<std::size_t>(word_)] == 0) --word_;
  if (word_ < 0) return -1;
  std::uint64_t& word = marked_[static_cast<std::size_t>(word_)];
  const int bit = 63 - std::countl_zero(word);
  word &= ~(std::uint64_t{1} << bit);
  return word_ * 64 + bit;
}

std::vector<double> covariance_of_pixels(const FactorGraph& graph,
                                         std::span<const std::int64_t> pixels) {
  const Rows rows = rows_of(graph, pixels);
  const auto count = static_cast<std::int64_t>(pixels.size());
  std::vector<double> covariance(static_cast<std::size_t>(count * count));
  const std::int64_t groups = (count + kRowLanes - 1) / kRowLanes;
  at::parallel_for(0, groups, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> block(static_cast<std::size_t>(graph.pixels() * kRowLanes), 0.0);
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = group * kRowLanes;
      const std::int64_t lanes = std::min(kRowLanes, count - first);
      const auto each_entry = [&](const auto& set) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          const scattering::SparseRow row = rows.row(static_cast<std::size_t>(first + lane));
          for (std::size_t i = 0; i < row.values.size(); ++i) {
            set(block[static_cast<std::size_t>(row.positions[i] * kRowLanes + lane)],
                row.values[i]);
          }
        }
      };
      each_entry([](double& place, double value) { place = value; });
      // The other half follows by symmetry.
      for (std::int64_t i = first; i < count; ++i) {
        double sums[kRowLanes] = {};
        scattering::add_inner_products(
            rows.row(static_cast<std::size_t>(i)), block.data(), kRowLanes, sums);
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          covariance[static_cast<std::size_t>(i * count + first + lane)] = sums[lane];
          covariance[static_cast<std::size_t>((first + lane) * count + i)] = sums[lane];
        }
      }
      each_entry([](double& place, double) { place = 0.0; });
    }
  });
  return covariance;
}

}  // namespace supn
