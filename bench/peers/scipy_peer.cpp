#include "scipy_peer.hpp"

namespace supn::bench {

Competitor ScipyPeer::triangular_solve() const {
  return process_.solve({"SciPy spsolve_triangular", "f64, CSC", {{"do", "spsolve_triangular"}}});
}

Competitor ScipyPeer::superlu_solve() const {
  return process_.solve(
      {"SciPy splu(L).solve", "f64, factorised before, natural order", {{"do", "splu"}}});
}

Competitor ScipyPeer::conditioning(const ConditioningProblem& problem) {
  process_.set_conditions(problem);
  return process_.conditioning({"SciPy splu of the unknowns' precision",
                                "f64, MMD_AT_PLUS_A ordering, symmetric mode",
                                {{"do", "condition"}}});
}

}  // namespace supn::bench
