// Puts together the matrix of a front: the entries of the matrix that its own pixels have with the
// front, and what elimination in its children left.
#pragma once

#include <cstdint>
#include <vector>

#include "gaussian/sparse/lane_matrix.hpp"
#include "gaussian/sparse/nested_dissection.hpp"
#include "gaussian/sparse/stencil_matrix.hpp"

namespace supn {

// The lower triangle: columns of the own rows, and the square of the boundary.
struct FrontMatrix {
  lanes::View panel;
  lanes::View square;
};

class FrontAssembly {
 public:
  // The matrix must outlive this. For one thread.
  explicit FrontAssembly(const StencilMatrix& matrix);

  // Sets to the matrix's entries, 1 on the diagonal of padding.
  void start(const Front& front, const FrontMatrix& to);

 private:
  void add_entries(std::int64_t pixel, std::int64_t column, const lanes::View& panel) const;

  const StencilMatrix& matrix_;
  std::vector<std::int64_t> row_;  // [N], of the pixels of the front at hand, else −1
};

// Adds the lower triangle that a child left of its boundary.
void add_update(const Front& child, const lanes::View& update, const FrontMatrix& to);

}  // namespace supn
