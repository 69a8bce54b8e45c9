// Matrices stored by lanes (blocks.hpp), and what fronts need of dense linear algebra on
// them: loops over blocks of rows, with threads where there is enough to do. Rows and columns are
// multiples of kLanes.
#pragma once

#include <cstdint>

#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/blocks.hpp"

namespace supn::lanes {

struct View {
  double* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  std::int64_t stride() const { return columns * kLanes; }
  std::int64_t blocks() const { return rows / kLanes; }
  // Returns block `index` of kLanes rows, from a column on.
  double* block(std::int64_t index, std::int64_t column = 0) const {
    return data + index * stride() + column * kLanes;
  }
  Blocks from(std::int64_t block_index, std::int64_t column = 0) const {
    return {block(block_index, column), stride()};
  }
  // Returns where a row starts; column c is kLanes·c further on.
  double* row(std::int64_t index) const { return block(index / kLanes) + index % kLanes; }
  double& entry(std::int64_t row_index, std::int64_t column) const {
    return row(row_index)[column * kLanes];
  }
};

// Uninitialised.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns)
      : buffer_(rows * columns), rows_(rows), columns_(columns) {}
  View view() const { return {buffer_.data(), rows_, columns_}; }

 private:
  AlignedBuffer<double> buffer_;
  std::int64_t rows_;
  std::int64_t columns_;
};

void set_zero(const View& matrix);

// The first `columns` rows of the panel become their Cholesky factor C (reciprocal diagonal), the
// rows below, B, become B·C⁻ᵀ. False if the square is numerically not positive definite.
bool factorize_panel(const View& panel);

// U ← U − B·Bᵀ in the lower triangle (and a few entries above it), B the rows of the panel below
// its square.
void subtract_square(const View& u, const View& panel);

// X ← X·C⁻ᵀ of one block of rows, C the square of a factorised panel; x has a column for every row
// of the panel, and X_B ← X_B − X·Bᵀ for those past the square.
void forward(double* x, const View& panel);
// X ← (X − X_B·B)·C⁻¹, the opposite.
void backward(double* x, const View& panel);

// X ← X·C⁻¹ of one block of rows whose columns from `end` on are 0.
void divide_block(double* x, const View& panel, std::int64_t end);

// to(c, r) = from(r, c).
void transpose(const View& to, const View& from);

// Blocks of rows that are worth a thread, at so many multiply-adds each.
std::int64_t grain(std::int64_t multiply_adds);

}  // namespace supn::lanes
