#include "supn/evaluation/fields/joint_field.hpp"

#include <ATen/ops/cat.h>

#include <array>
#include <utility>
#include <vector>

#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

constexpr std::int64_t kColumnsAtATime = 16;  // whole maps in float64, so that memory stays small

// of(part) for parts of the first dimension of `items`, put together again.
template <class Function>
at::Tensor in_parts(const at::Tensor& items, Function of) {
  std::vector<at::Tensor> results;
  for (std::int64_t first = 0; first < items.size(0); first += kColumnsAtATime) {
    const std::int64_t count = std::min(kColumnsAtATime, items.size(0) - first);
    results.push_back(of(items.narrow(0, first, count)));
  }
  return at::cat(results);
}

}  // namespace

at::Tensor JointField::covariance(const at::Tensor& pixels) const {
  return in_parts(pixels, [&](const at::Tensor& part) {
    return covariance_rows(part).flatten(1).index_select(1, pixels);
  });
}

StructuredField::StructuredField(StructuredGaussian gaussian) : gaussian_(std::move(gaussian)) {
  TORCH_CHECK(gaussian_.batch() == 1,
              "StructuredField: expected one image, got a batch of ",
              gaussian_.batch());
}

at::Tensor StructuredField::mean() const { return gaussian_.mean()[0][0]; }

at::Tensor StructuredField::variance() const { return marginal_variance(gaussian_)[0][0]; }

FieldSamples StructuredField::samples(std::uint64_t seed, const SampleRange& range) const {
  const std::array<std::uint64_t, 1> seeds{seed};
  const Samples drawn = sample(gaussian_, seeds, {.range = range});
  return {drawn.values[0], drawn.report.non_finite};
}

at::Tensor StructuredField::log_prob(const at::Tensor& d) const {
  return supn::log_prob(gaussian_.to(at::kDouble), d.unsqueeze(0).to(at::kDouble))[0];
}

at::Tensor StructuredField::functional_variance(const at::Tensor& weights) const {
  return in_parts(weights, [&](const at::Tensor& part) {
    return supn::functional_variance(gaussian_, part)[0];
  });
}

at::Tensor StructuredField::covariance_rows(const at::Tensor& pixels) const {
  return covariance_columns(gaussian_, pixels)[0];
}

}  // namespace supn
