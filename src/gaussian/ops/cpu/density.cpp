#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/rows.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// Rows [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
};

// Rows of an image that are taken together, so that their maps stay in the cache while the samples
// pass: what one thread needs of them.
template <typename T>
class Band {
 public:
  Band(const at::Tensor& field, std::int64_t radius, std::int64_t rows)
      : width_(field.size(3)),
        diagonal_(rows * width_),
        residual_((rows + radius) * width_),
        whitened_(width_) {}

  void start(const FactorView<T>& view, const T* mean, const RowRange& rows) {
    view_ = view;
    mean_ = mean;
    rows_ = rows;
    row::exponential<T>(diagonal_.data(),
                        view.log_diagonal + rows.begin * width_,
                        T{1},
                        (rows.end - rows.begin) * width_);
  }

  const FactorView<T>& view() const { return view_; }
  const RowRange& rows() const { return rows_; }

  // Takes d − μ of a sample d [H,W], with the rows below that are needed.
  void take(const T* d) {
    const std::int64_t first = rows_.begin * width_;
    const std::int64_t last = std::min(rows_.end + view_.radius, view_.height) * width_;
    for (std::int64_t i = first; i < last; ++i) residual_.data()[i - first] = d[i] - mean_[i];
  }
  const T* residual(std::int64_t y) const { return residual_.data() + (y - rows_.begin) * width_; }
  const T* diagonal(std::int64_t y) const { return diagonal_.data() + (y - rows_.begin) * width_; }

  // z = Lᵀ(d − μ) of row y.
  T* whitened(std::int64_t y) {
    row::product<Side::kLater, T>(whitened_.data(), {view_, y, diagonal(y), residual(y)});
    return whitened_.data();
  }

 private:
  std::int64_t width_;
  FactorView<T> view_{};
  const T* mean_ = nullptr;
  RowRange rows_{0, 0};
  AlignedBuffer<T> diagonal_;
  AlignedBuffer<T> residual_;
  AlignedBuffer<T> whitened_;
};

// run(band, image) for every band of every image. There are enough of them to keep all threads busy
// with one sample.
template <typename T, typename Run>
void for_each_band(const FactorMaps& maps,
                   const at::Tensor& mean_map,
                   const at::Tensor& d,
                   std::int64_t rows,
                   const Run& run) {
  const ContiguousFactor factor(maps);
  const at::Tensor mean = mean_map.contiguous();
  const T* means = mean.const_data_ptr<T>();
  const std::int64_t height = d.size(2);
  const std::int64_t bands = (height + rows - 1) / rows;
  const std::int64_t elements = rows * d.size(3) * d.size(1);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / elements);
  at::parallel_for(0, d.size(0) * bands, grain, [&](std::int64_t begin, std::int64_t end) {
    Band<T> band(d, maps.neighbourhood.radius(), rows);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / bands;
      const std::int64_t first = i % bands * rows;
      band.start(factor.view<T>(b),
                 means + b * height * d.size(3),
                 {first, std::min(first + rows, height)});
      run(band, b);
    }
  });
}

// Every row is summed in f64 and the rows are added up in their order, whoever did them.
template <typename T>
at::Tensor squared_norms(const FactorMaps& maps, const at::Tensor& mean, const at::Tensor& d) {
  constexpr std::int64_t kRows = 8;
  const at::Tensor fields = d.contiguous();
  const T* in = fields.const_data_ptr<T>();
  const std::int64_t samples = d.size(1);
  const std::int64_t height = d.size(2);
  const std::int64_t width = d.size(3);
  std::vector<double> squares(static_cast<std::size_t>(d.size(0) * samples * height));
  for_each_band<T>(maps, mean, d, kRows, [&](Band<T>& band, std::int64_t b) {
    for (std::int64_t s = b * samples; s < (b + 1) * samples; ++s) {
      band.take(in + s * height * width);
      for (std::int64_t y = band.rows().begin; y < band.rows().end; ++y) {
        squares[static_cast<std::size_t>(s * height + y)] =
            row::sum_of_squares<T>(band.whitened(y), width);
      }
    }
  });
  at::Tensor result = at::empty({d.size(0), samples}, d.options().dtype(at::kDouble));
  double* out = result.mutable_data_ptr<double>();
  for (std::int64_t s = 0; s < result.numel(); ++s) {
    out[s] = 0.0;
    const double* rows = squares.data() + s * height;
    for (std::int64_t y = 0; y < height; ++y) out[s] += rows[y];
  }
  return result;
}

