#include "gaussian/sparse/lane_matrix.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

namespace supn::lanes {
namespace {

constexpr std::int64_t kPanel = 64;   // columns that are factorised together
constexpr std::int64_t kDepth = 256;  // terms of a product for which B stays in the first cache
constexpr std::int64_t kGroupBlocks = 16;  // blocks of rows of A that stay in the second cache

// Columns [first, first + count) of block `index` of a panel whose columns before them are done;
// those at and past the block's own square, if it has one there, only get the products.
void finish_block(const View& panel, std::int64_t index, std::int64_t first, std::int64_t count) {
  double* own = panel.block(index, first);
  for (std::int64_t k = 0; k < first; k += kDepth) {
    subtract_product(own,
                     panel.block(index, k),
                     panel.from(first / kLanes, k),
                     {count, std::min(kDepth, first - k)});
  }
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const std::int64_t square = (first + i) / kLanes;
    double* columns = own + i * kLanes;
    subtract_product(columns, own, panel.from(square, first), {kLanes, i});
    if (square == index) return;
    divide_by_transpose(columns, panel.block(square, first + i));
  }
}

// Factorises the diagonal part of a group of columns.
bool factorize_group(const View& panel, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const std::int64_t index = (first + i) / kLanes;
    finish_block(panel, index, first, i + kLanes);
    if (!factorize_square(panel.block(index, first + i))) return false;
  }
  return true;
}

struct Pair {
  std::int64_t rows;     // first block of a group
  std::int64_t columns;  // of another, not later
};

void subtract_group(const View& u, const View& panel, const Pair& pair) {
  const std::int64_t below = panel.columns / kLanes;
  const std::int64_t end = std::min(pair.rows + kGroupBlocks, u.blocks());
  for (std::int64_t k = 0; k < panel.columns; k += kDepth) {
    for (std::int64_t j = pair.rows; j < end; ++j) {
      const std::int64_t columns = std::min(kGroupBlocks, j + 1 - pair.columns) * kLanes;
      subtract_product(u.block(j, pair.columns * kLanes),
                       panel.block(below + j, k),
                       panel.from(below + pair.columns, k),
                       {columns, std::min(kDepth, panel.columns - k)});
    }
  }
}

// Columns [0, end) of X·C⁻¹, or of (X − X_B·B)·C⁻¹, x having `known` columns.
void divide_columns(double* x, const View& panel, std::int64_t end, std::int64_t known) {
  for (std::int64_t i = end - kLanes; i >= 0; i -= kLanes) {
    const std::int64_t square = i / kLanes;
    const std::int64_t next = i + kLanes;
    double* columns = x + i * kLanes;
    subtract_transposed(
        columns, x + next * kLanes, panel.from(square + 1, i), {kLanes, known - next});
    divide(columns, panel.block(square, i));
  }
}

}  // namespace

std::int64_t grain(std::int64_t multiply_adds) {
  constexpr std::int64_t kMultiplyAddsPerTask = 1 << 18;
  return std::max<std::int64_t>(1, kMultiplyAddsPerTask / std::max<std::int64_t>(1, multiply_adds));
}

void set_zero(const View& matrix) { std::fill_n(matrix.data, matrix.rows * matrix.columns, 0.0); }

bool factorize_panel(const View& panel) {
  for (std::int64_t first = 0; first < panel.columns; first += kPanel) {
    const std::int64_t count = std::min(kPanel, panel.columns - first);
    if (!factorize_group(panel, first, count)) return false;
    const std::int64_t work = kLanes * count * (first + count / 2);
    at::parallel_for((first + count) / kLanes,
                     panel.blocks(),
                     grain(work),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t j = begin; j < end; ++j) {
                         finish_block(panel, j, first, count);
                       }
                     });
  }
  return true;
}

void subtract_square(const View& u, const View& panel) {
  std::vector<Pair> pairs;
  for (std::int64_t j = 0; j < u.blocks(); j += kGroupBlocks) {
    for (std::int64_t i = 0; i <= j; i += kGroupBlocks) pairs.push_back({j, i});
  }
  const std::int64_t side = kGroupBlocks * kLanes;
  at::parallel_for(0,
                   static_cast<std::int64_t>(pairs.size()),
                   grain(side * side * panel.columns),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                       subtract_group(u, panel, pairs[static_cast<std::size_t>(i)]);
                     }
                   });
}

// One block of rows more of the panel; what is past the square are products only.
void forward(double* x, const View& panel) {
  for (std::int64_t i = 0; i < panel.columns; i += kLanes) {
    double* columns = x + i * kLanes;
    subtract_product(columns, x, panel.from(i / kLanes), {kLanes, i});
    divide_by_transpose(columns, panel.block(i / kLanes, i));
  }
  subtract_product(x + panel.columns * kLanes,
                   x,
                   panel.from(panel.columns / kLanes),
                   {panel.rows - panel.columns, panel.columns});
}

void backward(double* x, const View& panel) { divide_columns(x, panel, panel.columns, panel.rows); }

void divide_block(double* x, const View& panel, std::int64_t end) {
  divide_columns(x, panel, end, end);
}

void transpose(const View& to, const View& from) {
  at::parallel_for(
      0, to.blocks(), grain(4 * kLanes * to.columns), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) {
          for (std::int64_t j = 0; j < from.blocks(); ++j) {
            transpose_square(to.block(i, j * kLanes), from.block(j, i * kLanes));
          }
        }
      });
}

}  // namespace supn::lanes
