#include "gaussian/conditioning/dense_system.hpp"

#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "gaussian/in_float64.hpp"
#include "gaussian/sparse/pixel_rows.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn {
namespace {

// So many entries a pixel in rows of L⁻ᵀ are added up as quickly as L⁻¹ is applied.
constexpr std::int64_t kMostEntries = 2;

// Returns Σ at pairs of pixels [q,q]; pixels are sorted, without repetition. In raster order each
// chunk of columns needs only the image from its first row on: later rows do not depend on earlier
// ones.
at::Tensor raster_covariance(const StructuredGaussian& gaussian,
                             const std::vector<std::int64_t>& pixels) {
  const auto count = static_cast<std::int64_t>(pixels.size());
  at::Tensor result = at::zeros({count, count}, gaussian.mean().options());
  const std::int64_t step = fields_at_once(gaussian);
  for (std::int64_t first = 0; first < count; first += step) {
    const std::int64_t y = pixels[static_cast<std::size_t>(first)] / gaussian.width();
    const StructuredGaussian rest = gaussian.rows_from(y);
    std::vector<std::int64_t> later(pixels.begin() + first, pixels.end());
    for (std::int64_t& pixel : later) pixel -= y * gaussian.width();
    const std::int64_t columns = std::min(step, count - first);
    const at::Tensor unit = at::eye(columns, gaussian.mean().options());
    const at::Tensor field = scattered(unit, {later.begin(), later.begin() + columns}, rest.size());
    const at::Tensor part = gathered(covariance_times(rest, field), later);
    result.narrow(0, first, columns).narrow(1, first, count - first).copy_(part);
  }
  return result.triu().add(result.triu(1).t());
}

// Σ_KK of observations that may share pixels, in raster order.
at::Tensor covariance_among(const StructuredGaussian& gaussian,
                            const std::vector<std::int64_t>& pixels) {
  std::vector<std::int64_t> distinct = pixels;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::int64_t> place(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    place[i] = std::lower_bound(distinct.begin(), distinct.end(), pixels[i]) - distinct.begin();
  }
  const at::Tensor index = pixel_tensor(place);
  return raster_covariance(gaussian, distinct).index_select(0, index).index_select(1, index);
}

}  // namespace

std::int64_t fields_at_once(const StructuredGaussian& gaussian) {
  // Larger blocks are mapped anew at every allocation, which costs more than the work on them.
  constexpr std::int64_t kWords = 4'000'000;
  return std::clamp<std::int64_t>(kWords / gaussian.pixels(), 1, 256);
}

std::unique_ptr<DenseSystem> DenseSystem::make(const StructuredGaussian& gaussian,
                                               const ObservationSet& observations,
                                               const ConditioningOptions& options,
                                               SystemReport& report) {
  std::unique_ptr<DenseSystem> system(
      new DenseSystem(gaussian, observations, options.prior_variance, report));
  if (options.columns != nullptr && observations.size() <= options.columns->capacity()) {
    system->rows_ = options.columns->rows_of(observations.pixels);
    system->columns_ = options.columns->all();
  }
  at::Tensor matrix = system->observed_covariance();
  matrix.diagonal().add_(observations.noise_variance);
  auto [cholesky, info] = at::linalg_cholesky_ex(matrix);
  if (info.item<int>() != 0 || !cholesky.isfinite().all().item<bool>()) return nullptr;
  system->cholesky_ = std::move(cholesky);
  return system;
}

at::Tensor DenseSystem::covariance_by_rows() {
  graph_ = std::make_unique<FactorGraph>(in_float64_on_cpu(gaussian_));
  noise_rows_ = std::make_unique<PixelRows>(rows_of_pixels(*graph_, observations_.pixels));
  const at::Tensor covariance = covariance_of(*graph_, *noise_rows_);
  if (noise_rows_->fine_entries() > kMostEntries * gaussian_.pixels()) {
    noise_rows_ = nullptr;
    graph_ = nullptr;
  } else {
    transpose_solver_ = device::transpose_solver(
        {gaussian_.log_diagonal(), gaussian_.off_diagonal(), gaussian_.neighbourhood()});
  }
  return covariance.to(gaussian_.mean().device());
}

