#include "torch_peer.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <numbers>

#include "../sparse_factor.hpp"
#include "../timing.hpp"

namespace supn::bench {
namespace {

at::Tensor loss_of_whitened(const at::Tensor& whitened, const StructuredGaussian& gaussian) {
  const double constant =
      0.5 * static_cast<double>(gaussian.pixels()) * std::log(2 * std::numbers::pi);
  const auto samples = static_cast<double>(whitened.size(0));
  return whitened.square().sum().mul(0.5 / samples) - gaussian.log_diagonal().sum() + constant;
}

// Samples as a batch [S,1,H,W], as convolutions take them.
at::Tensor as_batch(const at::Tensor& field) { return field.transpose(0, 1); }

at::Tensor conv2d_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  const at::Tensor x = as_batch(d - gaussian.mean());
  const at::Tensor filters = one_hot_filters(gaussian.neighbourhood(), d.options());
  const at::Tensor neighbours =
      at::conv2d(x, filters, {}, 1, gaussian.neighbourhood().radius());  // [S,K,H,W]
  const at::Tensor whitened = gaussian.log_diagonal().exp() * x +
                              (neighbours * gaussian.off_diagonal()).sum(1, /*keepdim=*/true);
  return loss_of_whitened(whitened, gaussian);
}

at::Tensor shift_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  const std::int64_t r = gaussian.neighbourhood().radius();
  const at::Tensor x = as_batch(d - gaussian.mean());
  const at::Tensor padded = at::constant_pad_nd(x, {r, r, 0, r});
  at::Tensor whitened = gaussian.log_diagonal().exp() * x;
  const std::vector<Offset>& offsets = gaussian.neighbourhood().offsets();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const at::Tensor shifted = padded.narrow(2, offsets[k].dy, gaussian.height())
                                   .narrow(3, r + offsets[k].dx, gaussian.width());
    const auto channel = static_cast<std::int64_t>(k);
    whitened = whitened + gaussian.off_diagonal().narrow(1, channel, 1) * shifted;
  }
  return loss_of_whitened(whitened, gaussian);
}

StructuredGaussian with_leaves(const StructuredGaussian& gaussian) {
  const auto leaf = [](const at::Tensor& map) { return map.detach().clone().requires_grad_(); };
  return {leaf(gaussian.mean()),
          leaf(gaussian.log_diagonal()),
          leaf(gaussian.off_diagonal()),
          gaussian.neighbourhood()};
}

}  // namespace

at::Tensor one_hot_filters(const Neighbourhood& neighbourhood, const at::TensorOptions& options) {
  const std::int64_t r = neighbourhood.radius();
  at::Tensor filters = at::zeros({neighbourhood.size(), 1, 2 * r + 1, 2 * r + 1}, options);
  const std::vector<Offset>& offsets = neighbourhood.offsets();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    filters.select(0, static_cast<std::int64_t>(k))
        .select(0, 0)
        .select(0, r + offsets[k].dy)
        .select(0, r + offsets[k].dx)
        .fill_(1);
  }
  return filters;
}

at::Tensor conv2d_jacobi(const StructuredGaussian& gaussian,
                         const at::Tensor& b,
                         std::int64_t sweeps) {
  const at::NoGradGuard no_grad;
  const std::int64_t r = gaussian.neighbourhood().radius();
  const at::Tensor filters = one_hot_filters(gaussian.neighbourhood(), b.options());
  const at::Tensor inverse_diagonal = gaussian.log_diagonal().neg().exp();
  const at::Tensor right = as_batch(b).contiguous();
  at::Tensor solution = at::zeros_like(right);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    const at::Tensor neighbours = at::conv2d(solution, filters, {}, 1, r);
    const at::Tensor coupled = (neighbours * gaussian.off_diagonal()).sum(1, /*keepdim=*/true);
    solution = (right - coupled) * inverse_diagonal;
  }
  return as_batch(solution).contiguous();
}

Competitor conv2d_jacobi_solve(const StructuredGaussian& gaussian,
                               const at::Tensor& b,
                               std::int64_t sweeps) {
  auto answer = [gaussian, b, sweeps] {
    return std::vector<at::Tensor>{conv2d_jacobi(gaussian, b, sweeps)};
  };
  return {"LibTorch conv2d Jacobi J=" + std::to_string(sweeps),
          "f32, eager, no graph, oneDNN as shipped, all threads",
          answer,
          clocked([answer] { answer(); }),
          static_cast<double>(b.size(1))};
}

Competitor loss_with_gradients(const std::string& name,
                               const std::string& settings,
                               const StructuredGaussian& gaussian,
                               const at::Tensor& d,
                               LossOf loss) {
  auto answer = [leaves = with_leaves(gaussian), d, loss] {
    for (at::Tensor map : {leaves.mean(), leaves.log_diagonal(), leaves.off_diagonal()}) {
      map.mutable_grad() = at::Tensor();
    }
    const at::Tensor value = loss(leaves, d);
    value.backward();
    return std::vector<at::Tensor>{value.detach(),
                                   leaves.mean().grad(),
                                   leaves.log_diagonal().grad(),
                                   leaves.off_diagonal().grad()};
  };
  return {name, settings, answer, clocked([answer] { answer(); })};
}

Competitor conv2d_likelihood(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return loss_with_gradients("LibTorch conv2d, one-hot filters",
                             "f32, eager, autograd, all threads",
                             gaussian,
                             d,
                             conv2d_loss);
}

Competitor shift_likelihood(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return loss_with_gradients(
      "LibTorch shifted products", "f32, eager, autograd, all threads", gaussian, d, shift_loss);
}

Competitor dense_normal_samples(const StructuredGaussian& gaussian, const at::Tensor& b) {
  const at::NoGradGuard no_grad;
  const SparseFactor sparse = sparse_factor(gaussian);
  const std::int64_t pixels = gaussian.pixels();
  at::Tensor factor_transpose = at::zeros({pixels, pixels}, at::TensorOptions(at::kDouble));
  auto entry = factor_transpose.accessor<double, 2>();
  for (std::int64_t n = 0; n < pixels; ++n) {
    const auto begin = static_cast<std::size_t>(sparse.column_start[static_cast<std::size_t>(n)]);
    const auto end = static_cast<std::size_t>(sparse.column_start[static_cast<std::size_t>(n) + 1]);
    for (std::size_t i = begin; i < end; ++i) entry[n][sparse.row[i]] = sparse.value[i];
  }
  const at::Tensor root = at::linalg_solve_triangular(
      factor_transpose, at::eye(pixels, factor_transpose.options()), /*upper=*/true);
  const at::Tensor scale = root.to(b.scalar_type()).t().contiguous();
  const at::Tensor right = b.reshape({b.size(1), pixels});
  auto answer = [scale, right, like = b] {
    return std::vector<at::Tensor>{at::matmul(right, scale).reshape(like.sizes())};
  };
  return {"LibTorch dense normal, scale ready",
          "f32, one matrix product, all threads",
          answer,
          clocked([answer] { answer(); }),
          static_cast<double>(b.size(1))};
}

}  // namespace supn::bench
