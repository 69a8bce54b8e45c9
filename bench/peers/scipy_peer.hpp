// SciPy, float64, in a Python process that is talked to by lines of JSON (scipy_peer.py).
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "../competitor.hpp"
#include "../sparse_factor.hpp"
#include "cholmod_peer.hpp"

namespace supn::bench {

// Of a process: what starts it, and a folder of its own for arrays.
struct ScipyCommand {
  std::string python;
  std::string program;
  std::string scratch;  // an existing folder
};

class ScipyProcess;

class ScipyPeer {
 public:
  // Starts the process and hands it L and b [1,S,H,W]. Throws c10::Error with the process's own
  // words if it cannot (no Python, no SciPy).
  ScipyPeer(const ScipyCommand& command, const SparseFactor& factor, const at::Tensor& b);

  // L⁻ᵀb by scipy.sparse.linalg.spsolve_triangular.
  Competitor triangular_solve() const;
  // By SuperLU's solve with L factorised before.
  Competitor superlu_solve() const;
  // [1,1+S,H,W] as CholmodPrecision::conditionings, by splu of Λ_UU.
  Competitor conditioning(const ConditioningProblem& problem) const;

 private:
  Competitor competitor(const std::string& name,
                        const std::string& settings,
                        const std::string& command,
                        const at::Tensor& like) const;

  std::shared_ptr<ScipyProcess> process_;
  at::Tensor b_;
};

}  // namespace supn::bench
