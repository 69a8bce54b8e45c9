#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/map_pointer.hpp"
#include "gaussian/ops/cpu/contiguous_factor.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn::cpu {
namespace {

// Rows of an image that are taken together: their maps stay in the cache while the samples pass,
// and there are enough of these bands to keep all threads busy with one sample.
constexpr std::int64_t kRowsOfBand = 8;

// One image.
template <typename T>
struct Density {
  FactorImage<T> factor;  // its diagonal is φ
  const T* mean;
};

// Scratch of one thread: e^φ and d − μ of a band, the latter with the rows below that are needed.
template <typename T>
class Band {
 public:
  Band(std::int64_t width, std::int64_t radius)
      : width_(width),
        diagonal_(kRowsOfBand * width),
        residual_((kRowsOfBand + radius) * width),
        whitened_(width) {}

  void start(const Density<T>& density, const Columns& rows) {
    density_ = density;
    rows_ = rows;
    row::exponential<T>(diagonal_.data(),
                        density.factor.diagonal_row(rows.begin),
                        T{1},
                        (rows.end - rows.begin) * width_);
  }

  // squares[y] = Σ_x z² of every row of the band for the sample d [H,W].
  void squares(const T* d, double* squares) {
    const FactorImage<T>& factor = density_.factor;
    const std::int64_t below = std::min(rows_.end + factor.radius, factor.height);
    const std::int64_t first = rows_.begin * width_;
    for (std::int64_t i = first; i < below * width_; ++i) {
      residual_.data()[i - first] = d[i] - density_.mean[i];
    }
    for (std::int64_t y = rows_.begin; y < rows_.end; ++y) {
      const std::int64_t in_band = (y - rows_.begin) * width_;
      row::transpose_product<T>(whitened_.data(),
                                {factor.off_diagonal + y * width_,
                                 factor.pixels(),
                                 diagonal_.data() + in_band,
                                 residual_.data() + in_band,
                                 width_,
                                 std::min(factor.radius, factor.height - 1 - y),
                                 width_,
                                 factor.radius});
      squares[y] = row::sum_of_squares<T>(whitened_.data(), width_);
    }
  }

 private:
  std::int64_t width_;
  Density<T> density_{};
  Columns rows_{0, 0};
  AlignedBuffer<T> diagonal_;
  AlignedBuffer<T> residual_;
  AlignedBuffer<T> whitened_;
};

// Every row is summed in f64 and the rows are added up in their order, whoever did them.
template <typename T>
at::Tensor squared_norms(const FactorMaps& maps, const at::Tensor& mean_map, const at::Tensor& d) {
  const at::Tensor log_diagonal = maps.log_diagonal.contiguous();
  const at::Tensor off_diagonal = maps.off_diagonal.contiguous();
  const at::Tensor mean = mean_map.contiguous();
  const at::Tensor fields = d.contiguous();
  const std::int64_t samples = d.size(1);
  const std::int64_t height = d.size(2);
  const std::int64_t width = d.size(3);
  const std::int64_t pixels = height * width;
  const std::int64_t channels = off_diagonal.size(1);
  const T* phi = log_diagonal.const_data_ptr<T>();
  const T* psi = map_pointer(off_diagonal, phi);
  const T* means = mean.const_data_ptr<T>();
  const T* in = fields.const_data_ptr<T>();
  std::vector<double> squares(static_cast<std::size_t>(d.size(0) * samples * height));
  const std::int64_t bands = (height + kRowsOfBand - 1) / kRowsOfBand;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (kRowsOfBand * width * samples));
  at::parallel_for(0, d.size(0) * bands, grain, [&](std::int64_t begin, std::int64_t end) {
    Band<T> band(width, maps.neighbourhood.radius());
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / bands;
      const std::int64_t first = i % bands * kRowsOfBand;
      const FactorImage<T> factor{phi + b * pixels,
                                  psi + b * channels * pixels,
                                  height,
                                  width,
                                  maps.neighbourhood.radius()};
      band.start({factor, means + b * pixels}, {first, std::min(first + kRowsOfBand, height)});
      for (std::int64_t s = b * samples; s < (b + 1) * samples; ++s) {
        band.squares(in + s * pixels, squares.data() + s * height);
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

}  // namespace

at::Tensor squared_norm(const FactorMaps& factor, const at::Tensor& mean, const at::Tensor& d) {
  return AT_DISPATCH_FLOATING_TYPES(
      d.scalar_type(), "squared_norm", [&] { return squared_norms<scalar_t>(factor, mean, d); });
}

}  // namespace supn::cpu
