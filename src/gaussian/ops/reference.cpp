#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

#include "gaussian/ops/class_taps.hpp"
#include "gaussian/ops/ops.hpp"
#include "supn/gaussian/neighbourhood.hpp"

namespace supn::composite {
namespace {

constexpr std::int64_t kCoarsestRadius = 2;

std::vector<PixelClass> classes_of(const FactorMaps& factor) {
  return factor.neighbourhood.classes({factor.log_diagonal.size(2), factor.log_diagonal.size(3)});
}

// work(tap, ψ of the tap's channel at its pixels).
template <typename Work>
void for_each_tap(const FactorMaps& factor, const PixelClass& pixels, const Work& work) {
  const ImageSize size{factor.log_diagonal.size(2), factor.log_diagonal.size(3)};
  for (const Tap& tap : taps(pixels, size)) {
    work(tap, tap.at_pixel(factor.off_diagonal.narrow(1, tap.channel, 1)));
  }
}

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

// The factor of the image turned by 180 degrees, whose Lᵀ is this one's L.
FactorMaps turned(const FactorMaps& factor) {
  const std::vector<Offset> offsets = factor.neighbourhood.offsets();
  std::vector<at::Tensor> channels;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const at::Tensor psi = coefficient(factor, static_cast<std::int64_t>(k), offsets[k]);
    channels.push_back(shifted(psi, {-offsets[k].dy, -offsets[k].dx}));
  }
  const at::Tensor off_diagonal = channels.empty() ? factor.off_diagonal : at::cat(channels, 1);
  return {factor.log_diagonal.flip({2, 3}), off_diagonal.flip({2, 3}), factor.neighbourhood};
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

// Raster order.
at::Tensor raster_solve_transpose(const FactorMaps& factor, const at::Tensor& b) {
  const std::int64_t r = factor.neighbourhood.radius();
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
  for (std::int64_t t = skew.waves() - 1; t >= 0; --t) {
    at::Tensor wave = waves_of_b.select(0, t);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const Offset& o = offsets[k];
      const at::Tensor neighbour =
          solution.select(0, t + o.dx + (r + 1) * o.dy).slice(2, o.dy, o.dy + height);
      wave = at::addcmul(wave, coefficients[k].select(0, t), neighbour, -1);
    }
    solution.select(0, t).slice(2, 0, height).copy_(wave.mul(inverse.select(0, t)));
  }
  return skew.straightened(solution.slice(0, 0, skew.waves()).slice(3, 0, height));
}

at::Tensor raster_solve(const FactorMaps& factor, const at::Tensor& b) {
  return raster_solve_transpose(turned(factor), b.flip({2, 3})).flip({2, 3});
}

// The coarsest grid is a raster factor on an image of its own.
FactorMaps coarsest(const FactorMaps& factor, const PixelClass& grid) {
  const Neighbourhood window(kCoarsestRadius);
  return {class_view(grid, factor.log_diagonal).contiguous(),
          class_view(grid, factor.off_diagonal.narrow(1, 0, window.size())).contiguous(),
          window};
}

}  // namespace

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  at::Tensor result = factor.log_diagonal.exp().mul(x);
  for (const PixelClass& pixels : classes_of(factor)) {
    for_each_tap(factor, pixels, [&](const Tap& tap, const at::Tensor& psi) {
      tap.at_neighbour(result).addcmul_(psi, tap.at_pixel(x));
    });
  }
  return result;
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  at::Tensor result = factor.log_diagonal.exp().mul(x);
  for (const PixelClass& pixels : classes_of(factor)) {
    for_each_tap(factor, pixels, [&](const Tap& tap, const at::Tensor& psi) {
      tap.at_pixel(result).addcmul_(psi, tap.at_neighbour(x));
    });
  }
  return result;
}

at::Tensor solve_factor_transpose(const FactorMaps& factor, const at::Tensor& b) {
  if (factor.neighbourhood.is_raster()) return raster_solve_transpose(factor, b);
  const std::vector<PixelClass> classes = classes_of(factor);
  const at::Tensor inverse = factor.log_diagonal.neg().exp();
  at::Tensor solution = b.clone(at::MemoryFormat::Contiguous);
  class_view(classes.front(), solution)
      .copy_(raster_solve_transpose(coarsest(factor, classes.front()),
                                    class_view(classes.front(), b).contiguous()));
  for (std::size_t i = 1; i < classes.size(); ++i) {
    for_each_tap(factor, classes[i], [&](const Tap& tap, const at::Tensor& psi) {
      tap.at_pixel(solution).addcmul_(psi, tap.at_neighbour(solution), -1);
    });
    class_view(classes[i], solution).mul_(class_view(classes[i], inverse));
  }
  return solution;
}

at::Tensor solve_factor(const FactorMaps& factor, const at::Tensor& b) {
  if (factor.neighbourhood.is_raster()) return raster_solve(factor, b);
  const std::vector<PixelClass> classes = classes_of(factor);
  const at::Tensor inverse = factor.log_diagonal.neg().exp();
  at::Tensor solution = b.clone(at::MemoryFormat::Contiguous);
  for (std::size_t i = classes.size(); i-- > 1;) {
    class_view(classes[i], solution).mul_(class_view(classes[i], inverse));
    for_each_tap(factor, classes[i], [&](const Tap& tap, const at::Tensor& psi) {
      tap.at_neighbour(solution).addcmul_(psi, tap.at_pixel(solution), -1);
    });
  }
  const at::Tensor grid = class_view(classes.front(), solution);
  grid.copy_(raster_solve(coarsest(factor, classes.front()), grid.contiguous()));
  return solution;
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  const std::vector<PixelClass> classes = classes_of(factor);
  const at::Tensor inverse = factor.log_diagonal.neg().exp();
  at::Tensor solution = at::zeros_like(b);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    at::Tensor next = b.clone();
    for (const PixelClass& pixels : classes) {
      for_each_tap(factor, pixels, [&](const Tap& tap, const at::Tensor& psi) {
        tap.at_pixel(next).addcmul_(psi, tap.at_neighbour(solution), -1);
      });
    }
    solution = next.mul_(inverse);
  }
  return solution;
}

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  at::Tensor off_diagonal = at::zeros_like(factor.off_diagonal);
  for (const PixelClass& pixels : classes_of(factor)) {
    for_each_tap(factor, pixels, [&](const Tap& tap, const at::Tensor&) {
      at::Tensor sum = tap.at_pixel(off_diagonal.narrow(1, tap.channel, 1));
      at::sum_out(sum, tap.at_pixel(p).mul(tap.at_neighbour(q)), {1}, /*keepdim=*/true);
    });
  }
  return {factor.log_diagonal.exp().mul(p.mul(q).sum(1, /*keepdim=*/true)), off_diagonal};
}

at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d) {
  return sum_of_squares(factor_transpose_times(factor, d.sub(mean)));
}

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& weights) {
  const at::Tensor x = d.sub(mean);
  const at::Tensor weighted =
      factor_transpose_times(factor, x).mul_(weights.to(x.scalar_type()).unsqueeze(2).unsqueeze(3));
  return {factor_gradient(factor, weighted.neg(), x), weighted.sum(1, /*keepdim=*/true)};
}

at::Tensor sum_of_squares(const at::Tensor& x) { return x.to(at::kDouble).square().sum({2, 3}); }

at::Tensor sum_of_values(const at::Tensor& x) { return x.to(at::kDouble).sum({2, 3}); }

}  // namespace supn::composite
