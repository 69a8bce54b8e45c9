#include "gaussian/ops/saved_order.hpp"

#include <vector>

namespace supn {
namespace {

constexpr const char* kKey = "order";

}  // namespace

void save_order(torch::autograd::AutogradContext* context, const Neighbourhood& neighbourhood) {
  if (neighbourhood.is_raster()) {
    context->saved_data[kKey] = std::vector<std::int64_t>{neighbourhood.radius()};
    return;
  }
  const CoarseToFine& order = neighbourhood.coarse_to_fine();
  context->saved_data[kKey] =
      std::vector<std::int64_t>{order.classes, order.neighbours, order.levels};
}

Neighbourhood saved_order(torch::autograd::AutogradContext* context) {
  const std::vector<std::int64_t> numbers = context->saved_data[kKey].toIntVector();
  if (numbers.size() == 1) return Neighbourhood(numbers[0]);
  return Neighbourhood(
      CoarseToFine{.classes = numbers[0], .neighbours = numbers[1], .levels = numbers[2]});
}

}  // namespace supn
