#include "gaussian/argument_checks.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

namespace supn {

void check_field(const char* function, const StructuredGaussian& gaussian, const at::Tensor& x) {
  TORCH_CHECK(x.defined(), function, ": the field is an undefined tensor");
  TORCH_CHECK(x.dim() == 4 && x.size(0) == gaussian.batch() && x.size(1) > 0 &&
                  x.size(2) == gaussian.height() && x.size(3) == gaussian.width(),
              function,
              ": the field must be [",
              gaussian.batch(),
              ", S > 0, ",
              gaussian.height(),
              ", ",
              gaussian.width(),
              "] like the Gaussian, got ",
              x.sizes());
  const at::Tensor& mean = gaussian.mean();
  TORCH_CHECK(x.scalar_type() == mean.scalar_type() && x.device() == mean.device(),
              function,
              ": the field must be ",
              mean.scalar_type(),
              " on ",
              mean.device(),
              " like the Gaussian, got ",
              x.scalar_type(),
              " on ",
              x.device());
}

void check_range(const char* function, const SampleRange& range) {
  TORCH_CHECK(range.first >= 0 && range.count > 0,
              function,
              ": samples must start at 0 or later and number 1 or more, got first ",
              range.first,
              ", count ",
              range.count);
}

void check_first_order(const char* function) {
  TORCH_CHECK(!at::GradMode::is_enabled(),
              function,
              ": second derivatives are not available; do not ask for create_graph");
}

}  // namespace supn
