// The density's exponent in the order from coarse to fine on the CPU: planes::. Images follow each
// other; within one, threads take rows of all classes.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <span>
#include <vector>

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

template <typename T>
double square_sum(const T* values, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  return sum;
}

// ‖z_s‖² of one image's samples x into squares[s]: each row alone, then the rows in order.
template <typename T>
void squared_norms_of_image(const PlaneFactor<T>& factor,
                            std::int64_t b,
                            const std::vector<RowOfClass>& rows,
                            const Buffers<T>& x,
                            const Buffers<T>& z,
                            std::span<double> squares) {
  const PlaneLayout& layout = factor.layout();
  const auto samples = static_cast<std::int64_t>(squares.size());
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<double> by_row(static_cast<std::size_t>(count * samples));
  at::parallel_for(0, count, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    cpu::TransposeProduct<T> product(factor, b, x.data(), z.data(), samples);
    for (std::int64_t i = begin; i < end; ++i) {
      const RowOfClass& row = rows[static_cast<std::size_t>(i)];
      const PlaneLevel& level = layout.levels()[row.level];
      const Plane& plane = level.classes[row.plane];
      product.row(level, plane, row.row);
      for (std::int64_t s = 0; s < samples; ++s) {
        by_row[static_cast<std::size_t>(i * samples + s)] =
            square_sum(z.at(s) + plane.start + row.row * level.pitch, plane.columns);
      }
    }
  });
  cpu::TransposeProduct<T>(factor, b, x.data(), z.data(), samples).coarsest();
  for (std::int64_t s = 0; s < samples; ++s) {
    double sum = square_sum(z.at(s) + layout.coarsest_start(), layout.coarsest_pixels());
    for (std::int64_t i = 0; i < count; ++i) {
      sum += by_row[static_cast<std::size_t>(i * samples + s)];
    }
    squares[static_cast<std::size_t>(s)] = sum;
  }
}

template <typename T>
at::Tensor squared_norms(const FactorMaps& maps, const at::Tensor& mean_map, const at::Tensor& d) {
  const PlaneLayout layout(maps.neighbourhood, {d.size(2), d.size(3)});
  const PlaneFactor<T> factor(layout, maps, T{1});
  const at::Tensor fields = d.contiguous();
  const at::Tensor mean = mean_map.contiguous();
  const std::int64_t samples = d.size(1);
  const std::int64_t pixels = d.size(2) * d.size(3);
  at::Tensor result = at::empty({d.size(0), samples}, d.options().dtype(at::kDouble));
  Buffers<T> x(layout, samples, d.options());
  const Buffers<T> z(layout, samples, d.options());
  const std::vector<RowOfClass> rows = rows_of(layout);
  for (std::int64_t b = 0; b < d.size(0); ++b) {
    x.read(fields.const_data_ptr<T>() + b * samples * pixels,
           mean.const_data_ptr<T>() + b * pixels);
    squared_norms_of_image(
        factor,
        b,
        rows,
        x,
        z,
        {result.mutable_data_ptr<double>() + b * samples, static_cast<std::size_t>(samples)});
  }
  return result;
}

}  // namespace

at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d) {
  return AT_DISPATCH_FLOATING_TYPES(
      d.scalar_type(), "squared_norm", [&] { return squared_norms<scalar_t>(factor, mean, d); });
}

}  // namespace supn::planes
