#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gaussian/kernels/rows.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// Calls f(image, y) for every row of every image, each as much work as `elements` of a field.
template <typename Function>
void for_each_row(const at::Tensor& field, std::int64_t elements, const Function& f) {
  const std::int64_t height = field.size(2);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / elements);
  at::parallel_for(0, field.size(0) * height, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i / height, i % height);
  });
}

// f(start of the row in memory, row without its field) for every row of every sample; diagonal is
// e^φ or e^−φ [B,1,H,W].
template <typename T, typename Function>
void for_each_sample_row(const ContiguousFactor& factor,
                         const at::Tensor& diagonal,
                         const at::Tensor& x,
                         const Function& f) {
  const std::int64_t samples = x.size(1);
  const std::int64_t height = x.size(2);
  const std::int64_t width = x.size(3);
  const T* of_image = diagonal.const_data_ptr<T>();
  for_each_row(x, width * samples, [&](std::int64_t b, std::int64_t y) {
    const row::FactorRow<T> row{factor.view<T>(b), y, of_image + (b * height + y) * width, nullptr};
    for (std::int64_t s = b * samples; s < (b + 1) * samples; ++s) f((s * height + y) * width, row);
  });
}

template <Side kSide, typename T>
at::Tensor multiplied(const FactorMaps& maps, const at::Tensor& field) {
  const at::Tensor x = field.contiguous();
  at::Tensor result = at::empty_like(x);
  const T* in = x.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  for_each_sample_row<T>(ContiguousFactor(maps),
                         exponential<T>(maps.log_diagonal, T{1}),
                         x,
                         [&](std::int64_t start, row::FactorRow<T> row) {
                           row.field = in + start;
                           row::product<kSide, T>(out + start, row);
                         });
  return result;
}

template <typename T>
at::Tensor swept(const FactorMaps& maps, const at::Tensor& rhs, std::int64_t sweeps) {
  const ContiguousFactor factor(maps);
  const at::Tensor inverse = exponential<T>(maps.log_diagonal, T{-1});
  const at::Tensor b = rhs.contiguous();
  const T* target = b.const_data_ptr<T>();
  at::Tensor old = at::zeros_like(b);
  at::Tensor next = at::empty_like(b);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    const T* from = old.const_data_ptr<T>();
    T* to = next.mutable_data_ptr<T>();
    for_each_sample_row<T>(factor, inverse, b, [&](std::int64_t start, row::FactorRow<T> row) {
      row.field = from + start;
      row::sweep<T>(to + start, target + start, row);
    });
    std::swap(old, next);
  }
  return old;
}

// One row of the image b of both gradients; the samples are summed in their order.
template <typename T>
struct GradientFields {
  const T* diagonal;  // e^φ
  const T* p;
  const T* q;
  T* log_diagonal;  // [H,W] of this image
  T* off_diagonal;  // [K,H,W]
  std::int64_t samples;
};

template <typename T>
void accumulate_gradient_row(const FactorView<T>& view,
                             const GradientFields<T>& fields,
                             std::int64_t y) {
  const std::int64_t width = view.width;
  const Neighbourhood neighbourhood(view.radius);
  T* log_diagonal = fields.log_diagonal + y * width;
  for (std::int64_t s = 0; s < fields.samples; ++s) {
    const T* p = fields.p + s * view.pixels() + y * width;
    const T* q = fields.q + s * view.pixels() + y * width;
    T* off_diagonal = fields.off_diagonal + y * width;
    for (const Offset& offset : neighbourhood.offsets()) {
      const std::int64_t count = width - std::abs(offset.dx);
      if (y + offset.dy < view.height && count > 0) {
        const std::int64_t start = std::max<std::int64_t>(0, -offset.dx);
        const T* neighbours = q + offset.dy * width + start + offset.dx;
        row::add_products<T>(off_diagonal + start, p + start, neighbours, count);
      }
      off_diagonal += view.pixels();
    }
    row::add_products<T>(log_diagonal, p, q, width);
  }
  row::multiply<T>(log_diagonal, fields.diagonal + y * width, width);
}

template <typename T>
FactorGradient gradient(const FactorMaps& maps, const at::Tensor& left, const at::Tensor& right) {
  const ContiguousFactor factor(maps);
  const at::Tensor diagonal = exponential<T>(maps.log_diagonal, T{1});
  const at::Tensor p = left.contiguous();
  const at::Tensor q = right.contiguous();
  FactorGradient result{at::zeros(maps.log_diagonal.sizes(), p.options()),
                        at::zeros(maps.off_diagonal.sizes(), p.options())};
  const std::int64_t pixels = p.size(2) * p.size(3);
  const std::int64_t samples = p.size(1);
  const std::int64_t channels = maps.off_diagonal.size(1);
  const T* direct = diagonal.const_data_ptr<T>();
  const T* p_data = p.const_data_ptr<T>();
  const T* q_data = q.const_data_ptr<T>();
  T* log_diagonal = result.log_diagonal.mutable_data_ptr<T>();
  T* off_diagonal = mutable_map_pointer(result.off_diagonal, log_diagonal);
  for_each_row(p, p.size(3) * samples, [&](std::int64_t b, std::int64_t y) {
    const GradientFields<T> fields{direct + b * pixels,
                                   p_data + b * samples * pixels,
                                   q_data + b * samples * pixels,
                                   log_diagonal + b * pixels,
                                   off_diagonal + b * channels * pixels,
                                   samples};
    accumulate_gradient_row(factor.view<T>(b), fields, y);
  });
  return result;
}

// sum(range) of every sample's [H,W] in f64.
template <typename T>
at::Tensor reduced(const at::Tensor& field, double (*sum)(const T*, std::int64_t)) {
  const at::Tensor x = field.contiguous();
  at::Tensor result = at::empty({x.size(0), x.size(1)}, x.options().dtype(at::kDouble));
  const std::int64_t pixels = x.size(2) * x.size(3);
  const T* in = x.const_data_ptr<T>();
  double* out = result.mutable_data_ptr<double>();
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / pixels);
  at::parallel_for(0, result.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = sum(in + i * pixels, pixels);
  });
  return result;
}

}  // namespace

at::Tensor factor_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "factor_times", [&] {
    return multiplied<Side::kEarlier, scalar_t>(factor, x);
  });
}

at::Tensor factor_transpose_times(const FactorMaps& factor, const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "factor_transpose_times", [&] {
    return multiplied<Side::kLater, scalar_t>(factor, x);
  });
}

at::Tensor jacobi_solve_factor_transpose(const FactorMaps& factor,
                                         const at::Tensor& b,
                                         std::int64_t sweeps) {
  return AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "jacobi_solve_factor_transpose", [&] {
    return swept<scalar_t>(factor, b, sweeps);
  });
}

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  return AT_DISPATCH_FLOATING_TYPES(
      p.scalar_type(), "factor_gradient", [&] { return gradient<scalar_t>(factor, p, q); });
}

at::Tensor sum_of_squares(const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sum_of_squares", [&] {
    return reduced<scalar_t>(x, row::sum_of_squares<scalar_t>);
  });
}

at::Tensor sum_of_values(const at::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES(
      x.scalar_type(), "sum_of_values", [&] { return reduced<scalar_t>(x, row::sum<scalar_t>); });
}

}  // namespace supn::cpu
