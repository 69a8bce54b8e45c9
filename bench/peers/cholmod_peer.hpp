// CHOLMOD, float64, in a process that does not link LibTorch (cholmod_process.cpp): solves with L
// given as a ready simplicial factor, and the conditional distribution by a Cholesky factor of the
// precision of the unknown pixels.
#pragma once

#include <cstdint>

#include "peer_process.hpp"

namespace supn::bench {

class CholmodPeer {
 public:
  // See PeerProcess.
  CholmodPeer(const PeerCommand& command, const SparseFactor& factor, const at::Tensor& b)
      : process_(command, factor, b) {}

  // L⁻ᵀb, up to `block` right-hand sides a call of cholmod_solve2, workspace and result kept from
  // call to call.
  Competitor transpose_solve(std::int64_t block) const;

  // Timed are: taking Λ_UU and the right-hand sides, ordering (CHOLMOD's own choice, AMD, or METIS),
  // supernodal or simplicial factorisation as CHOLMOD chooses, and one solve with 1 + S right-hand
  // sides. Not timed: forming Λ, and the draws. Valid until the next call.
  std::vector<Competitor> conditionings(const ConditioningProblem& problem);

 private:
  PeerProcess process_;
};

}  // namespace supn::bench
