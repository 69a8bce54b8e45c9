#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

#include "gaussian/ops/ops.hpp"
#include "supn/gaussian/neighbourhood.hpp"

namespace supn::composite {
namespace {

// y[n] = x[n + o], zero where n + o is outside the image.
at::Tensor shifted(const at::Tensor& x, const Offset& offset) {
  const std::int64_t height = x.size(2);
  const std::int64_t width = x.size(3);
  const std::int64_t dy = std::abs(offset.dy);
  const std::int64_t dx = std::abs(offset.dx);
  return at::constant_pad_nd(x, {dx, dx, dy, dy})
      .slice(2, dy + offset.dy, dy + offset.dy + height)
      .slice(3, dx + offset.dx, dx + offset.dx + width);
}

// ψ_k, zero where the neighbour is outside the image whatever the map holds there.
at::Tensor coefficient(const FactorMaps& factor, std::int64_t k, const Offset& offset) {
  const at::Tensor& psi = factor.off_diagonal;
  const at::Tensor outside =
      shifted(at::ones({1, 1, psi.size(2), psi.size(3)}, psi.options()), offset).eq(0);
  return psi.slice(1, k, k + 1).masked_fill(outside, 0);
}

// Channels in the order of the operations: farthest row first, left to right; own row, nearest
// last.
std::vector<std::int64_t> channel_order(std::int64_t radius) {
  std::vector<std::int64_t> order;
  const std::int64_t side = 2 * radius + 1;
  for (std::int64_t dy = radius; dy >= 1; --dy) {
    for (std::int64_t i = 0; i < side; ++i) order.push_back(radius + (dy - 1) * side + i);
  }
  for (std::int64_t dx = radius; dx >= 1; --dx) order.push_back(dx - 1);
  return order;
}

// The factor of the image turned by 180 degrees, whose Lᵀ is this one's L.
FactorMaps turned(const FactorMaps& factor) {
  const std::vector<Offset> offsets = Neighbourhood(factor.radius).offsets();
  std::vector<at::Tensor> channels;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const at::Tensor psi = coefficient(factor, static_cast<std::int64_t>(k), offsets[k]);
    channels.push_back(shifted(psi, {-offsets[k].dy, -offsets[k].dx}));
  }
  const at::Tensor off_diagonal = channels.empty() ? factor.off_diagonal : at::cat(channels, 1);
  return {factor.log_diagonal.flip({2, 3}), off_diagonal.flip({2, 3}), factor.radius};
}

// Wavefronts: the pixels with one value t = x + (r + 1)·y depend only on greater t. skewed brings
// [B,C,H,W] to [T,B,C,H] with zeros where t has no pixel in the row.
class Skew {
 public:
  Skew(const at::Tensor& like, std::int64_t radius)
      : height_(like.size(2)), width_(like.size(3)), slope_(radius + 1) {}

  std::int64_t waves() const { return width_ + slope_ * (height_ - 1); }

  at::Tensor skewed(const at::Tensor& x) const {
    const at::Tensor padded = at::constant_pad_nd(x, {0, pitch() - width_}).contiguous();
    return view(padded).permute({3, 0, 1, 2}).contiguous();
  }

  at::Tensor straightened(const at::Tensor& waves_of_x) const {
    const at::Tensor x = waves_of_x.permute({1, 2, 3, 0});
    at::Tensor padded = at::zeros({x.size(0), x.size(1), height_, pitch()}, x.options());
    view(padded).copy_(x);
    return padded.slice(3, 0, width_).contiguous();
  }

 private:
  std::int64_t pitch() const { return waves() + slope_; }

  // Rows of `pitch` elements, each read one slope later than the one above: row y, column t is
  // x = t − (r + 1)·y, and falls into the padding where that is outside.
  at::Tensor view(const at::Tensor& padded) const {
    const std::int64_t image = height_ * pitch();
    return padded.as_strided({padded.size(0), padded.size(1), height_, waves()},
                             {padded.size(1) * image, image, pitch() - slope_, 1});
  }

