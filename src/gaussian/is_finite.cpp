#include "supn/gaussian/is_finite.hpp"

#include <ATen/ops/isfinite.h>

namespace supn {

bool is_finite(const StructuredGaussian& gaussian) {
  for (const at::Tensor& map :
       {gaussian.mean(), gaussian.log_diagonal(), gaussian.off_diagonal()}) {
    if (!at::isfinite(map.detach()).all().item<bool>()) return false;
  }
  return true;
}

}  // namespace supn
