#include "supn/evaluation/calibration/member_calibration.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "supn/gaussian/functional.hpp"

namespace supn {
namespace {

constexpr std::int64_t kGridRows = 4;
constexpr std::int64_t kGridColumns = 8;

std::int64_t region_side(const ImageSize& size) {
  return std::max<std::int64_t>(1, std::min(size.height, size.width) / 8);
}

// Returns the corner of the grid's cell such that a box of `side` is in its middle.
std::int64_t corner(std::int64_t cell, std::int64_t cells, std::int64_t extent, std::int64_t side) {
  const std::int64_t middle = (2 * cell + 1) * extent / (2 * cells);
  return std::clamp<std::int64_t>(middle - side / 2, 0, extent - side);
}

// Returns weights(box) for the box in the middle of every cell.
template <class Function>
at::Tensor over_grid(const ImageSize& size, Function weights) {
  const std::int64_t side = region_side(size);
  std::vector<at::Tensor> all;
  for (std::int64_t row = 0; row < kGridRows; ++row) {
    for (std::int64_t column = 0; column < kGridColumns; ++column) {
      all.push_back(weights(PixelBox{.top = corner(row, kGridRows, size.height, side),
                                     .left = corner(column, kGridColumns, size.width, side),
                                     .height = side,
                                     .width = side}));
    }
  }
  return at::cat(all);
}

at::Tensor functional_deviations(const JointField& field,
                                 const at::Tensor& weights,
                                 const at::Tensor& residuals) {
  const at::Tensor values = at::matmul(residuals.flatten(1), weights.flatten(1).t());
  return values / field.functional_variance(weights).sqrt().unsqueeze(0);
}

}  // namespace

at::Tensor region_weights(const ImageSize& size) {
  return over_grid(size, [&](const PixelBox& box) { return box_mean_weights(size, box); });
}

at::Tensor pair_weights(const ImageSize& size) {
  bool along_row = false;  // by turns, so that both directions are judged
  return over_grid(size, [&](const PixelBox& box) {
    along_row = !along_row;
    const std::int64_t first = box.top * size.width + box.left;
    const std::int64_t right = std::min(box.left + box.width, size.width - 1);
    const std::int64_t below = std::min(box.top + box.height, size.height - 1);
    const std::int64_t second =
        along_row ? box.top * size.width + right : below * size.width + box.left;
    return difference_weights(size, first, second);
  });
}

MemberDeviations member_deviations(const JointField& field,
                                   const at::Tensor& variance,
                                   const at::Tensor& members) {
  const at::Tensor residuals = members.to(at::kDouble) - field.mean().to(at::kDouble);
  return {.pixels = residuals / variance.sqrt(),
          .regions = functional_deviations(field, region_weights(field.size()), residuals),
          .differences = functional_deviations(field, pair_weights(field.size()), residuals)};
}

}  // namespace supn
