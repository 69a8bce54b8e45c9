// The diagonal of the inverse. With the factor's columns [C; B] of a front, G = B·C⁻¹, and Z₂ the
// inverse at the boundary, which the parent's front knows: Z₂₁ = −Z₂·G, and the inverse at the own
// pixels is Z₁ = C⁻ᵀC⁻¹ − Gᵀ·Z₂₁. All of A⁻¹ that a child needs is in its parent's front.
#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "gaussian/sparse/sparse_cholesky.hpp"
#include "gaussian/sparse/subtree_loop.hpp"

namespace supn {
namespace {

using lanes::View;

// work(block) for the blocks of rows [begin, end) at so many multiply-adds each.
template <typename Work>
void for_blocks(std::int64_t begin,
                std::int64_t end,
                std::int64_t multiply_adds,
                const Work& work) {
  at::parallel_for(
      begin, end, lanes::grain(multiply_adds), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) work(block);
      });
}

class FrontInverse {
 public:
  // Inverts at the own pixels and the boundary; `parent` is the inverse of the parent's front, if
  // it has one.
  FrontInverse(const Front& front, const View& panel, const View& parent)
      : front_(front),
        panel_(panel),
        own_(panel.columns),
        boundary_(panel.rows - panel.columns),
        divided_(panel.rows, panel.columns),
        inverse_(panel.rows, panel.rows) {
    divide();
    for_blocks(own_ / lanes::kLanes,
               panel.rows / lanes::kLanes,
               own_ * boundary_ * lanes::kLanes,
               [&](std::int64_t j) {
                 take_boundary(j, parent);
                 set_cross(j);
               });
  }

  // Sets variance[pixel] of the own pixels, without more.
  void put_diagonal(double* variance) const;
  // Completes the front's inverse for its children, then the same.
  View complete(double* variance);

 private:
  std::int64_t own_blocks() const { return own_ / lanes::kLanes; }
  void divide();
  void take_boundary(std::int64_t block, const View& parent);
  void set_cross(std::int64_t block);
  void set_own(std::int64_t block, const View& transposed);

  const Front& front_;
  View panel_;
  std::int64_t own_;
  std::int64_t boundary_;
  lanes::Matrix divided_;  // [C⁻¹; G]
  lanes::Matrix inverse_;  // [Z₁ Z₁₂; Z₂₁ Z₂]
};

void FrontInverse::divide() {
  const View to = divided_.view();
  for_blocks(0, to.blocks(), own_ * own_ * lanes::kLanes / 2, [&](std::int64_t j) {
    if (j >= own_blocks()) {
      std::copy_n(panel_.block(j), to.stride(), to.block(j));
      lanes::divide_block(to.block(j), panel_, own_);
      return;
    }
    std::fill_n(to.block(j), to.stride(), 0.0);
    for (std::int64_t lane = 0; lane < lanes::kLanes; ++lane)
      to.entry(j * lanes::kLanes + lane, j * lanes::kLanes + lane) = 1.0;
    lanes::divide_block(to.block(j), panel_, (j + 1) * lanes::kLanes);
  });
}

// Takes Z₂ from the parent.
void FrontInverse::take_boundary(std::int64_t block, const View& parent) {
  const std::vector<std::int64_t>& rows = front_.parent_rows;
  const View inverse = inverse_.view();
  const std::int64_t first = (block - own_blocks()) * lanes::kLanes;
  const std::int64_t count = static_cast<std::int64_t>(rows.size());
  const std::int64_t used = std::min(lanes::kLanes, count - first);
  double* to = inverse.block(block, own_);
  std::fill_n(to, boundary_ * lanes::kLanes, 0.0);
  std::array<const double*, lanes::kLanes> from;
  for (std::int64_t lane = 0; lane < used; ++lane) {
    from[static_cast<std::size_t>(lane)] = parent.row(rows[static_cast<std::size_t>(first + lane)]);
  }
  for (std::int64_t k = 0; k < count; ++k, to += lanes::kLanes) {
    const std::int64_t column = rows[static_cast<std::size_t>(k)] * lanes::kLanes;
    for (std::int64_t lane = 0; lane < used; ++lane) {
      to[lane] = from[static_cast<std::size_t>(lane)][column];
    }
  }
}

