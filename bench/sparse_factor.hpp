// L as a general sparse matrix in compressed columns, which is how peers take it.
#pragma once

#include <cstdint>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn::bench {

// Column n holds the row of Lᵀ of pixel n: its diagonal first, then its later neighbours, rows
// ascending. The same arrays are Lᵀ in compressed rows.
struct SparseFactor {
  std::int32_t pixels = 0;
  std::vector<std::int32_t> column_start;  // [N + 1]
  std::vector<std::int32_t> row;
  std::vector<double> value;
};

// Of a batch of one. Throws c10::Error otherwise, or if an index does not fit 32 bits.
SparseFactor sparse_factor(const StructuredGaussian& gaussian);

}  // namespace supn::bench
