// Gradients in the order from coarse to fine on the CPU: planes::. Images follow each other; within
// one, threads take rows of all classes.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <vector>

#include "gaussian/huge_pages.hpp"
#include "gaussian/ops/cpu/plane_rows.hpp"
#include "gaussian/ops/cpu/plane_solver.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::planes {
namespace {

using cpu::Buffers;
using cpu::kRowsAtOnce;
using cpu::Plane;
using cpu::PlaneFactor;
using cpu::PlaneLayout;
using cpu::PlaneLevel;
using cpu::RowOfClass;
using cpu::rows_of;

// Results of one image, channels with interleaved rows.
template <typename T>
class ChannelSums {
 public:
  ChannelSums(const PlaneLayout& layout, std::int64_t channels, const at::TensorOptions& options)
      : layout_(layout),
        channels_(channels),
        storage_(empty_on_huge_pages({channels, layout.words()}, options)),
        data_(storage_.mutable_data_ptr<T>()) {}

  T* at(std::int64_t channel, std::int64_t row, std::int64_t pitch, std::int64_t column) const {
    return cpu::Channel<T>{data_, channels_, channel}.at(row, pitch, column);
  }
  T* coarsest(std::int64_t channel) const {
    return at(channel, layout_.coarsest_start(), layout_.coarsest_pitch(), 0);
  }
  void clear() { std::fill_n(data_, channels_ * layout_.words(), T{0}); }
  void write(std::int64_t first, std::int64_t count, T* images) {
    const std::int64_t pixels = layout_.size().height * layout_.size().width;
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        write_image(layout_, cpu::Channel<T>{data_, channels_, first + i}, images + i * pixels);
      }
    });
  }

 private:
  const PlaneLayout& layout_;
  std::int64_t channels_;
  at::Tensor storage_;
  T* data_;
};

// Σ_s p_s[n]·q_s[n + o_k] of one image in planes: channels ψ_0 … ψ_{K−1}, then that of the pixel
// itself times the diagonal.
template <typename T>
class GradientOfImage {
 public:
  GradientOfImage(const PlaneFactor<T>& factor,
                  std::int64_t b,
                  std::int64_t samples,
                  const Buffers<T>& q,
                  const ChannelSums<T>& result)
      : factor_(factor), b_(b), samples_(samples), q_(q), result_(result) {}

  void add_row(const PlaneLevel& level, const Plane& plane, std::int64_t row, const T* p) {
    const std::int64_t offset = row * level.pitch;
    const RowShape shape{plane.columns, samples_, factor_.layout().words()};
    const T* own = p + plane.start + offset;
    for (const cpu::PlaneTerm& term : plane.neighbours) {
      T* sum = result_.at(
          term.channel, term.coefficient_row + offset, level.pitch, term.coefficient_column);
      sum_over_samples(SampleSum<T>{own, q_.data() + term.field + offset, sum}, shape);
    }
    const std::int64_t margin = factor_.layout().margin();
    add_diagonal(
        {own,
         q_.data() + plane.start + offset,
         result_.at(factor_.channels(), plane.start - margin + offset, level.pitch, margin)},
        factor_.diagonal_row(b_, level, plane, row),
        shape);
  }

  void add_coarsest(const T* p) {
    const PlaneLayout& layout = factor_.layout();
    const T* own = p + layout.coarsest_start();
    const T* q = q_.data() + layout.coarsest_start();
    for (std::int64_t n = 0; n < layout.coarsest_pixels(); ++n) {
      cpu::for_coarsest_neighbours(layout, n, [&](std::int64_t k, std::int64_t neighbour) {
        sum_over_samples(SampleSum<T>{own + n, q + neighbour, result_.coarsest(k) + n},
                         {1, samples_, layout.words()});
      });
    }
    add_diagonal({own, q, result_.coarsest(factor_.channels())},
                 factor_.coarsest(b_, factor_.channels()),
                 {layout.coarsest_pixels(), samples_, layout.words()});
  }

 private:
  void add_diagonal(const SampleSum<T>& sum, const T* diagonal, const RowShape& shape) {
    sum_over_samples(sum, shape);
    for (std::int64_t j = 0; j < shape.length; ++j) sum.sum[j] *= diagonal[j];
  }

  const PlaneFactor<T>& factor_;
  std::int64_t b_;
  std::int64_t samples_;
  const Buffers<T>& q_;
  const ChannelSums<T>& result_;
};

// fill(level, plane, row) prepares a row of p before its gradient is taken.
template <typename T, typename Fill>
void gradient_of_rows(const PlaneLayout& layout,
                      const std::vector<RowOfClass>& rows,
                      GradientOfImage<T> gradient,
                      const T* p,
                      const Fill& make_fill) {
  at::parallel_for(0,
                   static_cast<std::int64_t>(rows.size()),
                   kRowsAtOnce,
                   [&](std::int64_t begin, std::int64_t end) {
                     GradientOfImage<T> own = gradient;
                     auto fill = make_fill();
                     for (std::int64_t i = begin; i < end; ++i) {
                       const RowOfClass& row = rows[static_cast<std::size_t>(i)];
                       const PlaneLevel& level = layout.levels()[row.level];
                       const Plane& plane = level.classes[row.plane];
                       fill(level, plane, row.row);
                       own.add_row(level, plane, row.row, p);
                     }
                   });
}

