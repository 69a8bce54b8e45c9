#include <exception>

#include "conditioning_problem.hpp"
#include "peers/cholmod_peer.hpp"
#include "peers/scipy_peer.hpp"
#include "rows.hpp"

namespace supn::bench {
namespace {

double target_ratio(std::int64_t known, std::int64_t pixels) {
  if (known == 200) return 20;
  if (known == 2000) return 3;
  return known == pixels / 5 ? 1 / 1.2 : 0;  // at most 1.2 times CHOLMOD's time
}

// Σ_·K by two substitutions a known pixel, the Cholesky factor of Σ_KK, and two more substitutions
// a field. Known for the dense method alone; no work stated, no share shown for the others.
Work dense_work(const Problem& problem, std::int64_t known, const std::string& method) {
  if (method != "dense") return {};
  const auto k = static_cast<double>(known);
  const auto substitution = static_cast<double>(problem.pixels() * problem.terms());
  const double fields = 1 + kConditionalSamples;
  return {8 * substitution, 2 * (k + fields) * substitution + k * k * k / 6};
}

Contest contest(const Suite& suite, const Problem& problem, const ConditioningProblem& conditions) {
  const std::int64_t known = conditions.pixels.numel();
  const std::string method = chosen_method(problem, conditions);
  Contest made;
  made.row = problem.row("conditioning", "conditional mean and 8 samples");
  made.row.dtype = "f64";
  made.row.known = known;
  made.row.samples = kConditionalSamples;
  made.row.unit = "image";
  made.row.threads = suite.options().threads;
  made.row.tolerance = problem.kind() == FactorKind::kMatern15 ? 1e-4 : 1e-6;
  made.ours = exact_conditioning(problem, conditions);
  made.ours.name += " (" + method + ")";
  made.work = dense_work(problem, known, method);
  return made;
}

void against_cholmod(Suite& suite,
                     const Problem& problem,
                     CholmodPeer& cholmod,
                     std::int64_t known) {
  const ConditioningProblem conditions =
      conditioning_problem(problem, random_pixels(problem, known));
  Contest made = contest(suite, problem, conditions);
  made.peers = cholmod.conditionings(conditions);
  const double bound = target_ratio(known, problem.pixels());
  if (problem.gaussian().size() == kMainSize && bound > 0) {
    made.row.targets = {at_least("ratio", bound)};
  }
  suite.compete(std::move(made));
}

void against_scipy(Suite& suite, const Problem& problem, std::int64_t known) {
  const SuiteOptions& options = suite.options();
  if (options.scipy.words.empty()) return;
  const ConditioningProblem conditions =
      conditioning_problem(problem, random_pixels(problem, known));
  Contest made = contest(suite, problem, conditions);
  try {
    ScipyPeer scipy(options.scipy, problem.sparse(), problem.noise(1));
    made.peers = {scipy.conditioning(conditions)};
    suite.compete(std::move(made));
  } catch (const std::exception& error) {
    made.row.peer = "SciPy";
    suite.refuse(made.row, error.what());
  }
}

void main_size(Suite& suite, FactorKind kind, const std::vector<std::int64_t>& counts) {
  const Problem problem(kind, kMainSize);
  CholmodPeer cholmod(suite.options().cholmod, problem.sparse(), problem.noise(1));
  for (const std::int64_t known : counts) against_cholmod(suite, problem, cholmod, known);
}

}  // namespace

void conditioning_rows(Suite& suite) {
  const std::int64_t fifth = kMainSize.height * kMainSize.width / 5;
  if (suite.quick()) {
    main_size(suite, FactorKind::kMatern05, {200, 2000, fifth});
  } else {
    main_size(suite, FactorKind::kMatern05, {25, 50, 100, 200, 2000, fifth});
    main_size(suite, FactorKind::kWell, {200, 2000, fifth});
    main_size(suite, FactorKind::kMatern15, {200, 2000, fifth});
  }
  against_scipy(suite, Problem(FactorKind::kMatern05, {48, 160}), 200);
  if (suite.quick()) return;
  const Problem small(FactorKind::kMatern05, kSmallSize);
  against_scipy(suite, small, 200);
  against_scipy(suite, small, small.pixels() / 5);
  const Problem large(FactorKind::kMatern05, kLargeSize);
  CholmodPeer cholmod(suite.options().cholmod, large.sparse(), large.noise(1));
  against_cholmod(suite, large, cholmod, 200);
}

}  // namespace supn::bench
