// SciPy, float64, in a Python process (scipy_peer.py).
#pragma once

#include "peer_process.hpp"

namespace supn::bench {

class ScipyPeer {
 public:
  // See PeerProcess.
  ScipyPeer(const PeerCommand& command, const SparseFactor& factor, const at::Tensor& b)
      : process_(command, factor, b) {}

  // L⁻ᵀb by scipy.sparse.linalg.spsolve_triangular.
  Competitor triangular_solve() const;
  // By SuperLU's solve with L factorised before.
  Competitor superlu_solve() const;
  // By splu of Λ_UU. Timed as CholmodPeer's; valid until the next call.
  Competitor conditioning(const ConditioningProblem& problem);

 private:
  PeerProcess process_;
};

}  // namespace supn::bench
