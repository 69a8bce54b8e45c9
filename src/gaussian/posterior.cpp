#include "posterior.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <sstream>
#include <string>
#include <utility>

#include "banded_system.hpp"
#include "dense_system.hpp"
#include "exact_form.hpp"

namespace supn {
namespace {

constexpr const char* kFunction = "ConditionedGaussian: ";

std::string megabytes(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MB"; }

// The matrix, its factor and one copy.
std::int64_t dense_bytes(std::int64_t observations) {
  return 3 * observations * observations * static_cast<std::int64_t>(sizeof(double));
}

const ConditioningOptions& checked(const ConditioningOptions& options) {
  TORCH_CHECK(options.tolerance > 0.0 && options.max_iterations > 0,
              kFunction,
              "tolerance and max_iterations must be positive, got ",
              options.tolerance,
              " and ",
              options.max_iterations);
  return options;
}

const StructuredGaussian& one_image(const StructuredGaussian& gaussian) {
  check_one_image("ConditionedGaussian", gaussian);
  return gaussian;
}

}  // namespace

Posterior::Posterior(const StructuredGaussian& gaussian,
                     const Observations& observations,
                     const ConditioningOptions& options)
    : gaussian_(exact_form(one_image(gaussian))),
      observations_(checked_observations(observations, gaussian.size())),
      options_(checked(options)) {
  report_.method = options.method;
  if (options.method == ConditioningMethod::kAuto) {
    report_.method = starts_dense() ? ConditioningMethod::kDense : ConditioningMethod::kPcg;
  }
}

bool Posterior::starts_dense() const {
  return options_.method == ConditioningMethod::kDense ||
         (options_.method == ConditioningMethod::kAuto &&
          observations_.size() <= options_.dense_limit &&
          dense_bytes(observations_.size()) <= options_.memory_limit);
}

bool Posterior::tries_pcg() const {
  return options_.method == ConditioningMethod::kPcg ||
         (options_.method == ConditioningMethod::kAuto && !starts_dense() && factored_ == nullptr);
}

at::Tensor Posterior::residuals(const at::Tensor& field) const {
  return observations_.values.sub(gathered(field, observations_.pixels));
}

at::Tensor Posterior::correction(const at::Tensor& residuals) {
  if (observations_.size() == 0) {
    return at::zeros({1, residuals.size(0), gaussian_.height(), gaussian_.width()},
                     gaussian_.mean().options());
  }
  if (tries_pcg()) {
    at::Tensor result = pcg_correction(residuals);
    if (result.defined()) return result;
  }
  return factored().correction(residuals);
}

// Undefined if conjugate gradients fail and there is another way.
at::Tensor Posterior::pcg_correction(const at::Tensor& residuals) {
  if (pcg_ == nullptr) {
    pcg_ = std::make_unique<PcgSystem>(
        gaussian_, observations_, PcgLimits{options_.tolerance, options_.max_iterations});
  }
  at::Tensor result = pcg_->correction(residuals);
  report_.iterations = pcg_->report().iterations;
  report_.relative_residual = pcg_->report().relative_residual;
  report_.converged = report_.relative_residual <= options_.tolerance;
  if (report_.converged || options_.method == ConditioningMethod::kPcg) return result;
  std::ostringstream note;
  note << "conjugate gradients left a relative residual of " << report_.relative_residual
       << " after " << report_.iterations << " iterations";
  const std::int64_t bytes = band_numbering(gaussian_, observations_).bytes();
  if (bytes > options_.memory_limit) {
    note << ", and a band factor would take " << megabytes(bytes);
    report_.note = note.str();
    return result;
  }
  report_.note = note.str();
  report_.converged = true;
  report_.method = ConditioningMethod::kBanded;
  return {};
}

const at::Tensor& Posterior::mean_correction() {
  if (!mean_correction_.defined()) mean_correction_ = correction(residuals(gaussian_.mean()));
  return mean_correction_;
}

ObservationSystem& Posterior::factored() {
  if (options_.method == ConditioningMethod::kPcg) {
    mean_correction();
    return *pcg_;
  }
  if (factored_ == nullptr && starts_dense()) make_dense();
  if (factored_ == nullptr) make_banded();
  return *factored_;
}

void Posterior::make_dense() {
  TORCH_CHECK(dense_bytes(observations_.size()) <= options_.memory_limit,
              kFunction,
              "the dense method needs ",
              megabytes(dense_bytes(observations_.size())),
              " for ",
              observations_.size(),
              " observations, more than memory_limit; choose another method");
  factored_ = DenseSystem::make(gaussian_, observations_);
  if (factored_ != nullptr) return;
  TORCH_CHECK(options_.method == ConditioningMethod::kAuto,
              kFunction,
              "the covariance of the observed pixels is numerically not positive definite: give a "
              "noise variance, or choose the banded method");
  report_.method = ConditioningMethod::kBanded;
  report_.note = "the covariance of the observed pixels is numerically not positive definite";
}

void Posterior::make_banded() {
  BandNumbering numbering = band_numbering(gaussian_, observations_);
  TORCH_CHECK(numbering.bytes() <= options_.memory_limit,
              kFunction,
              "a band factor of ",
              numbering.pixels.size(),
              " unknown pixels needs ",
              megabytes(numbering.bytes()),
              ", more than memory_limit; raise it, or use conjugate gradients (mean and samples)");
  factored_ = BandedSystem::make(gaussian_, observations_, std::move(numbering));
  TORCH_CHECK(factored_ != nullptr,
              kFunction,
              "the precision of the unknown pixels is numerically not positive definite; the "
              "Gaussian's factor is too ill-conditioned or not finite");
}

}  // namespace supn
