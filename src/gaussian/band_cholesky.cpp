#include "band_cholesky.hpp"

#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace supn {
namespace {

constexpr std::int64_t kTile = 128;
constexpr std::int64_t kSmallTile = 16;

// Small bands would drown in large tiles.
std::int64_t tile_of(std::int64_t bandwidth) { return bandwidth < kTile ? kSmallTile : kTile; }

std::int64_t groups_of(std::int64_t count, std::int64_t tile) { return (count + tile - 1) / tile; }

// X with X·C = B, C lower.
at::Tensor divided_by_lower(const at::Tensor& b, const at::Tensor& c) {
  return at::linalg_solve_triangular(c, b, /*upper=*/false, /*left=*/false);
}

}  // namespace

BandCholesky::BandCholesky(std::int64_t n, std::int64_t bandwidth)
    : n_(n),
      tile_(tile_of(bandwidth)),
      groups_(groups_of(n, tile_)),
      panel_rows_((1 + groups_of(bandwidth, tile_)) * tile_),
      panel_size_(panel_rows_ * tile_),
      panels_(at::zeros({groups_, panel_rows_, tile_}, at::TensorOptions().dtype(at::kDouble))),
      data_(panels_.mutable_data_ptr<double>()) {
  for (std::int64_t i = n_; i < groups_ * tile_; ++i) entry(i, i) = 1.0;
}

std::int64_t BandCholesky::bytes(std::int64_t n, std::int64_t bandwidth) {
  const std::int64_t tile = tile_of(bandwidth);
  return groups_of(n, tile) * (1 + groups_of(bandwidth, tile)) * tile * tile *
         static_cast<std::int64_t>(sizeof(double));
}

at::Tensor BandCholesky::diagonal_tile(std::int64_t group) const {
  return panels_.select(0, group).narrow(0, 0, tile_);
}

at::Tensor BandCholesky::below(std::int64_t group) const {
  const std::int64_t rows = std::min(panel_rows_, (groups_ - group) * tile_) - tile_;
  return panels_.select(0, group).narrow(0, tile_, rows);
}

bool BandCholesky::factorize() {
  for (std::int64_t group = 0; group < groups_; ++group) {
    at::Tensor diagonal = diagonal_tile(group);
    const auto [cholesky, info] = at::linalg_cholesky_ex(diagonal);
    if (info.item<int>() != 0) return false;
    diagonal.copy_(cholesky);
    at::Tensor rest = below(group);
    if (rest.size(0) == 0) continue;
    rest.copy_(at::linalg_solve_triangular(cholesky.mT(), rest, /*upper=*/true, /*left=*/false));
    for (std::int64_t row = 0; row < rest.size(0); row += tile_) {
      const std::int64_t rows = rest.size(0) - row;
      panels_.select(0, group + 1 + row / tile_)
          .narrow(0, 0, rows)
          .addmm_(rest.narrow(0, row, rows), rest.narrow(0, row, tile_).t(), 1, -1);
    }
  }
  return panels_.isfinite().all().item<bool>();
}

at::Tensor BandCholesky::solve(const at::Tensor& b) const {
  at::Tensor x = at::constant_pad_nd(b, {0, 0, 0, groups_ * tile_ - n_}).contiguous();
  for (std::int64_t group = 0; group < groups_; ++group) {
    at::Tensor own = x.narrow(0, group * tile_, tile_);
    own.copy_(at::linalg_solve_triangular(diagonal_tile(group), own, /*upper=*/false));
    const at::Tensor rest = below(group);
    if (rest.size(0) > 0) x.narrow(0, (group + 1) * tile_, rest.size(0)).addmm_(rest, own, 1, -1);
  }
  for (std::int64_t group = groups_ - 1; group >= 0; --group) {
    at::Tensor own = x.narrow(0, group * tile_, tile_);
    const at::Tensor rest = below(group);
    if (rest.size(0) > 0) {
      own.addmm_(rest.t(), x.narrow(0, (group + 1) * tile_, rest.size(0)), 1, -1);
    }
    own.copy_(at::linalg_solve_triangular(diagonal_tile(group).mT(), own, /*upper=*/true));
  }
  return x.narrow(0, 0, n_);
}

double BandCholesky::log_determinant() const {
  if (n_ == 0) return 0.0;
  const at::Tensor diagonals = panels_.narrow(1, 0, tile_).diagonal(0, 1, 2);
  return 2.0 * diagonals.log().sum().item<double>();
}

// With C = [C₁ 0; B C₂] and Z₂ the inverse of the unknowns after the group, G = B·C₁⁻¹:
// Z₂₁ = −Z₂G, Z₁ = C₁⁻ᵀC₁⁻¹ − GᵀZ₂₁. Only the part of Z₂ within the band is kept.
at::Tensor BandCholesky::inverse_diagonal() const {
  at::Tensor result = at::empty({groups_ * tile_}, panels_.options());
  at::Tensor later = at::empty({0, 0}, panels_.options());
  for (std::int64_t group = groups_ - 1; group >= 0; --group) {
    const at::Tensor rest = below(group);
    const std::int64_t rows = rest.size(0);
    at::Tensor own = at::cholesky_inverse(diagonal_tile(group));
    const at::Tensor g = divided_by_lower(rest, diagonal_tile(group));
    const at::Tensor kept = later.narrow(0, 0, rows).narrow(1, 0, rows);
    const at::Tensor cross = kept.matmul(g).neg();
    own.sub_(g.t().matmul(cross));
    result.narrow(0, group * tile_, tile_).copy_(own.diagonal());
    later = at::empty({tile_ + rows, tile_ + rows}, panels_.options());
    later.narrow(0, 0, tile_).narrow(1, 0, tile_).copy_(own);
    later.narrow(0, tile_, rows).narrow(1, 0, tile_).copy_(cross);
    later.narrow(0, 0, tile_).narrow(1, tile_, rows).copy_(cross.t());
    later.narrow(0, tile_, rows).narrow(1, tile_, rows).copy_(kept);
  }
  return result.narrow(0, 0, n_);
}

}  // namespace supn
