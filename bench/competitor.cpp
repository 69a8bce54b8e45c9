#include "competitor.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace supn::bench {
namespace {

double relative_difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor left = a.detach().to(at::kDouble);
  const at::Tensor right = b.detach().to(at::kDouble);
  const double difference = left.sub(right).norm().item<double>();
  const double size = right.norm().item<double>();
  if (!std::isfinite(difference) || !std::isfinite(size)) {
    return std::numeric_limits<double>::infinity();
  }
  return size > 0 ? difference / size : difference;
}

}  // namespace

double disagreement(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  TORCH_CHECK(a.size() == b.size(), "disagreement: ", a.size(), " tensors against ", b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    TORCH_CHECK(a[i].dim() == b[i].dim(), "disagreement: ", a[i].sizes(), " and ", b[i].sizes());
    if (a[i].dim() < 2) {
      largest = std::max(largest, relative_difference(a[i], b[i]));
      continue;
    }
    const std::int64_t common = std::min(a[i].size(1), b[i].size(1));
    const double difference =
        relative_difference(a[i].narrow(1, 0, common), b[i].narrow(1, 0, common));
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace supn::bench
