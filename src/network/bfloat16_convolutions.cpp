#include "supn/network/bfloat16_convolutions.hpp"

#include <ATen/autocast_mode.h>

#include "autocast.hpp"

namespace supn {

Bfloat16Convolutions::Bfloat16Convolutions(c10::DeviceType device)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      dtype_before_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
  at::autocast::increment_nesting();
}

Bfloat16Convolutions::~Bfloat16Convolutions() {
  // The casts of weights that were kept are stale after the optimizer's next step.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(device_, dtype_before_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

at::Tensor as_convolved(const at::Tensor& x) {
  if (!x.defined() || !at::autocast::is_autocast_enabled(x.device().type())) return x;
  const at::DeviceType device = x.device().type();
  return at::autocast::cached_cast(at::autocast::get_autocast_dtype(device), x, device);
}

at::Tensor in_float32(const at::Tensor& feature) {
  return feature.scalar_type() == at::kBFloat16 ? feature.to(at::kFloat) : feature;
}

}  // namespace supn