template <typename T>
FactorGradient gradient_of(const FactorMaps& maps,
                           const at::Tensor& left,
                           const at::Tensor& right) {
  const PlaneLayout layout(maps.neighbourhood, {left.size(2), left.size(3)});
  const PlaneFactor<T> factor(layout, maps, T{1});
  const at::Tensor ps = left.contiguous();
  const at::Tensor qs = right.contiguous();
  const std::int64_t samples = left.size(1);
  const std::int64_t pixels = left.size(2) * left.size(3);
  const std::int64_t channels = factor.channels();
  FactorGradient result{at::empty_like(maps.log_diagonal, at::MemoryFormat::Contiguous),
                        at::empty_like(maps.off_diagonal, at::MemoryFormat::Contiguous)};
  Buffers<T> p(layout, samples, left.options());
  Buffers<T> q(layout, samples, left.options());
  ChannelSums<T> sums(layout, channels + 1, left.options());
  const std::vector<RowOfClass> rows = rows_of(layout);
  for (std::int64_t b = 0; b < left.size(0); ++b) {
    p.read(ps.const_data_ptr<T>() + b * samples * pixels, nullptr);
    q.read(qs.const_data_ptr<T>() + b * samples * pixels, nullptr);
    sums.clear();
    GradientOfImage<T> gradient(factor, b, samples, q, sums);
    gradient_of_rows(layout, rows, gradient, p.data(), [] {
      return [](const PlaneLevel&, const Plane&, std::int64_t) {};
    });
    gradient.add_coarsest(p.data());
    sums.write(0, channels, result.off_diagonal.mutable_data_ptr<T>() + b * channels * pixels);
    sums.write(channels, 1, result.log_diagonal.mutable_data_ptr<T>() + b * pixels);
  }
  return result;
}

// p ← −w_s·z_s on `shape.length` elements of every sample, p holding z, and weighted ← Σ_s w_s·z_s.
template <typename T>
void weigh(const double* weights, const RowShape& shape, T* p, T* weighted) {
  std::fill_n(weighted, shape.length, T{0});
  for (std::int64_t s = 0; s < shape.samples; ++s) {
    const T weight = static_cast<T>(weights[s]);
    T* row = p + s * shape.stride;
    for (std::int64_t j = 0; j < shape.length; ++j) {
      row[j] *= weight;
      weighted[j] += row[j];
      row[j] = -row[j];
    }
  }
}

template <typename T>
ExponentGradient exponent_gradient_of(const FactorMaps& maps,
                                      const at::Tensor& mean_map,
                                      const at::Tensor& d,
                                      const at::Tensor& weights) {
  const PlaneLayout layout(maps.neighbourhood, {d.size(2), d.size(3)});
  const PlaneFactor<T> factor(layout, maps, T{1});
  const at::Tensor fields = d.contiguous();
  const at::Tensor mean = mean_map.contiguous();
  const at::Tensor weight = weights.to(at::kDouble).contiguous();
  const std::int64_t samples = d.size(1);
  const std::int64_t pixels = d.size(2) * d.size(3);
  const std::int64_t channels = factor.channels();
  ExponentGradient result{{at::empty_like(maps.log_diagonal, at::MemoryFormat::Contiguous),
                           at::empty_like(maps.off_diagonal, at::MemoryFormat::Contiguous)},
                          at::empty_like(maps.log_diagonal, at::MemoryFormat::Contiguous)};
  Buffers<T> x(layout, samples, d.options());
  const Buffers<T> p(layout, samples, d.options());
  ChannelSums<T> sums(layout, channels + 2, d.options());
  const std::vector<RowOfClass> rows = rows_of(layout);
  for (std::int64_t b = 0; b < d.size(0); ++b) {
    const double* w = weight.const_data_ptr<double>() + b * samples;
    x.read(fields.const_data_ptr<T>() + b * samples * pixels,
           mean.const_data_ptr<T>() + b * pixels);
    sums.clear();
    GradientOfImage<T> gradient(factor, b, samples, x, sums);
    gradient_of_rows(layout, rows, gradient, p.data(), [&] {
      return [&, product = cpu::TransposeProduct<T>(factor, b, x.data(), p.data(), samples)](
                 const PlaneLevel& level, const Plane& plane, std::int64_t row) mutable {
        product.row(level, plane, row);
        const std::int64_t begin = plane.start - layout.margin() + row * level.pitch;
        weigh(w,
              {plane.columns, samples, layout.words()},
              p.data() + begin + layout.margin(),
              sums.at(channels + 1, begin, level.pitch, layout.margin()));
      };
    });
    cpu::TransposeProduct<T>(factor, b, x.data(), p.data(), samples).coarsest();
    weigh(w,
          {layout.coarsest_pixels(), samples, layout.words()},
          p.data() + layout.coarsest_start(),
          sums.coarsest(channels + 1));
    gradient.add_coarsest(p.data());
    sums.write(
        0, channels, result.factor.off_diagonal.mutable_data_ptr<T>() + b * channels * pixels);
    sums.write(channels, 1, result.factor.log_diagonal.mutable_data_ptr<T>() + b * pixels);
    sums.write(channels + 1, 1, result.weighted.mutable_data_ptr<T>() + b * pixels);
  }
  return result;
}

}  // namespace

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  return AT_DISPATCH_FLOATING_TYPES(
      p.scalar_type(), "factor_gradient", [&] { return gradient_of<scalar_t>(factor, p, q); });
}

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& weights) {
  return AT_DISPATCH_FLOATING_TYPES(d.scalar_type(), "exponent_gradient", [&] {
    return exponent_gradient_of<scalar_t>(factor, mean, d, weights);
  });
}

}  // namespace supn::planes
