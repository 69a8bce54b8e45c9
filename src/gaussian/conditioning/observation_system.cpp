#include "gaussian/conditioning/observation_system.hpp"

#include <ATen/ops/zeros.h>

#include "gaussian/in_float64.hpp"

namespace supn {

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

}  // namespace supn
