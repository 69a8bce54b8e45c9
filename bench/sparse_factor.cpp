#include "sparse_factor.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <limits>

namespace supn::bench {

SparseFactor sparse_factor(const StructuredGaussian& gaussian) {
  const std::int64_t entries = gaussian.pixels() * (gaussian.neighbourhood().size() + 1);
  TORCH_CHECK(gaussian.batch() == 1, "sparse_factor: one image is needed, got ", gaussian.batch());
  TORCH_CHECK(entries <= std::numeric_limits<std::int32_t>::max(),
              "sparse_factor: ",
              entries,
              " entries do not fit 32-bit indices");
  const at::Tensor log_diagonal = gaussian.log_diagonal().detach().to(at::kDouble).contiguous();
  const at::Tensor off_diagonal = gaussian.off_diagonal().detach().to(at::kDouble).contiguous();
  const auto phi = log_diagonal.accessor<double, 4>()[0][0];
  const auto psi = off_diagonal.accessor<double, 4>()[0];
  const std::vector<Offset>& offsets = gaussian.neighbourhood().offsets();
  SparseFactor factor;
  factor.pixels = static_cast<std::int32_t>(gaussian.pixels());
  factor.row.reserve(static_cast<std::size_t>(entries));
  factor.value.reserve(static_cast<std::size_t>(entries));
  for (std::int64_t y = 0; y < gaussian.height(); ++y) {
    for (std::int64_t x = 0; x < gaussian.width(); ++x) {
      factor.column_start.push_back(static_cast<std::int32_t>(factor.row.size()));
      factor.row.push_back(static_cast<std::int32_t>(y * gaussian.width() + x));
      factor.value.push_back(std::exp(phi[y][x]));
      for (std::size_t k = 0; k < offsets.size(); ++k) {
        const std::int64_t row = y + offsets[k].dy;
        const std::int64_t column = x + offsets[k].dx;
        if (row >= gaussian.height() || column < 0 || column >= gaussian.width()) continue;
        factor.row.push_back(static_cast<std::int32_t>(row * gaussian.width() + column));
        factor.value.push_back(psi[static_cast<std::int64_t>(k)][y][x]);
      }
    }
  }
  factor.column_start.push_back(static_cast<std::int32_t>(factor.row.size()));
  return factor;
}

}  // namespace supn::bench
