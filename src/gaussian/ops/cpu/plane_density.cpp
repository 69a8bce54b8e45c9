// The density's exponent in the order from coarse to fine on the CPU: planes::. Images follow each
// other; within one, threads take rows.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <optional>
#include <vector>

#include "gaussian/kernels/rows.hpp"
#include "gaussian/ops/cpu/plane_products.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::planes {
namespace {

using cpu::Buffers;
using cpu::Plane;
using cpu::PlaneLayout;
using cpu::ProductRow;

// ‖z_s‖² of image b's samples x into squares [S]: each row alone, then the rows in order. z is kept
// in planes, unless null.
template <typename T>
void squared_norms_of_image(
    const FactorMaps& maps, std::int64_t b, const Buffers<T>& x, Buffers<T>* z, double* squares) {
  const std::int64_t height = x.layout().size().height;
  std::vector<double> by_row(static_cast<std::size_t>(height * x.count()));
  at::parallel_for(0, height, cpu::kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    ProductRow<T> product(maps, x, z);
    for (std::int64_t y = begin; y < end; ++y) {
      double* sums = by_row.data() + y * x.count();
      product.take(b, y, [&](const Plane& plane, const T* row, std::int64_t apart) {
        for (std::int64_t s = 0; s < x.count(); ++s) {
          sums[s] += row::sum_of_squares<T>(row + s * apart, plane.columns);
        }
      });
    }
  });
  for (std::int64_t s = 0; s < x.count(); ++s) {
    squares[s] = 0.0;
    for (std::int64_t y = 0; y < height; ++y) {
      squares[s] += by_row[static_cast<std::size_t>(y * x.count() + s)];
    }
  }
}

template <typename T>
at::Tensor squared_norms(const FactorMaps& factor,
                         const at::Tensor& mean_map,
                         const at::Tensor& d,
                         at::Tensor* kept) {
  const auto shared = cpu::shared_layout(factor.neighbourhood, {d.size(2), d.size(3)});
  const PlaneLayout& layout = *shared;
  const FactorMaps maps = cpu::contiguous(factor);
  const at::Tensor fields = d.contiguous();
  const at::Tensor mean = mean_map.contiguous();
  const std::int64_t samples = d.size(1);
  const std::int64_t pixels = d.size(2) * d.size(3);
  at::Tensor result = at::empty({d.size(0), samples}, d.options().dtype(at::kDouble));
  if (kept != nullptr) *kept = cpu::empty_planes<T>(layout, {d.size(0), 2, samples});
  std::optional<Buffers<T>> own;
  if (kept == nullptr) own.emplace(layout, samples);
  for (std::int64_t b = 0; b < d.size(0); ++b) {
    std::optional<cpu::ExponentPlanes<T>> planes;
    if (kept != nullptr) planes.emplace(layout, *kept, b);
    Buffers<T>& x = planes ? planes->x : *own;
    x.read(fields.const_data_ptr<T>() + b * samples * pixels,
           mean.const_data_ptr<T>() + b * pixels);
    squared_norms_of_image(
        maps, b, x, planes ? &planes->z : nullptr, result.mutable_data_ptr<double>() + b * samples);
  }
  return result;
}

}  // namespace

at::Tensor squared_norm(const FactorMaps& factor,
                        const at::Tensor& mean,
                        const at::Tensor& d,
                        at::Tensor* kept) {
  return AT_DISPATCH_FLOATING_TYPES(d.scalar_type(), "squared_norm", [&] {
    return squared_norms<scalar_t>(factor, mean, d, kept);
  });
}

}  // namespace supn::planes
