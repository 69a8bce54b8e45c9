#include "supn/evaluation/calibration/tail_values.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <c10/util/Exception.h>

namespace supn {

TailValues tail_values(const PointGaussian& joint,
                       const at::Tensor& logits,
                       const at::Tensor& noise_variance,
                       std::int64_t known,
                       std::int64_t judged) {
  const std::int64_t count = logits.size(0);
  TORCH_CHECK(known > 0 && judged > 0 && known + judged <= count,
              "tail_values: expected known and judged points, ",
              count,
              " at most, got ",
              known,
              " and ",
              judged);
  const at::Tensor index = at::cat({at::arange(known), at::arange(count - judged, count)});
  const PointGaussian part{joint.mean.index_select(0, index),
                           joint.covariance.index_select(0, index).index_select(1, index)};
  const PointGaussian given =
      given_first(part, logits.narrow(0, 0, known), noise_variance.narrow(0, 0, known));
  const auto last = [&](const at::Tensor& values) {
    return values.narrow(0, values.size(0) - judged, judged);
  };
  const at::Tensor variance = given.covariance.diagonal() + last(noise_variance);
  const at::Tensor ratio = (variance / last(part.covariance.diagonal())).sqrt().clamp_max(1.0);
  return {(last(logits) - given.mean) / variance.sqrt(), ratio};
}

}  // namespace supn
