// Gradients in the order from coarse to fine on the CPU: planes::. Images follow each other; within
// one, threads take rows.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <span>
#include <vector>

#include "gaussian/kernels/rows.hpp"
#include "gaussian/ops/cpu/plane_products.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::planes {
namespace {

using cpu::Buffers;
using cpu::Plane;
using cpu::PlaneLayout;
using cpu::PlaneLevel;
using cpu::RowParts;

// The gradients of one image.
template <typename T>
struct GradientMaps {
  T* log_diagonal;  // [H,W]
  T* off_diagonal;  // [K,H,W]
};

template <typename T>
GradientMaps<T> maps_of(const FactorGradient& gradient, std::int64_t b) {
  const at::Tensor& psi = gradient.off_diagonal;
  const std::int64_t pixels = psi.size(2) * psi.size(3);
  return {gradient.log_diagonal.mutable_data_ptr<T>() + b * pixels,
          psi.mutable_data_ptr<T>() + b * psi.size(1) * pixels};
}

FactorGradient empty_gradient(const FactorMaps& maps) {
  return {at::empty_like(maps.log_diagonal, at::MemoryFormat::Contiguous),
          at::empty_like(maps.off_diagonal, at::MemoryFormat::Contiguous)};
}

// Row y of the gradients: Σ_s p_s[n]·q_s[n + o_k] for ψ_k, and of the pixel itself, times e^φ, for
// φ. q lies in planes.
template <typename T>
class GradientRow {
 public:
  GradientRow(const Buffers<T>& q, std::int64_t channels)
      : q_(q), channels_(channels), parts_(q.layout(), channels + 1) {}

  // Takes row i of a class; p.sums is not read.
  void take(const PlaneLevel& level, const Plane& plane, std::int64_t i, SampleSums<T> p) {
    const std::int64_t offset = i * level.pitch;
    sums_.clear();
    for (const cpu::PlaneTerm& term : plane.neighbours) {
      sums_.push_back({q_.data() + term.field + offset, parts_.at(term.channel, plane)});
    }
    sums_.push_back({q_.data() + plane.start + offset, parts_.at(channels_, plane)});
    p.sums = sums_;
    sum_over_samples(p, {plane.columns, q_.count(), q_.layout().words()});
    for (std::size_t k = plane.neighbours.size(); k < static_cast<std::size_t>(channels_); ++k) {
      std::fill_n(parts_.at(static_cast<std::int64_t>(k), plane), plane.columns, T{0});
    }
  }

  // Takes row y of e^φ.
  void write(std::int64_t y, const T* diagonal, const GradientMaps<T>& maps) const {
    const std::int64_t height = q_.layout().size().height;
    const std::int64_t width = q_.layout().size().width;
    for (std::int64_t k = 0; k < channels_; ++k) {
      parts_.write(y, k, maps.off_diagonal + (k * height + y) * width);
    }
    T* log_diagonal = maps.log_diagonal + y * width;
    parts_.write(y, channels_, log_diagonal);
    row::multiply<T>(log_diagonal, diagonal, width);
  }

 private:
  const Buffers<T>& q_;
  std::int64_t channels_;
  RowParts<T> parts_;
  std::vector<SampleSum<T>> sums_;
};

// Σ_s w_s·z_s of an image, beside its gradients.
template <typename T>
struct WeightedSum {
  const T* factors;  // −w [S]
  T* sum;            // [H,W]
};

// Gradients of one image from p and q, or from −w·p and q with a weighted sum.
template <typename T>
void gradient_of_image(const FactorMaps& maps,
                       std::int64_t b,
                       const Buffers<T>& p,
                       const Buffers<T>& q,
                       const GradientMaps<T>& result,
                       const WeightedSum<T>& weighted) {
  const PlaneLayout& layout = q.layout();
  const std::int64_t width = layout.size().width;
  const T* phi = maps.log_diagonal.const_data_ptr<T>() + b * layout.size().height * width;
  at::parallel_for(
      0, layout.size().height, cpu::kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
        AlignedBuffer<T> diagonal(width);
        GradientRow<T> gradient(q, maps.off_diagonal.size(1));
        const bool sums = weighted.sum != nullptr;
        RowParts<T> sum(layout, sums ? 1 : 0);
        for (std::int64_t y = begin; y < end; ++y) {
          row::exponential<T>(diagonal.data(), phi + y * width, T{1}, width);
          cpu::for_each_class_of_row(
              layout,
              cpu::all_levels(layout),
              y,
              [&](const PlaneLevel& level, const Plane& plane, std::int64_t i) {
                gradient.take(level,
                              plane,
                              i,
                              {.own = p.data() + plane.start + i * level.pitch,
                               .apart = layout.words(),
                               .weights = weighted.factors,
                               .own_sum = sums ? sum.at(0, plane) : nullptr});
              });
          gradient.write(y, diagonal.data(), result);
          if (sums) sum.write(y, 0, weighted.sum + y * width);
        }
      });
}

