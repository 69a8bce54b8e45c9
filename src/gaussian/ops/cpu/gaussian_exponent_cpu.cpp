#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// Rows that are differentiated together: their maps stay in the cache while the samples pass.
constexpr std::int64_t kBand = 4;

// Scratch of one thread: d − μ of one sample as a whole image, of which only the rows in work are
// filled, and one row of z.
template <typename T>
class Residuals {
 public:
  explicit Residuals(const FactorImage<T>& image) : x_(image.pixels()), z_(image.width) {}

  void fill(const FactorImage<T>& image, const T* d, const T* mean, const Columns& rows) {
    for (std::int64_t i = rows.begin * image.width; i < rows.end * image.width; ++i) {
      x_.data()[i] = d[i] - mean[i];
    }
  }

  // z = Lᵀ(d − μ) of row y; rows y … y + r must be filled. The operations are those of
  // factor_transpose_times.
  T* whitened_row(const FactorImage<T>& image, std::int64_t y) {
    std::fill_n(z_.data(), image.width, T{0});
    const FieldRow<T> field{kAdd<T>, x_.data(), z_.data()};
    accumulate_other_rows<Side::kLater>(image, y, field);
    accumulate_own_row<Side::kLater>(image, y, field);
    row::add_products<T>(z_.data(), image.diagonal_row(y), row(image, y), image.width);
    return z_.data();
  }

  const T* row(const FactorImage<T>& image, std::int64_t y) const {
    return x_.data() + y * image.width;
  }

 private:
  AlignedBuffer<T> x_;
  AlignedBuffer<T> z_;
};

// The results of one image.
template <typename T>
struct GradientMaps {
  T* log_diagonal;  // [H,W]
  T* off_diagonal;  // [K,H,W]
  T* weighted;      // [H,W]
};

// weighted_z = w·z of row y, whose neighbours' d − μ are in `residuals`.
template <typename T>
void add_gradient_row(const FactorImage<T>& image,
                      const GradientMaps<T>& maps,
                      const Residuals<T>& residuals,
                      const T* weighted_z,
                      std::int64_t y) {
  const std::int64_t width = image.width;
  const Neighbourhood neighbourhood(image.radius);
  T* off_diagonal = maps.off_diagonal + y * width;
  for (const Offset& offset : neighbourhood.offsets()) {
    const std::int64_t count = width - std::abs(offset.dx);
    if (y + offset.dy < image.height && count > 0) {
      const std::int64_t start = std::max<std::int64_t>(0, -offset.dx);
      row::subtract_products<T>(off_diagonal + start,
                                weighted_z + start,
                                residuals.row(image, y + offset.dy) + start + offset.dx,
                                count);
    }
    off_diagonal += image.pixels();
  }
  row::subtract_products<T>(
      maps.log_diagonal + y * width, weighted_z, residuals.row(image, y), width);
}

// Rows [rows.begin, rows.end) of the gradients; d points at the image's first sample.
template <typename T>
void differentiate_band(const FactorImage<T>& image,
                        const GradientMaps<T>& maps,
                        std::span<const double> weights,
                        const T* d,
                        const T* mean,
                        const Columns& rows,
                        Residuals<T>& residuals) {
  const std::int64_t width = image.width;
  const std::int64_t end = std::min(rows.end + image.radius, image.height);
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const T weight = static_cast<T>(weights[s]);
    residuals.fill(
        image, d + static_cast<std::int64_t>(s) * image.pixels(), mean, {rows.begin, end});
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      T* z = residuals.whitened_row(image, y);
      T* weighted = maps.weighted + y * width;
      for (std::int64_t x = 0; x < width; ++x) {
        z[x] *= weight;
        weighted[x] += z[x];
      }
      add_gradient_row(image, maps, residuals, z, y);
    }
  }
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    row::multiply<T>(maps.log_diagonal + y * width, image.diagonal_row(y), width);
  }
}

template <typename T>
ExponentGradient gradient(const FactorMaps& maps,
                          const at::Tensor& mean_map,
                          const at::Tensor& d,
                          const at::Tensor& outer) {
  const ContiguousFactor<T> factor(maps, T{1});
  const at::Tensor mean = mean_map.contiguous();
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
  const std::int64_t height = d.size(2);
  const std::int64_t pixels = height * d.size(3);
  const std::int64_t channels = maps.off_diagonal.size(1);
  const std::int64_t bands = (height + kBand - 1) / kBand;
  const T* in = fields.const_data_ptr<T>();
  const T* means = mean.const_data_ptr<T>();
  const double* weight = weights.const_data_ptr<double>();
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (kBand * d.size(3) * samples));
  at::parallel_for(0, d.size(0) * bands, grain, [&](std::int64_t begin, std::int64_t end) {
    Residuals<T> residuals(factor.image(0));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / bands;
      const std::int64_t first = i % bands * kBand;
      const GradientMaps<T> of_image{all.log_diagonal + b * pixels,
                                     all.off_diagonal + b * channels * pixels,
                                     all.weighted + b * pixels};
      differentiate_band<T>(factor.image(b),
                            of_image,
                            {weight + b * samples, static_cast<std::size_t>(samples)},
                            in + b * samples * pixels,
                            means + b * pixels,
                            {first, std::min(first + kBand, height)},
                            residuals);
    }
  });
  return result;
}

}  // namespace

ExponentGradient exponent_gradient(const FactorMaps& factor,
                                   const at::Tensor& mean,
                                   const at::Tensor& d,
                                   const at::Tensor& weights) {
  return AT_DISPATCH_FLOATING_TYPES(d.scalar_type(), "exponent_gradient", [&] {
    return gradient<scalar_t>(factor, mean, d, weights);
  });
}

}  // namespace supn::cpu