  std::int64_t height_;
  std::int64_t width_;
  std::int64_t slope_;
};

}  // namespace

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  const std::vector<Offset> offsets = Neighbourhood(factor.radius).offsets();
  at::Tensor result = at::zeros_like(x);
  for (const std::int64_t k : channel_order(factor.radius)) {
    const Offset& o = offsets[static_cast<std::size_t>(k)];
    result = result.add(shifted(coefficient(factor, k, o).mul(x), {-o.dy, -o.dx}));
  }
  return result.add(factor.log_diagonal.exp().mul(x));
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  const std::vector<Offset> offsets = Neighbourhood(factor.radius).offsets();
  at::Tensor result = at::zeros_like(x);
  for (const std::int64_t k : channel_order(factor.radius)) {
    const Offset& o = offsets[static_cast<std::size_t>(k)];
    result = at::addcmul(result, coefficient(factor, k, o), shifted(x, o));
  }
  return at::addcmul(result, factor.log_diagonal.exp(), x);
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  return solve_factor_transpose(turned(factor), b.flip({2, 3})).flip({2, 3});
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  const std::int64_t r = factor.radius;
  const std::int64_t height = b.size(2);
  const std::vector<Offset> offsets = Neighbourhood(r).offsets();
  const Skew skew(b, r);
  std::vector<at::Tensor> coefficients;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const at::Tensor psi = coefficient(factor, static_cast<std::int64_t>(k), offsets[k]);
    coefficients.push_back(skew.skewed(psi));
  }
  const at::Tensor inverse = skew.skewed(factor.log_diagonal.neg().exp());
  const at::Tensor waves_of_b = skew.skewed(b);
  // Waves and rows beyond the image are zero.
  const std::int64_t reach = r + r * (r + 1);
  at::Tensor solution =
      at::constant_pad_nd(at::zeros_like(waves_of_b), {0, r, 0, 0, 0, 0, 0, reach});
  const std::vector<std::int64_t> order = channel_order(r);
  for (std::int64_t t = skew.waves() - 1; t >= 0; --t) {
    at::Tensor wave = waves_of_b.select(0, t);
    for (const std::int64_t k : order) {
      const Offset& o = offsets[static_cast<std::size_t>(k)];
      const at::Tensor neighbour =
          solution.select(0, t + o.dx + (r + 1) * o.dy).slice(2, o.dy, o.dy + height);
      wave =
          at::addcmul(wave, coefficients[static_cast<std::size_t>(k)].select(0, t), neighbour, -1);
    }
    solution.select(0, t).slice(2, 0, height).copy_(wave.mul(inverse.select(0, t)));
  }
  return skew.straightened(solution.slice(0, 0, skew.waves()).slice(3, 0, height));
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  const std::vector<Offset> offsets = Neighbourhood(factor.radius).offsets();
  std::vector<at::Tensor> coefficients;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    coefficients.push_back(coefficient(factor, static_cast<std::int64_t>(k), offsets[k]));
  }
  const at::Tensor inverse = factor.log_diagonal.neg().exp();
  at::Tensor solution = at::zeros_like(b);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    at::Tensor next = b;
    for (const std::int64_t k : channel_order(factor.radius)) {
      const auto i = static_cast<std::size_t>(k);
      next = at::addcmul(next, coefficients[i], shifted(solution, offsets[i]), -1);
    }
    solution = next.mul(inverse);
  }
  return solution;
}

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  const Neighbourhood neighbourhood(factor.radius);
  std::vector<at::Tensor> channels;
  for (const Offset& offset : neighbourhood.offsets()) {
    channels.push_back(p.mul(shifted(q, offset)).sum(1));
  }
  const at::Tensor off_diagonal =
      channels.empty() ? at::zeros_like(factor.off_diagonal) : at::stack(channels, 1);
  return {factor.log_diagonal.exp().mul(p.mul(q).sum(1, true)), off_diagonal};
}

at::Tensor sum_of_squares(const at::Tensor& x) { return x.to(at::kDouble).square().sum({2, 3}); }

at::Tensor sum_of_values(const at::Tensor& x) { return x.to(at::kDouble).sum({2, 3}); }

}  // namespace supn::composite
