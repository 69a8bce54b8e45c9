#include "supn/gaussian/marginal.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

#include "gaussian/covariance_window.hpp"
#include "gaussian/in_float64.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/sparse/noise_rows.hpp"
#include "gaussian/sparse/stencil_matrix.hpp"

namespace supn {
namespace {

// The window of local covariances where the order has no radius.
constexpr std::int64_t kCoarseToFineRadius = 2;

// read(image b, window) after each row of each image, from the last row up.
template <typename Read>
void slide(const StructuredGaussian& gaussian, const Read& read) {
  const std::int64_t radius = gaussian.neighbourhood().radius();
  const at::Tensor phi = gaussian.log_diagonal().contiguous();
  const at::Tensor inverse = phi.neg().exp();
  for (std::int64_t b = 0; b < gaussian.batch(); ++b) {
    const double* log_diagonal = phi.const_data_ptr<double>();
    CovarianceWindow window({log_diagonal + b * gaussian.pixels(),
                             map_pointer(gaussian.off_diagonal(), log_diagonal) +
                                 b * gaussian.neighbourhood().size() * gaussian.pixels(),
                             gaussian.height(),
                             gaussian.width(),
                             radius},
                            inverse.const_data_ptr<double>() + b * gaussian.pixels());
    for (std::int64_t i = 0; i < gaussian.height(); ++i) {
      window.advance();
      read(b, window);
    }
  }
}

// Takes float64 on the CPU.
at::Tensor variance_of(const StructuredGaussian& exact) {
  if (exact.neighbourhood().is_diagonal()) return exact.log_diagonal().mul(-2.0).exp();
  if (!exact.neighbourhood().is_raster()) {
    at::Tensor result = at::zeros(exact.mean().sizes(), exact.mean().options());
    for (std::int64_t b = 0; b < exact.batch(); ++b) {
      double* out = result.mutable_data_ptr<double>() + b * exact.pixels();
      local_covariances_by_rows(exact.image(b), {{0, 0}}, out);
    }
    return result;
  }
  const std::int64_t width = exact.width();
  at::Tensor result = at::zeros(exact.mean().sizes(), exact.mean().options());
  double* out = result.mutable_data_ptr<double>();
  slide(exact, [&](std::int64_t b, const CovarianceWindow& window) {
    double* row = out + b * exact.pixels() + window.row() * width;
    for (std::int64_t x = 0; x < width; ++x) row[x] = window.variance(x);
  });
  return result;
}

// Takes float64 on the CPU.
LocalCovariances covariances_of(const StructuredGaussian& exact) {
  const bool is_raster = exact.neighbourhood().is_raster();
  LocalCovariances result{
      {}, coupled_offsets(is_raster ? exact.neighbourhood().radius() : kCoarseToFineRadius)};
  if (result.offsets.size() == 1) {
    result.values = exact.log_diagonal().mul(-2.0).exp();
    return result;
  }
  const std::int64_t height = exact.height();
  const std::int64_t width = exact.width();
  const auto channels = static_cast<std::int64_t>(result.offsets.size());
  result.values = at::zeros({exact.batch(), channels, height, width}, exact.mean().options());
  double* out = result.values.mutable_data_ptr<double>();
  if (!is_raster) {
    for (std::int64_t b = 0; b < exact.batch(); ++b) {
      local_covariances_by_rows(
          exact.image(b), result.offsets, out + b * channels * exact.pixels());
    }
    return result;
  }
  slide(exact, [&](std::int64_t b, const CovarianceWindow& window) {
    double* row = out + b * channels * exact.pixels() + window.row() * width;
    for (const auto& [dy, dx] : result.offsets) {
      const std::int64_t first = std::max<std::int64_t>(0, -dx);
      const std::int64_t end =
          window.row() + dy < height ? width - std::max<std::int64_t>(0, dx) : 0;
      for (std::int64_t x = first; x < end; ++x) row[x] = window.covariance(dy, x, x + dx);
      row += exact.pixels();
    }
  });
  return result;
}

}  // namespace

at::Tensor marginal_variance(const StructuredGaussian& gaussian) {
  return variance_of(in_float64_on_cpu(gaussian)).to(gaussian.mean().device());
}

std::int64_t LocalCovariances::channel(const Offset& offset) const {
  const auto found = std::find(offsets.begin(), offsets.end(), offset);
  TORCH_CHECK(found != offsets.end(),
              "LocalCovariances::channel: (",
              offset.dy,
              ", ",
              offset.dx,
              ") is not among the ",
              offsets.size(),
              " offsets; pairs the other way round follow by symmetry");
  return found - offsets.begin();
}

LocalCovariances local_covariances(const StructuredGaussian& gaussian) {
  LocalCovariances result = covariances_of(in_float64_on_cpu(gaussian));
  result.values = result.values.to(gaussian.mean().device());
  return result;
}

LocalCovariances local_correlations(const LocalCovariances& covariances) {
  const at::Tensor& values = covariances.values;
  const at::Tensor deviation = values.narrow(1, 0, 1).sqrt();
  LocalCovariances result{at::zeros(values.sizes(), values.options()), covariances.offsets};
  const std::int64_t height = values.size(2);
  const std::int64_t width = values.size(3);
  for (std::size_t c = 0; c < covariances.offsets.size(); ++c) {
    const auto [dy, dx] = covariances.offsets[c];
    if (dy >= height || std::abs(dx) >= width) continue;
    const std::int64_t left = std::max<std::int64_t>(0, -dx);
    const auto part = [&, rows = height - dy, columns = width - std::abs(dx)](
                          const at::Tensor& map, std::int64_t top, std::int64_t start) {
      return map.narrow(2, top, rows).narrow(3, start, columns);
    };
    const auto channel = static_cast<std::int64_t>(c);
    const at::Tensor correlation = part(values.narrow(1, channel, 1), 0, left)
                                       .div(part(deviation, 0, left))
                                       .div(part(deviation, dy, left + dx));
    part(result.values.narrow(1, channel, 1), 0, left).copy_(correlation);
  }
  result.values.narrow(1, 0, 1).fill_(1.0);
  return result;
}

}  // namespace supn
