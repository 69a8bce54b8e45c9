#include "gaussian/conditioning/pcg_system.hpp"

#include "gaussian/ops/class_taps.hpp"
#include "supn/gaussian/factor.hpp"

namespace supn {
namespace {

// Coefficients from and to known pixels are 0, and a known pixel's own is 1.
StructuredGaussian masked(const StructuredGaussian& gaussian,
                          const at::Tensor& unknown,
                          const at::Tensor& added_precision) {
  const at::Tensor raised =
      gaussian.log_diagonal().mul(2.0).exp().add(added_precision).log().div(2);
  const at::Tensor psi = gaussian.off_diagonal().mul(unknown);
  for (const PixelClass& pixels : gaussian.neighbourhood().classes(gaussian.size())) {
    for (const Tap& tap : taps(pixels, gaussian.size())) {
      tap.at_pixel(psi.narrow(1, tap.channel, 1)).mul_(tap.at_neighbour(unknown));
    }
  }
  return {gaussian.mean(), raised.mul(unknown), psi, gaussian.neighbourhood()};
}

}  // namespace

PcgSystem::PcgSystem(const StructuredGaussian& gaussian,
                     const ObservationSet& observations,
                     const PcgLimits& limits,
                     SystemReport& report)
    : PrecisionSystem(gaussian, observations),
      masked_(masked(gaussian, unknown(), added_precision())),
      limits_(limits),
      report_(report) {}

at::Tensor PcgSystem::solve(const at::Tensor& right_side) {
  const auto on_image = [&](const at::Tensor& x) { return x.view_as(right_side); };
  const auto times = [&](const at::Tensor& flat) {
    return matrix_times(on_image(flat)).view_as(flat);
  };
  const auto preconditioned = [&](const at::Tensor& flat) {
    return covariance_times(masked_, on_image(flat)).view_as(flat);
  };
  const at::Tensor flat = right_side.reshape({right_side.size(1), -1});
  return on_image(conjugate_gradients(flat, times, preconditioned, limits_, report_));
}

}  // namespace supn
