// L as a ready simplicial factor of CHOLMOD, with the right-hand sides that it solves.
#pragma once

#include <vector>

#include "compressed_columns.hpp"

namespace supn::bench {

class SimplicialFactor {
 public:
  // `right` [S,N], of which one call of cholmod_solve2 solves up to `block`. Throws
  // std::runtime_error if CHOLMOD refuses the factor.
  SimplicialFactor(const CompressedColumns& factor,
                   const std::vector<double>& right,
                   std::size_t block);
  ~SimplicialFactor();
  SimplicialFactor(const SimplicialFactor&) = delete;
  SimplicialFactor& operator=(const SimplicialFactor&) = delete;

  // Workspace and result are kept from call to call.
  void solve();
  std::vector<double> solution() const;  // L⁻ᵀ of each right-hand side, [S,N]

 private:
  void copy_factor(const CompressedColumns& factor);
  void link_columns();
  void copy_right_sides(const std::vector<double>& right, std::size_t block);

  CholmodCommon common_;
  cholmod_factor* factor_ = nullptr;
  std::vector<cholmod_dense*> right_;
  std::vector<cholmod_dense*> solution_;
  cholmod_dense* work_y_ = nullptr;
  cholmod_dense* work_e_ = nullptr;
};

}  // namespace supn::bench