// The gradients of one image.
template <typename T>
struct GradientMaps {
  T* log_diagonal;  // [H,W]
  T* off_diagonal;  // [K,H,W]
  T* weighted;      // [H,W]
};

// Adds the gradient of one sample to row y; z = w·Lᵀ(d − μ) of that row.
template <typename T>
void add_gradient_row(const Band<T>& band,
                      const GradientMaps<T>& maps,
                      const T* z,
                      std::int64_t y) {
  const FactorView<T>& view = band.view();
  const std::int64_t width = view.width;
  const Neighbourhood neighbourhood(view.radius);
  T* off_diagonal = maps.off_diagonal + y * width;
  for (const Offset& offset : neighbourhood.offsets()) {
    const std::int64_t count = width - std::abs(offset.dx);
    if (y + offset.dy < view.height && count > 0) {
      const std::int64_t start = std::max<std::int64_t>(0, -offset.dx);
      row::subtract_products<T>(
          off_diagonal + start, z + start, band.residual(y + offset.dy) + start + offset.dx, count);
    }
    off_diagonal += view.pixels();
  }
  row::subtract_products<T>(maps.log_diagonal + y * width, z, band.residual(y), width);
}

// Adds to the band's rows of the gradients; d points at the image's first sample.
template <typename T>
void differentiate(Band<T>& band,
                   const GradientMaps<T>& maps,
                   std::span<const double> weights,
                   const T* d) {
  const FactorView<T>& view = band.view();
  const std::int64_t width = view.width;
  for (const double w : weights) {
    const T weight = static_cast<T>(w);
    band.take(d);
    d += view.pixels();
    for (std::int64_t y = band.rows().begin; y < band.rows().end; ++y) {
      T* z = band.whitened(y);
      T* weighted = maps.weighted + y * width;
      for (std::int64_t x = 0; x < width; ++x) {
        z[x] *= weight;
        weighted[x] += z[x];
      }
      add_gradient_row(band, maps, z, y);
    }
  }
  for (std::int64_t y = band.rows().begin; y < band.rows().end; ++y) {
    row::multiply<T>(maps.log_diagonal + y * width, band.diagonal(y), width);
  }
}

template <typename T>
ExponentGradient gradient(const FactorMaps& maps,
                          const at::Tensor& mean,
                          const at::Tensor& d,
                          const at::Tensor& outer) {
  constexpr std::int64_t kRows = 4;
  const at::Tensor fields = d.contiguous();
  const at::Tensor weights = outer.to(at::kDouble).contiguous();
  ExponentGradient result{{at::zeros(maps.log_diagonal.sizes(), d.options()),
                           at::zeros(maps.off_diagonal.sizes(), d.options())},
                          at::zeros(maps.log_diagonal.sizes(), d.options())};
  T* log_diagonal = result.factor.log_diagonal.mutable_data_ptr<T>();
  const GradientMaps<T> all{log_diagonal,
                            mutable_map_pointer(result.factor.off_diagonal, log_diagonal),
                            result.weighted.mutable_data_ptr<T>()};
  const std::int64_t samples = d.size(1);
  const std::int64_t pixels = d.size(2) * d.size(3);
  const std::int64_t channels = maps.off_diagonal.size(1);
  const T* in = fields.const_data_ptr<T>();
  const double* weight = weights.const_data_ptr<double>();
  for_each_band<T>(maps, mean, d, kRows, [&](Band<T>& band, std::int64_t b) {
    differentiate<T>(band,
                     {all.log_diagonal + b * pixels,
                      all.off_diagonal + b * channels * pixels,
                      all.weighted + b * pixels},
                     {weight + b * samples, static_cast<std::size_t>(samples)},
                     in + b * samples * pixels);
  });
  return result;
}

}  // namespace

at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d) {
  return AT_DISPATCH_FLOATING_TYPES(
      d.scalar_type(), "squared_norm", [&] { return squared_norms<scalar_t>(factor, mean, d); });
}

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& weights) {
  return AT_DISPATCH_FLOATING_TYPES(d.scalar_type(), "exponent_gradient", [&] {
    return gradient<scalar_t>(factor, mean, d, weights);
  });
}

}  // namespace supn::cpu
