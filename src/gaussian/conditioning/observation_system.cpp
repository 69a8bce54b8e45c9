#include "gaussian/conditioning/observation_system.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include "gaussian/in_float64.hpp"
#include "gaussian/ops/ops.hpp"

namespace supn {

double ObservationSystem::log_determinant() {
  TORCH_CHECK(false,
              "ConditionedGaussian::log_evidence: conjugate gradients have no determinant; choose "
              "the dense or the sparse method");
}

at::Tensor ObservationSystem::precision_diagonal() {
  TORCH_CHECK(false,
              "ConditionedGaussian::distances: conjugate gradients cannot give them; choose the "
              "dense or the sparse method");
}

at::Tensor ObservationSystem::variance() {
  TORCH_CHECK(false,
              "ConditionedGaussian::variance: conjugate gradients cannot give it; choose the dense "
              "or the sparse method");
}

at::Tensor scattered(const at::Tensor& values,
                     const std::vector<std::int64_t>& pixels,
                     const ImageSize& size) {
  at::Tensor field = at::zeros({values.size(0), size.height * size.width}, values.options());
  field.index_add_(1, pixel_tensor(pixels, values.device()), values);
  return field.view({1, values.size(0), size.height, size.width});
}

at::Tensor gathered(const at::Tensor& field, const std::vector<std::int64_t>& pixels) {
  return field.reshape({field.size(1), -1}).index_select(1, pixel_tensor(pixels, field.device()));
}

at::Tensor covariance_times(const StructuredGaussian& gaussian, const at::Tensor& field) {
  return device::covariance_times(
      {gaussian.log_diagonal(), gaussian.off_diagonal(), gaussian.neighbourhood()}, field);
}

}  // namespace supn
