#include "cholmod_peer.hpp"

#include <algorithm>

namespace supn::bench {

Competitor CholmodPeer::transpose_solve(std::int64_t block) const {
  return process_.solve({"CHOLMOD, up to " + std::to_string(block) + " right-hand side(s)",
                         "f64, simplicial factor, solve(Lt), 1 thread",
                         {{"do", "solve"}, {"block", block}}});
}

std::vector<Competitor> CholmodPeer::conditionings(const ConditioningProblem& problem) {
  process_.set_conditions(problem);
  std::vector<Competitor> list;
  for (const std::string ordering : {"CHOLMOD's choice", "AMD", "METIS"}) {
    list.push_back(process_.conditioning({"CHOLMOD of the unknowns' precision",
                                          "f64, ordering: " + ordering + ", all threads in BLAS",
                                          {{"do", "condition"}, {"ordering", ordering}}}));
  }
  return list;
}

}  // namespace supn::bench
