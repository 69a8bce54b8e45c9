#include "supn/gaussian/whitening_test.hpp"

#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gaussian/argument_checks.hpp"
#include "gaussian/in_float64.hpp"
#include "supn/gaussian/likelihood.hpp"

namespace supn {
namespace {

// Products of pairs of independent standard normals have variance 1.
at::Tensor lag_score(const at::Tensor& z, const Offset& lag) {
  const std::int64_t rows = z.size(2) - lag.dy;
  const std::int64_t columns = z.size(3) - std::abs(lag.dx);
  if (rows <= 0 || columns <= 0) return at::zeros({z.size(0)}, z.options());
  const std::int64_t left = std::max<std::int64_t>(0, -lag.dx);
  const at::Tensor here = z.narrow(2, 0, rows).narrow(3, left, columns);
  const at::Tensor there = z.narrow(2, lag.dy, rows).narrow(3, left + lag.dx, columns);
  const auto pairs = static_cast<double>(z.size(1) * rows * columns);
  return here.mul(there).sum({1, 2, 3}).div(std::sqrt(pairs));
}

}  // namespace

WhiteningTest whitening_test(const StructuredGaussian& gaussian, const at::Tensor& d) {
  check_field("whitening_test", gaussian, d);
  const at::Tensor z = whiten(in_float64(gaussian), d.detach().to(at::kDouble));
  const auto n = static_cast<double>(z.size(1) * gaussian.pixels());
  const at::Tensor squares = z.square();
  const at::Tensor second = squares.sum({1, 2, 3});
  const at::Tensor fourth = squares.square().sum({1, 2, 3});
  std::vector<at::Tensor> scores;
  for (const Offset& lag : kWhiteningLags) scores.push_back(lag_score(z, lag));
  return {z.sum({1, 2, 3}).div(std::sqrt(n)),
          second.sub(n).div(std::sqrt(2.0 * n)),
          fourth.div(second.square()).mul(n).sub(3.0).mul(std::sqrt(n / 24.0)),
          at::stack(scores, 1)};
}

}  // namespace supn
