#include "gaussian/sparse/noise_rows.hpp"

#include <algorithm>
#include <bit>

namespace supn {
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

}  // namespace supn
