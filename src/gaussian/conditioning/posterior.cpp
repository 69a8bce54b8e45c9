#include "gaussian/conditioning/posterior.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "gaussian/conditioning/dense_system.hpp"
#include "gaussian/conditioning/pcg_system.hpp"
#include "gaussian/conditioning/sparse_system.hpp"
#include "gaussian/conditioning/two_level_pcg_system.hpp"
#include "gaussian/in_float64.hpp"

namespace supn {
namespace {

std::string megabytes(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MB"; }

// The matrix, its factor and one copy.
std::int64_t dense_bytes(std::int64_t observations) {
  return 3 * observations * observations * static_cast<std::int64_t>(sizeof(double));
}

// Costs are those of a factor with a mean and some samples, in multiply-adds of a matrix product.
// Those of a substitution wait for memory and for each other, and each takes as long as so many of
// these.
constexpr double kPerSubstitution = 10.0;
// From coarse to fine a Cholesky factor of M takes longer than conjugate gradients for more.
constexpr std::int64_t kFewObservations = 4096;
// The sparse method does so much more for each pixel: ordering, assembly, the solves.
constexpr double kPerPixel = 40000.0;

// Counts two substitutions a known pixel, of which those above it in the image need not be done,
// and a dense Cholesky.
double dense_cost(const StructuredGaussian& gaussian, std::int64_t observations) {
  const auto m = static_cast<double>(observations);
  const auto terms = static_cast<double>(gaussian.neighbourhood().size() + 1);
  return m * static_cast<double>(gaussian.pixels()) * terms * kPerSubstitution + m * m * m / 6;
}

double sparse_cost(const StructuredGaussian& gaussian, const Dissection& dissection) {
  return dissection.multiply_adds() + kPerPixel * static_cast<double>(gaussian.pixels());
}

const ConditioningOptions& checked(const ConditioningOptions& options) {
  TORCH_CHECK(options.tolerance > 0.0 && options.max_iterations > 0,
              kConditioned,
              "tolerance and max_iterations must be positive, got ",
              options.tolerance,
              " and ",
              options.max_iterations);
  return options;
}

// The sparse Cholesky of the raster order is a program for the CPU, and its substitutions are
// chains.
StructuredGaussian one_image(const StructuredGaussian& gaussian) {
  check_one_image("ConditionedGaussian", gaussian);
  return gaussian.neighbourhood().is_raster() ? in_float64_on_cpu(gaussian) : in_float64(gaussian);
}

void check_prior_variance(const at::Tensor& variance, const StructuredGaussian& gaussian) {
  TORCH_CHECK(!variance.defined() || (variance.sizes() == gaussian.mean().sizes() &&
                                      variance.scalar_type() == at::kDouble),
              kConditioned,
              "prior_variance must be float64 ",
              gaussian.mean().sizes(),
              ", as marginal_variance gives it");
}

void check_common(const CommonUnknown& common, const StructuredGaussian& gaussian) {
  if (!common.column.defined()) return;
  TORCH_CHECK(common.column.sizes() == gaussian.mean().sizes() &&
                  common.column.isfinite().all().item<bool>(),
              kConditioned,
              "the common unknown's column must be finite ",
              gaussian.mean().sizes(),
              ", got ",
              common.column.sizes());
  TORCH_CHECK(std::isfinite(common.std) && common.std >= 0.0,
              kConditioned,
              "the common unknown's std must be finite and not negative, got ",
              common.std);
}

}  // namespace

Posterior::Posterior(const StructuredGaussian& gaussian,
                     const Observations& observations,
                     const ConditioningOptions& options)
    : device_(gaussian.mean().device()),
      gaussian_(one_image(gaussian)),
      observations_(checked_observations(observations, gaussian.size(), gaussian_.mean().device())),
      options_(checked(options)) {
  check_prior_variance(options.prior_variance, gaussian_);
  check_common(options.common, gaussian_);
  if (options_.common.column.defined()) {
    options_.common.column =
        options_.common.column.detach().to(gaussian_.mean().device()).to(at::kDouble);
  }
  if (options_.prior_variance.defined()) {
    options_.prior_variance = options_.prior_variance.to(gaussian_.mean().device());
  }
  TORCH_CHECK(options.columns == nullptr || options.columns->are_of(gaussian),
              kConditioned,
              "the columns are of another Gaussian");
  report_.method = options.method;
  if (options.method == ConditioningMethod::kAuto && observations_.size() > 0) {
    report_.method = first_choice();
  }
}

const Dissection& Posterior::dissection() {
  if (!dissection_) dissection_ = unknown_dissection(gaussian_, observations_);
  return *dissection_;
}

std::int64_t Posterior::factor_bytes() {
  return gaussian_.neighbourhood().is_raster() ? dissection().bytes()
                                               : dense_bytes(observations_.size());
}

bool Posterior::is_dense_small() const {
  return dense_bytes(observations_.size()) <= options_.memory_limit;
}

// The factor that is estimated to be there sooner, of those that memory allows; else none. Columns
// that are kept are there already, or soon.
ConditioningMethod Posterior::first_choice() {
  if (options_.columns != nullptr && observations_.size() <= options_.columns->capacity()) {
    return ConditioningMethod::kDense;
  }
  if (!gaussian_.neighbourhood().is_raster()) {
    return is_dense_small() && observations_.size() <= kFewObservations ? ConditioningMethod::kDense
                                                                        : ConditioningMethod::kPcg;
  }
  const double dense = dense_cost(gaussian_, observations_.size());
  // Even without fronts the other would take longer.
  if (is_dense_small() && dense <= kPerPixel * static_cast<double>(gaussian_.pixels())) {
    return ConditioningMethod::kDense;
  }
  const bool is_sparse_small = dissection().bytes() <= options_.memory_limit;
  const bool is_dense_sooner = dense <= sparse_cost(gaussian_, dissection());
  if (is_dense_small() && (is_dense_sooner || !is_sparse_small)) return ConditioningMethod::kDense;
  return is_sparse_small ? ConditioningMethod::kSparse : ConditioningMethod::kPcg;
}

at::Tensor Posterior::residuals(const at::Tensor& field) const {
  return observations_.values.sub(gathered(field, observations_.pixels));
}

at::Tensor Posterior::correction(const at::Tensor& residuals) {
  if (observations_.size() == 0) {
    return at::zeros({1, residuals.size(0), gaussian_.height(), gaussian_.width()},
                     gaussian_.mean().options());
  }
  if (report_.method == ConditioningMethod::kPcg) return pcg_correction(residuals);
  return factored_correction(residuals);
}

at::Tensor Posterior::factored_correction(const at::Tensor& residuals) {
  at::Tensor result = factored().correction(residuals);
  report_.relative_residual = factor_report_.relative_residual;
  report_.converged = std::isfinite(report_.relative_residual);
  return result;
}

at::Tensor Posterior::pcg_correction(const at::Tensor& residuals) {
  if (iterative_ == nullptr) make_iterative();
  at::Tensor result = iterative_->correction(residuals);
  report_.iterations = pcg_report_.iterations;
  report_.relative_residual = pcg_report_.relative_residual;
  report_.converged = report_.relative_residual <= options_.tolerance;
  if (report_.converged) return result;
  std::ostringstream note;
  note << "conjugate gradients left a relative residual of " << report_.relative_residual
       << " after " << report_.iterations << " iterations";
  if (options_.method == ConditioningMethod::kAuto && !gaussian_.neighbourhood().is_raster() &&
      is_dense_small()) {
    note << "; the dense method was taken";
    report_ = {.method = ConditioningMethod::kDense, .note = note.str()};
    return factored_correction(residuals);
  }
  if (options_.method == ConditioningMethod::kAuto) {
    note << ", and a factor would take " << megabytes(factor_bytes());
  }
  report_.note = note.str();
  return result;
}

const at::Tensor& Posterior::mean_correction() {
  if (!mean_correction_.defined()) mean_correction_ = correction(residuals(gaussian_.mean()));
  return mean_correction_;
}

ObservationSystem& Posterior::factored() {
  if (options_.method == ConditioningMethod::kPcg) {
    mean_correction();
    return *iterative_;
  }
  // From coarse to fine there is no other factor for what conjugate gradients do not give.
  const bool is_dense =
      report_.method == ConditioningMethod::kDense ||
      (report_.method == ConditioningMethod::kPcg && !gaussian_.neighbourhood().is_raster());
  if (factored_ == nullptr && is_dense) make_dense();
  if (factored_ == nullptr) make_sparse();
  return *factored_;
}

std::unique_ptr<ObservationSystem> Posterior::with_common(
    std::unique_ptr<ObservationSystem> system) {
  if (system == nullptr || !options_.common.column.defined()) return system;
  auto wrapped =
      std::make_unique<CommonSystem>(std::move(system), options_.common, observations_.pixels);
  common_system_ = wrapped.get();
  return wrapped;
}

CommonEstimate Posterior::common_estimate() {
  if (!options_.common.column.defined()) return {};
  if (observations_.size() == 0) return {0.0, options_.common.std};
  mean_correction();
  return common_system_->estimate(residuals(gaussian_.mean()).squeeze(0));
}

void Posterior::make_iterative() {
  const PcgLimits limits{options_.tolerance, options_.max_iterations};
  if (gaussian_.neighbourhood().is_raster()) {
    iterative_ =
        with_common(std::make_unique<PcgSystem>(gaussian_, observations_, limits, pcg_report_));
  } else {
    iterative_ = with_common(
        std::make_unique<TwoLevelPcgSystem>(gaussian_, observations_, limits, pcg_report_));
  }
}

void Posterior::make_dense() {
  TORCH_CHECK(dense_bytes(observations_.size()) <= options_.memory_limit,
              kConditioned,
              "the dense method needs ",
              megabytes(dense_bytes(observations_.size())),
              " for ",
              observations_.size(),
              " observations, more than memory_limit; choose another method");
  factored_ = with_common(DenseSystem::make(gaussian_, observations_, options_, factor_report_));
  if (factored_ != nullptr) return;
  const bool is_raster = gaussian_.neighbourhood().is_raster();
  TORCH_CHECK(options_.method == ConditioningMethod::kAuto && is_raster,
              kConditioned,
              "the covariance of the observed pixels is numerically not positive definite, or not "
              "finite: give a noise variance",
              is_raster ? ", or choose the sparse method" : "");
  report_.method = ConditioningMethod::kSparse;
  report_.note = "the covariance of the observed pixels is numerically not positive definite";
}

void Posterior::make_sparse() {
  TORCH_CHECK(gaussian_.neighbourhood().is_raster(),
              kConditioned,
              "the sparse method needs the raster order, this factor's is ",
              gaussian_.neighbourhood().description(),
              "; choose the dense method or conjugate gradients");
  TORCH_CHECK(dissection().bytes() <= options_.memory_limit,
              kConditioned,
              "a sparse factor of this size needs ",
              megabytes(dissection().bytes()),
              ", more than memory_limit; raise it, or use conjugate gradients (mean and samples)");
  factored_ =
      with_common(SparseSystem::make(gaussian_, observations_, dissection(), factor_report_));
  TORCH_CHECK(factored_ != nullptr,
              kConditioned,
              "the precision of the unknown pixels is numerically not positive definite; the "
              "Gaussian's factor is too ill-conditioned or not finite");
}

}  // namespace supn