at::Tensor DenseSystem::observed_covariance() {
  const std::vector<std::int64_t>& pixels = observations_.pixels;
  if (!columns_.defined()) {
    return gaussian_.neighbourhood().is_raster() ? covariance_among(gaussian_, pixels)
                                                 : covariance_by_rows();
  }
  return columns_.index_select(1, pixel_tensor(pixels)).index_select(0, pixel_tensor(rows_));
}

at::Tensor DenseSystem::on_columns(const at::Tensor& weights) const {
  const at::Tensor all = at::zeros({weights.size(0), columns_.size(0)}, weights.options());
  return all.index_add(1, pixel_tensor(rows_), weights);
}

at::Tensor DenseSystem::columns_times(const at::Tensor& weights) const {
  if (columns_.defined()) {
    return on_columns(weights).matmul(columns_).view(
        {1, -1, gaussian_.height(), gaussian_.width()});
  }
  if (noise_rows_ != nullptr) {
    const at::Tensor noise = noise_rows_->transpose_times(weights.cpu());
    return transpose_solver_(
        noise.to(weights.device()).view({1, -1, gaussian_.height(), gaussian_.width()}));
  }
  return covariance_times(gaussian_, scattered(weights, observations_.pixels, gaussian_.size()));
}

// Σ_s (Σ_·K w_s)² [1,1,H,W], in pieces that stay in the cache.
at::Tensor DenseSystem::square_sum_of_columns(const at::Tensor& weights) const {
  constexpr std::int64_t kPixels = 4096;
  const at::Tensor rows = on_columns(weights);
  at::Tensor sum = at::empty({gaussian_.pixels()}, weights.options());
  for (std::int64_t first = 0; first < gaussian_.pixels(); first += kPixels) {
    const std::int64_t count = std::min(kPixels, gaussian_.pixels() - first);
    sum.narrow(0, first, count)
        .copy_(rows.matmul(columns_.narrow(1, first, count)).square_().sum(0));
  }
  return sum.view({1, 1, gaussian_.height(), gaussian_.width()});
}

at::Tensor DenseSystem::correction(const at::Tensor& residuals) {
  const at::Tensor weights = at::cholesky_solve(residuals.t(), cholesky_).t();
  const at::Tensor result = columns_times(weights);
  report_.add(residuals.sub(gathered(result, observations_.pixels))
                  .sub(weights.mul(observations_.noise_variance)),
              residuals);
  return result;
}

at::Tensor DenseSystem::weights(const at::Tensor& residual, const at::Tensor& /*correction*/) {
  return at::cholesky_solve(residual.unsqueeze(1), cholesky_).squeeze(1);
}

double DenseSystem::log_determinant() {
  return 2.0 * cholesky_.diagonal().log().sum().item<double>();
}

at::Tensor DenseSystem::inverse_cholesky() const {
  return at::linalg_solve_triangular(
      cholesky_, at::eye(observations_.size(), cholesky_.options()), /*upper=*/false);
}

at::Tensor DenseSystem::precision_diagonal() { return inverse_cholesky().square().sum(0); }

// M⁻¹ = C⁻ᵀC⁻¹, so the variances fall by the squares of Σ·(row j of C⁻¹, put on the image).
at::Tensor DenseSystem::variance() {
  const at::Tensor rows = inverse_cholesky();
  if (!prior_variance_.defined()) prior_variance_ = marginal_variance(gaussian_);
  at::Tensor variance = prior_variance_.clone();
  if (columns_.defined()) return variance.sub_(square_sum_of_columns(rows)).clamp_min_(0.0);
  const std::int64_t step = fields_at_once(gaussian_);
  for (std::int64_t first = 0; first < rows.size(0); first += step) {
    const at::Tensor part = rows.narrow(0, first, std::min(step, rows.size(0) - first));
    variance.sub_(columns_times(part).square().sum(1, /*keepdim=*/true));
  }
  return variance.clamp_min_(0.0);
}

}  // namespace supn