template <typename T>
FactorGradient gradient_of(const FactorMaps& factor,
                           const at::Tensor& left,
                           const at::Tensor& right) {
  const auto shared = cpu::shared_layout(factor.neighbourhood, {left.size(2), left.size(3)});
  const PlaneLayout& layout = *shared;
  const FactorMaps maps = cpu::contiguous(factor);
  const at::Tensor ps = left.contiguous();
  const at::Tensor qs = right.contiguous();
  const std::int64_t samples = left.size(1);
  const std::int64_t image = samples * left.size(2) * left.size(3);
  FactorGradient result = empty_gradient(maps);
  Buffers<T> p(layout, samples);
  Buffers<T> q(layout, samples);
  for (std::int64_t b = 0; b < left.size(0); ++b) {
    p.read(ps.const_data_ptr<T>() + b * image, nullptr);
    q.read(qs.const_data_ptr<T>() + b * image, nullptr);
    gradient_of_image(maps, b, p, q, maps_of<T>(result, b), {nullptr, nullptr});
  }
  return result;
}

// −w of an image.
template <typename T>
std::vector<T> negated(std::span<const double> weights) {
  std::vector<T> result;
  for (const double weight : weights) result.push_back(static_cast<T>(-weight));
  return result;
}

template <typename T>
ExponentGradient exponent_gradient_of(const FactorMaps& factor,
                                      const at::Tensor& kept,
                                      const at::Tensor& weights) {
  const at::Tensor& phi = factor.log_diagonal;
  const auto shared = cpu::shared_layout(factor.neighbourhood, {phi.size(2), phi.size(3)});
  const FactorMaps maps = cpu::contiguous(factor);
  const at::Tensor weight = weights.to(at::kDouble).contiguous();
  const std::int64_t samples = weight.size(1);
  const std::int64_t pixels = phi.size(2) * phi.size(3);
  ExponentGradient result{empty_gradient(maps), at::empty_like(phi, at::MemoryFormat::Contiguous)};
  for (std::int64_t b = 0; b < phi.size(0); ++b) {
    const cpu::ExponentPlanes<T> planes(*shared, kept, b);
    const std::vector<T> factors = negated<T>(
        {weight.const_data_ptr<double>() + b * samples, static_cast<std::size_t>(samples)});
    gradient_of_image(maps,
                      b,
                      planes.z,
                      planes.x,
                      maps_of<T>(result.factor, b),
                      {factors.data(), result.weighted.mutable_data_ptr<T>() + b * pixels});
  }
  return result;
}

}  // namespace

FactorGradient factor_gradient(const FactorMaps& factor, const at::Tensor& p, const at::Tensor& q) {
  return AT_DISPATCH_FLOATING_TYPES(
      p.scalar_type(), "factor_gradient", [&] { return gradient_of<scalar_t>(factor, p, q); });
}

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& kept,
                                   const at::Tensor& weights) {
  return AT_DISPATCH_FLOATING_TYPES(kept.scalar_type(), "exponent_gradient", [&] {
    return exponent_gradient_of<scalar_t>(factor, kept, weights);
  });
}

}  // namespace supn::planes
