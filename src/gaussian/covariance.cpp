#include "supn/gaussian/covariance.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include "gaussian/in_float64.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {

at::Tensor covariance_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels) {
  const std::vector<std::int64_t> indices =
      checked_pixels("covariance_columns", pixels, gaussian.size());
  TORCH_CHECK(!indices.empty(), "covariance_columns: at least one pixel is needed, got none");
  const StructuredGaussian exact = in_float64(gaussian);
  const auto count = static_cast<std::int64_t>(indices.size());
  at::Tensor unit =
      at::zeros({exact.batch(), count, exact.height(), exact.width()}, exact.mean().options());
  const at::Tensor places = pixel_tensor(indices, unit.device()).view({1, count, 1});
  unit.view({exact.batch(), count, -1}).scatter_(2, places.expand({exact.batch(), count, 1}), 1.0);
  return solve_factor_transpose(exact, solve_factor(exact, unit));
}

at::Tensor correlation_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels) {
  const at::Tensor columns = covariance_columns(gaussian, pixels);
  const at::Tensor deviation = marginal_variance(gaussian).sqrt();
  const at::Tensor places = pixels.to(columns.device());
  const at::Tensor of_pixels =
      deviation.flatten(2).index_select(2, places).transpose(1, 2).unsqueeze(3);
  at::Tensor correlation = columns.div(of_pixels).div(deviation).clamp(-1.0, 1.0);
  const at::Tensor own = places.reshape({1, -1, 1}).expand({gaussian.batch(), -1, 1});
  correlation.view({gaussian.batch(), -1, gaussian.pixels()}).scatter_(2, own, 1.0);
  return correlation;
}

}  // namespace supn
