#include "gaussian/conditioning/precision_system.hpp"

#include "gaussian/in_float64.hpp"
#include "supn/gaussian/factor.hpp"

namespace supn {

PrecisionSystem::PrecisionSystem(const StructuredGaussian& gaussian,
                                 const ObservationSet& observations)
    : gaussian_(gaussian), observations_(observations) {
  is_exact_ = observations.noise_variance.eq(0.0).to(at::kDouble);
  inverse_variance_ = observations.noise_variance.reciprocal().masked_fill(is_exact_.gt(0.0), 0.0);
  const auto on_image = [&](const at::Tensor& values) {
    return scattered(values.unsqueeze(0), observations.pixels, gaussian.size());
  };
  unknown_ = on_image(is_exact_).eq(0.0).to(at::kDouble);
  added_precision_ = on_image(inverse_variance_).mul(unknown_);
}

at::Tensor PrecisionSystem::correction(const at::Tensor& residuals) {
  const ImageSize size = gaussian_.size();
  const at::Tensor fixed = scattered(residuals.mul(is_exact_), observations_.pixels, size);
  const at::Tensor pull = scattered(residuals.mul(inverse_variance_), observations_.pixels, size);
  const at::Tensor right_side = pull.sub(precision_times(gaussian_, fixed)).mul(unknown_);
  return solve(right_side).add(fixed);
}

at::Tensor PrecisionSystem::matrix_times(const at::Tensor& x) const {
  return precision_times(gaussian_, x).mul(unknown_).add(x.mul(added_precision_));
}

// With δ = Σ_·K α: Λδ is α put on the image, and R·α = e − δ_K.
at::Tensor PrecisionSystem::weights(const at::Tensor& residual, const at::Tensor& correction) {
  const at::Tensor at_pixels = gathered(correction, observations_.pixels).squeeze(0);
  const at::Tensor noisy = residual.sub(at_pixels).mul(inverse_variance_);
  const at::Tensor rest =
      precision_times(gaussian_, correction)
          .sub(scattered(noisy.unsqueeze(0), observations_.pixels, gaussian_.size()));
  return noisy.add(gathered(rest, observations_.pixels).squeeze(0).mul(is_exact_));
}

}  // namespace supn