// Computes a block of Z₂₁.
void FrontInverse::set_cross(std::int64_t block) {
  const View inverse = inverse_.view();
  std::fill_n(inverse.block(block), own_ * lanes::kLanes, 0.0);
  lanes::subtract_transposed(inverse.block(block),
                             inverse.block(block, own_),
                             divided_.view().from(own_blocks()),
                             {own_, boundary_});
}

void FrontInverse::put_diagonal(double* variance) const {
  const View divided = divided_.view();
  const View inverse = inverse_.view();
  std::vector<double> sums(static_cast<std::size_t>(own_ * lanes::kLanes));
  for (std::int64_t j = 0; j < divided.blocks(); ++j) {
    const double* g = divided.block(j);
    const double* z = inverse.block(j);
    if (j < own_blocks()) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += g[i] * g[i];
    } else {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] -= g[i] * z[i];
    }
  }
  const double* sum = sums.data();
  for (const std::int64_t pixel : front_.own) {
    variance[pixel] = 0.0;
    for (std::int64_t lane = 0; lane < lanes::kLanes; ++lane) variance[pixel] += *sum++;
  }
}

// Computes a block of Z₁, up to its diagonal.
void FrontInverse::set_own(std::int64_t block, const View& transposed) {
  const View inverse = inverse_.view();
  double* to = inverse.block(block);
  const std::int64_t first = block * lanes::kLanes;
  const std::int64_t columns = first + lanes::kLanes;
  std::fill_n(to, columns * lanes::kLanes, 0.0);
  lanes::subtract_transposed(
      to, transposed.block(block, first), divided_.view().from(block), {columns, own_ - first});
  for (std::int64_t i = 0; i < columns * lanes::kLanes; ++i) to[i] = -to[i];
  lanes::subtract_transposed(
      to, transposed.block(block, own_), inverse.from(own_blocks()), {columns, boundary_});
}

View FrontInverse::complete(double* variance) {
  const View inverse = inverse_.view();
  const lanes::Matrix transposed(own_, panel_.rows);
  lanes::transpose(transposed.view(), divided_.view());
  for_blocks(0, own_blocks(), own_ * panel_.rows * lanes::kLanes / 2, [&](std::int64_t j) {
    set_own(j, transposed.view());
  });
  for_blocks(0, own_blocks(), 4 * panel_.rows * lanes::kLanes, [&](std::int64_t j) {
    for (std::int64_t i = j + 1; i < inverse.blocks(); ++i) {
      lanes::transpose_square(inverse.block(j, i * lanes::kLanes),
                              inverse.block(i, j * lanes::kLanes));
    }
  });
  std::int64_t row = 0;
  for (const std::int64_t pixel : front_.own) {
    variance[pixel] = inverse.entry(row, row);
    ++row;
  }
  return inverse;
}

}  // namespace

at::Tensor SparseCholesky::inverse_diagonal() const {
  const auto [height, width] = dissection_.size();
  at::Tensor result = at::zeros({height * width}, matrix_.values.options());
  double* variance = result.mutable_data_ptr<double>();
  std::vector<std::shared_ptr<FrontInverse>> parent(dissection_.fronts().size());
  std::vector<View> parent_inverse(parent.size());
  downwards(dissection_, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = end - 1; i >= first; --i) {
      const auto own = static_cast<std::size_t>(i);
      const auto inverse = std::make_shared<FrontInverse>(front(i), panel(i), parent_inverse[own]);
      parent[own].reset();
      if (front(i).children.empty()) {
        inverse->put_diagonal(variance);
        continue;
      }
      const View completed = inverse->complete(variance);
      for (const std::int64_t child : front(i).children) {
        parent[static_cast<std::size_t>(child)] = inverse;
        parent_inverse[static_cast<std::size_t>(child)] = completed;
      }
    }
  });
  return result;
}

}  // namespace supn
