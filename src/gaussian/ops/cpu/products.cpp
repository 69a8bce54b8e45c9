#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gaussian/kernels/factor_rows.hpp"
#include "gaussian/kernels/row_kernels.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// f(image, offset of the sample in memory, y) for every row of every sample.
template <typename T, typename Function>
void for_each_row(const ContiguousFactor<T>& factor, const at::Tensor& x, const Function& f) {
  const std::int64_t samples = x.size(1);
  const std::int64_t height = x.size(2);
  const std::int64_t width = x.size(3);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / width);
  const std::int64_t rows = x.size(0) * samples * height;
  at::parallel_for(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t sample = i / height;
      f(factor.image(sample / samples), sample * height * width, i % height);
    }
  });
}

template <Side kSide, typename T>
at::Tensor multiplied(const FactorMaps& maps, const at::Tensor& field) {
  const ContiguousFactor<T> factor(maps, T{1});
  const at::Tensor x = field.contiguous();
  at::Tensor result = at::zeros_like(x);
  const T* in = x.const_data_ptr<T>();
  T* out = result.mutable_data_ptr<T>();
  for_each_row(factor, x, [&](const FactorImage<T>& image, std::int64_t sample, std::int64_t y) {
    T* acc = out + sample + y * image.width;
    const FieldRow<T> field_row{kAdd<T>, in + sample, acc};
    accumulate_other_rows<kSide>(image, y, field_row);
    accumulate_own_row<kSide>(image, y, field_row);
    row::add_products<T>(acc, image.diagonal_row(y), in + sample + y * image.width, image.width);
  });
  return result;
}

template <typename T>
at::Tensor swept(const FactorMaps& maps, const at::Tensor& rhs, std::int64_t sweeps) {
  const ContiguousFactor<T> factor(maps, T{-1});
  const at::Tensor b = rhs.contiguous();
  const T* target = b.const_data_ptr<T>();
  at::Tensor old = at::zeros_like(b);
  at::Tensor next = at::empty_like(b);
  for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
    const T* from = old.const_data_ptr<T>();
    T* to = next.mutable_data_ptr<T>();
    for_each_row(factor, b, [&](const FactorImage<T>& image, std::int64_t sample, std::int64_t y) {
      const std::int64_t start = sample + y * image.width;
      std::copy_n(target + start, image.width, to + start);
      const FieldRow<T> field_row{kSubtract<T>, from + sample, to + start};
      accumulate_other_rows<Side::kLater>(image, y, field_row);
      accumulate_own_row<Side::kLater>(image, y, field_row);
      row::multiply<T>(to + start, image.diagonal_row(y), image.width);
    });
    std::swap(old, next);
  }
  return old;
}

// One row of the image b of both gradients; the samples are summed in their order.
template <typename T>
struct GradientFields {
  const T* p;
  const T* q;
  T* log_diagonal;  // [H,W] of this image
  T* off_diagonal;  // [K,H,W]
  std::int64_t samples;
};

template <typename T>
void accumulate_gradient_row(const FactorImage<T>& image,
                             const GradientFields<T>& fields,
                             std::int64_t y) {
  const std::int64_t width = image.width;
  const Neighbourhood neighbourhood(image.radius);
  for (std::int64_t s = 0; s < fields.samples; ++s) {
    const T* p = fields.p + s * image.pixels();
    const T* q = fields.q + s * image.pixels();
    T* off_diagonal = fields.off_diagonal + y * width;
    for (const Offset& offset : neighbourhood.offsets()) {
      const std::int64_t count = width - std::abs(offset.dx);
      if (y + offset.dy < image.height && count > 0) {
        const std::int64_t start = std::max<std::int64_t>(0, -offset.dx);
        row::add_products<T>(off_diagonal + start,
                             p + y * width + start,
                             q + (y + offset.dy) * width + start + offset.dx,
                             count);
      }
      off_diagonal += image.pixels();
    }
    row::add_products<T>(fields.log_diagonal + y * width, p + y * width, q + y * width, width);
  }
  row::multiply<T>(fields.log_diagonal + y * width, image.diagonal_row(y), width);
}

template <typename T>
FactorGradient gradient(const FactorMaps& maps, const at::Tensor& left, const at::Tensor& right) {
  const ContiguousFactor<T> factor(maps, T{1});
  const at::Tensor p = left.contiguous();
  const at::Tensor q = right.contiguous();
  FactorGradient result{at::zeros(maps.log_diagonal.sizes(), p.options()),
                        at::zeros(maps.off_diagonal.sizes(), p.options())};
  const std::int64_t height = p.size(2);
  const std::int64_t pixels = height * p.size(3);
  const std::int64_t samples = p.size(1);
  const std::int64_t channels = maps.off_diagonal.size(1);
  const T* p_data = p.const_data_ptr<T>();
  const T* q_data = q.const_data_ptr<T>();
  T* log_diagonal = result.log_diagonal.mutable_data_ptr<T>();
  T* off_diagonal = mutable_map_pointer(result.off_diagonal, log_diagonal);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (p.size(3) * samples));
  at::parallel_for(0, p.size(0) * height, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / height;
      const GradientFields<T> fields{p_data + b * samples * pixels,
                                     q_data + b * samples * pixels,
                                     log_diagonal + b * pixels,
                                     off_diagonal + b * channels * pixels,
                                     samples};
      accumulate_gradient_row(factor.image(b), fields, i % height);
    }
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
