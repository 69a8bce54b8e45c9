#include <c10/util/Exception.h>

#include <memory>

#include "peers/cholmod_peer.hpp"
#include "peers/eigen_peer.hpp"
#include "peers/scipy_peer.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn::bench {
namespace {

constexpr std::int64_t kJacobiSweeps = 1000;  // the paper's
constexpr std::int64_t kCholmodBlock = 16;

bool is_main(const Problem& problem) { return problem.gaussian().size() == kMainSize; }

// Against one peer; `bound` 0 states no target, and targets are stated for the main size alone.
struct Opponent {
  std::vector<Competitor> variants;
  double bound = 0;
};

void race(Suite& suite,
          const Problem& problem,
          const Competitor& ours,
          const Opponent& opponent,
          int threads) {
  Row row = problem.row("sampling", ours.name);
  row.samples = static_cast<std::int64_t>(ours.units);
  row.threads = threads;
  if (is_main(problem) && opponent.bound > 0) row.targets = {at_least("ratio", opponent.bound)};
  suite.compete({row, ours, opponent.variants, problem.solve_work(row.samples)});
}

Competitor own_jacobi(const Problem& problem, const at::Tensor& b) {
  auto answer = [gaussian = problem.gaussian(), b] {
    return std::vector<at::Tensor>{
        jacobi_solve_factor_transpose(gaussian, b, kJacobiSweeps).solution};
  };
  return {"own Jacobi J=1000",
          "f32, all 1000 sweeps, with its residual",
          answer,
          clocked([answer] { answer(); }),
          static_cast<double>(b.size(1))};
}

void triangular_solvers(Suite& suite, const Problem& problem, std::int64_t samples) {
  const int threads = suite.options().threads;
  const at::Tensor b = problem.noise(samples);
  const EigenPeer eigen(problem.sparse());
  const bool one = samples == 1;
  const double eigen_bound = one ? 10 : samples == 64 ? 70 : 0;
  const double cholmod_bound = one ? 10 : samples == 64 ? 30 : 0;
  const Competitor ours = exact_solve(problem, b);
  race(suite, problem, ours, {eigen.transpose_solves(b), eigen_bound}, threads);
  const CholmodPeer cholmod(suite.options().cholmod, problem.sparse(), b);
  race(suite, problem, ours, {{cholmod.transpose_solve(kCholmodBlock)}, cholmod_bound}, threads);
  if (!is_main(problem)) return;
  if (threads > 1) race(suite, problem, ours, {eigen.transpose_solves(b)}, 1);
  if (samples == 64) {
    const Competitor with_noise = exact_samples(problem, samples);
    race(suite, problem, with_noise, {eigen.transpose_solves(b), 18}, threads);
    race(suite, problem, ours, {eigen.parallel_transpose_solves(b)}, threads);
  }
}

void jacobi_iterations(Suite& suite, const Problem& problem) {
  const int threads = suite.options().threads;
  const at::Tensor b = problem.noise(1);
  const Competitor ours = exact_solve(problem, b);
  race(suite, problem, ours, {{own_jacobi(problem, b)}, 300}, threads);
  race(suite,
       problem,
       ours,
       {{conv2d_jacobi_solve(problem.gaussian(), b, kJacobiSweeps)}, 5000},
       threads);
  if (!is_main(problem) || problem.kind() != FactorKind::kWell) return;
  const at::Tensor many = problem.noise(64);
  const at::Tensor of_jacobi = many.narrow(1, 0, suite.quick() ? 4 : 64);
  race(
      suite, problem, exact_solve(problem, many), {{own_jacobi(problem, of_jacobi)}, 600}, threads);
}

void scipy_solvers(Suite& suite, const Problem& problem, std::int64_t samples) {
  const SuiteOptions& options = suite.options();
  if (options.scipy.words.empty()) return;
  const at::Tensor b = problem.noise(samples);
  const Competitor ours = exact_solve(problem, b);
  try {
    const ScipyPeer scipy(options.scipy, problem.sparse(), b);
    race(suite, problem, ours, {{scipy.triangular_solve()}}, options.threads);
    race(suite, problem, ours, {{scipy.superlu_solve()}}, options.threads);
  } catch (const std::exception& error) {
    Row row = problem.row("sampling", ours.name);
    row.peer = "SciPy";
    suite.refuse(row, error.what());
  }
}

void dense_normal(Suite& suite, const ImageSize& size) {
  const Problem problem(FactorKind::kMatern05, size);
  for (const std::int64_t samples : {1, 64}) {
    const at::Tensor b = problem.noise(samples);
    race(suite,
         problem,
         exact_solve(problem, b),
         {{dense_normal_samples(problem.gaussian(), b)}},
         suite.options().threads);
  }
}

void memory_of_samples(Suite& suite, const Problem& problem) {
  constexpr std::int64_t kSamples = 64;
  Row row = problem.row("sampling", "memory beyond the samples");
  row.ours = "exact samples with their noise";
  row.samples = kSamples;
  row.threads = suite.options().threads;
  row.targets = {at_most("extra MB", 20)};
  const auto bytes = static_cast<double>(kSamples * problem.pixels()) * sizeof(float);
  suite.measure_memory(
      row, [&] { problem.draws(kSamples); }, bytes);
}

std::vector<Problem> problems(const Suite& suite) {
  std::vector<Problem> list;
  list.emplace_back(FactorKind::kWell, kMainSize);
  list.emplace_back(FactorKind::kMatern05, kMainSize);
  list.emplace_back(FactorKind::kMatern15, kMainSize);
  if (suite.quick()) return list;
  for (const ImageSize& size : {kSmallSize, kLargeSize}) {
    list.emplace_back(FactorKind::kWell, size);
    list.emplace_back(FactorKind::kMatern05, size);
  }
  return list;
}

}  // namespace

void sampling_rows(Suite& suite) {
  for (const Problem& problem : problems(suite)) {
    const bool brief = suite.quick() && problem.kind() == FactorKind::kMatern15;
    for (const std::int64_t samples : {1, 16, 64}) {
      if (suite.quick() && samples == 16) continue;
      if (!brief || samples == 1) triangular_solvers(suite, problem, samples);
    }
    if (!suite.quick() || is_main(problem)) jacobi_iterations(suite, problem);
    if (problem.kind() == FactorKind::kWell) {
      scipy_solvers(suite, problem, 1);
      if (!suite.quick() && is_main(problem)) scipy_solvers(suite, problem, 16);
      if (is_main(problem)) memory_of_samples(suite, problem);
    }
  }
  dense_normal(suite, {12, 40});
  dense_normal(suite, {24, 80});
  if (!suite.quick()) dense_normal(suite, {48, 160});
}

}  // namespace supn::bench
