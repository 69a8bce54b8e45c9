#include "supn/gaussian/divergence.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "gaussian/conditioning/dense_system.hpp"
#include "gaussian/in_float64.hpp"
#include "gaussian/sparse/factor_graph.hpp"
#include "gaussian/sparse/noise_rows.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// Returns the same distribution, with further neighbours of coefficient 0.
StructuredGaussian widened(const StructuredGaussian& gaussian, std::int64_t radius) {
  const Neighbourhood wide(radius);
  at::Tensor psi = at::zeros({gaussian.batch(), wide.size(), gaussian.height(), gaussian.width()},
                             gaussian.mean().options());
  const std::vector<Offset>& offsets = gaussian.neighbourhood().offsets();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const auto place = std::find(wide.offsets().begin(), wide.offsets().end(), offsets[k]);
    psi.select(1, place - wide.offsets().begin())
        .copy_(gaussian.off_diagonal().select(1, static_cast<std::int64_t>(k)));
  }
  return {gaussian.mean(), gaussian.log_diagonal(), psi, wide};
}

// Rows of Lᵀ: channel 0 is e^φ at the pixel itself, then ψ.
struct Stencil {
  at::Tensor coefficients;  // [B,K+1,H,W]
  std::vector<Offset> offsets;
};

Stencil stencil_of(const StructuredGaussian& gaussian) {
  Stencil stencil{at::cat({gaussian.log_diagonal().exp(), gaussian.off_diagonal()}, 1), {{0, 0}}};
  const std::vector<Offset>& offsets = gaussian.neighbourhood().offsets();
  stencil.offsets.insert(stencil.offsets.end(), offsets.begin(), offsets.end());
  return stencil;
}

// Returns Σ_n c_i[n]·c_j[n]·Cov(n + o_i, n + o_j), i ≤ j: [B].
at::Tensor pair_sum(const Stencil& stencil,
                    const LocalCovariances& covariances,
                    std::size_t i,
                    std::size_t j) {
  const Offset& a = stencil.offsets[i];
  const Offset& b = stencil.offsets[j];
  const std::int64_t height = stencil.coefficients.size(2);
  const std::int64_t width = stencil.coefficients.size(3);
  const std::int64_t left = std::max<std::int64_t>({0, -a.dx, -b.dx});
  const std::int64_t columns = width - left - std::max<std::int64_t>({0, a.dx, b.dx});
  const std::int64_t rows = height - b.dy;
  if (rows <= 0 || columns <= 0) {
    return at::zeros({stencil.coefficients.size(0)}, stencil.coefficients.options());
  }
  const auto coefficient = [&](std::size_t k) {
    return stencil.coefficients.select(1, static_cast<std::int64_t>(k))
        .narrow(1, 0, rows)
        .narrow(2, left, columns);
  };
  const at::Tensor covariance =
      covariances.values.select(1, covariances.channel({b.dy - a.dy, b.dx - a.dx}))
          .narrow(1, a.dy, rows)
          .narrow(2, left + a.dx, columns);
  return coefficient(i).mul(coefficient(j)).mul(covariance).sum({1, 2});
}

// Returns the same for both in raster order, from the covariances within the window of L₂.
at::Tensor expected_square_in_window(const StructuredGaussian& second,
                                     const StructuredGaussian& first) {
  const std::int64_t radius =
      std::max(first.neighbourhood().radius(), second.neighbourhood().radius());
  const LocalCovariances covariances = local_covariances(widened(first, radius));
  const Stencil stencil = stencil_of(second);
  at::Tensor sum = at::zeros({first.batch()}, first.mean().options());
  for (std::size_t i = 0; i < stencil.offsets.size(); ++i) {
    for (std::size_t j = i; j < stencil.offsets.size(); ++j) {
      sum.add_(pair_sum(stencil, covariances, i, j), i == j ? 1.0 : 2.0);
    }
  }
  return sum;
}

// Returns ‖L₁⁻¹L₂‖² of one image, L₁ in raster order, from columns of L₂ at positions begin … end −
// 1: L₁⁻¹ leaves what comes before a column's first pixel zero.
double square_of_columns(const StructuredGaussian& first,
                         const FactorGraph& second,
                         std::int64_t begin,
                         std::int64_t end) {
  std::int64_t top = first.height();
  for (std::int64_t position = begin; position < end; ++position) {
    second.visit_column(
        position, [&](std::int64_t pixel, double) { top = std::min(top, pixel / first.width()); });
  }
  const StructuredGaussian below = first.rows_from(top);
  at::Tensor columns =
      at::zeros({1, end - begin, below.height(), below.width()}, below.mean().options());
  double* column = columns.mutable_data_ptr<double>();
  for (std::int64_t position = begin; position < end; ++position) {
    second.visit_column(position, [&](std::int64_t pixel, double value) {
      column[pixel - top * first.width()] = value;
    });
    column += below.pixels();
  }
  return solve_factor(below, columns).square_().sum().item<double>();
}

// Returns ‖L₁⁻¹L₂‖² of one image, columns of neighbouring pixels at once: a draw of a raster factor
// depends on all pixels before.
double expected_square_by_columns(const StructuredGaussian& second,
                                  const StructuredGaussian& first) {
  const FactorGraph columns(second);
  const std::int64_t step = fields_at_once(first);
  double sum = 0.0;
  for (std::int64_t begin = 0; begin < first.pixels(); begin += step) {
    sum += square_of_columns(first, columns, begin, std::min(begin + step, first.pixels()));
  }
  return sum;
}

// tr(Λ₂Σ₁) = E‖L₂ᵀx‖² for x of covariance Σ₁, [B].
at::Tensor expected_square(const StructuredGaussian& second, const StructuredGaussian& first) {
  if (first.neighbourhood().is_raster() && second.neighbourhood().is_raster()) {
    return expected_square_in_window(second, first);
  }
  at::Tensor sum = at::zeros({first.batch()}, first.mean().options());
  for (std::int64_t b = 0; b < first.batch(); ++b) {
    sum[b] = first.neighbourhood().is_raster()
                 ? expected_square_by_columns(second.image(b), first.image(b))
                 : expected_square_by_rows(first.image(b), second.image(b));
  }
  return sum;
}

}  // namespace

at::Tensor kl_divergence(const StructuredGaussian& first, const StructuredGaussian& second) {
  TORCH_CHECK(first.batch() == second.batch() && first.size() == second.size(),
              "kl_divergence: both must have one batch and size, got means of ",
              first.mean().sizes(),
              " and ",
              second.mean().sizes());
  const StructuredGaussian p = in_float64_on_cpu(first);
  const StructuredGaussian q = in_float64_on_cpu(second);
  const at::Tensor shift = factor_transpose_times(q, p.mean().sub(q.mean()));
  const at::Tensor squares = expected_square(q, p).add(shift.square().sum({1, 2, 3}));
  const at::Tensor log_ratio = p.log_diagonal().sub(q.log_diagonal()).sum({1, 2, 3});
  return squares.sub(static_cast<double>(p.pixels()))
      .mul(0.5)
      .add(log_ratio)
      .to(first.mean().device());
}

}  // namespace supn
