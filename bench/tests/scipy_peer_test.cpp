#include "peers/scipy_peer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "conditioning_problem.hpp"
#include "problem.hpp"

namespace supn::bench {
namespace {

const std::string kPython = std::string(SUPN_SOURCE_DIR) + "/.venv/bin/python";

bool has_scipy() {
  return std::system((kPython + " -c 'import scipy.sparse.linalg' 2>/dev/null").c_str()) == 0;
}

std::string scratch() {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "scipy_peer";
  std::filesystem::create_directories(folder);
  return folder.string();
}

TEST(ScipyPeer, AgreesWithOurs) {
  if (!has_scipy()) GTEST_SKIP() << "no SciPy for " << kPython;
  const Problem problem(FactorKind::kMatern05, {9, 14});
  const at::Tensor b = problem.noise(3);
  ScipyPeer scipy({{kPython, SUPN_SCIPY_PEER}, scratch()}, problem.sparse(), b);
  const auto expected = exact_solve(problem, b).answer();
  EXPECT_LT(disagreement(scipy.triangular_solve().answer(), expected), 1e-4);
  EXPECT_LT(disagreement(scipy.superlu_solve().answer(), expected), 1e-4);
  EXPECT_GT(scipy.superlu_solve().seconds(), 0);
  const ConditioningProblem conditions = conditioning_problem(problem, random_pixels(problem, 11));
  EXPECT_LT(disagreement(scipy.conditioning(conditions).answer(),
                         exact_conditioning(problem, conditions).answer()),
            1e-6);
}

TEST(ScipyPeer, SaysThatThereIsNoPython) {
  const Problem problem(FactorKind::kWell, {3, 4});
  EXPECT_ANY_THROW(ScipyPeer(
      {{"/nonexistent/python", SUPN_SCIPY_PEER}, scratch()}, problem.sparse(), problem.noise(1)));
}

TEST(ScipyPeer, SaysThatTheProgramEnded) {
  const Problem problem(FactorKind::kWell, {3, 4});
  EXPECT_ANY_THROW(
      ScipyPeer({{"/bin/true", SUPN_SCIPY_PEER}, scratch()}, problem.sparse(), problem.noise(1)));
}

}  // namespace
}  // namespace supn::bench
