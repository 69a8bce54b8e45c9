#include <string>

#include "conditioning_problem.hpp"
#include "peers/cholmod_peer.hpp"
#include "peers/eigen_peer.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/solve.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

Competitor named(Competitor competitor, const std::string& name) {
  competitor.name = name;
  return competitor;
}

Competitor computation(const std::string& name, const std::function<void()>& work) {
  return {name, "", {}, clocked(work)};
}

Competitor density(const Problem& problem) {
  return computation(
      "log_prob", [gaussian = problem.gaussian(), d = problem.draws(1)] { log_prob(gaussian, d); });
}

Competitor marginals(const Problem& problem) {
  return computation("exact marginals, f64", [gaussian = problem.gaussian().to(at::kDouble)] {
    marginal_variance(gaussian);
  });
}

// As many sweeps as make the iteration exact at this size.
Competitor jacobi_to_exactness(const Problem& problem) {
  const std::int64_t sweeps = problem.gaussian().neighbourhood().exact_sweeps(
      problem.gaussian().height(), problem.gaussian().width());
  return computation("own Jacobi until exact",
                     [gaussian = problem.gaussian(), b = problem.noise(1), sweeps] {
                       jacobi_solve_factor_transpose(gaussian, b, sweeps);
                     });
}

void growth_with_pixels(Suite& suite) {
  std::vector<ImageSize> sizes{{48, 160}, kSmallSize, kMainSize};
  if (!suite.quick()) sizes.insert(sizes.end(), {kLargeSize, {768, 2560}});
  for (const ImageSize& size : sizes) {
    const Problem problem(FactorKind::kWell, size);
    const auto pixels = static_cast<double>(problem.pixels());
    const at::Tensor b = problem.noise(1);
    const EigenPeer eigen(problem.sparse());
    suite.add_point("pixels", pixels, named(exact_solve(problem, b), "exact sample, S=1"));
    const std::string batch = "exact sample of S=64";
    suite.add_point("pixels", pixels, named(exact_solve(problem, problem.noise(64)), batch));
    suite.add_point("pixels", pixels, density(problem));
    suite.add_point("pixels", pixels, eigen.transpose_solves(b).front());
    suite.add_point("pixels", pixels, cholmod_transpose_solve(problem.sparse(), b, 1));
    const bool small = size.width <= kMainSize.width;
    if (small || (!suite.quick() && size == kLargeSize)) {
      suite.add_point("pixels", pixels, marginals(problem));
      suite.add_point("pixels", pixels, jacobi_to_exactness(problem));
    }
  }
}

void growth_with_samples(Suite& suite) {
  const Problem problem(FactorKind::kWell, kMainSize);
  const EigenPeer eigen(problem.sparse());
  std::vector<std::int64_t> counts{1, 4, 16, 64};
  if (!suite.quick()) counts = {1, 2, 4, 8, 16, 32, 64, 128};
  for (const std::int64_t count : counts) {
    const auto x = static_cast<double>(count);
    const at::Tensor b = problem.noise(count);
    suite.add_point("samples", x, exact_solve(problem, b));
    suite.add_point("samples", x, exact_samples(problem, count));
    suite.add_point("samples", x, fastest(eigen.transpose_solves(b)));
    const Competitor cholmod = cholmod_transpose_solve(problem.sparse(), b, 16);
    suite.add_point("samples", x, named(cholmod, "CHOLMOD, up to 16 right-hand sides"));
  }
}

void growth_with_known_pixels(Suite& suite) {
  const Problem problem(FactorKind::kMatern05, suite.quick() ? kSmallSize : kMainSize);
  const CholmodPrecision precision(problem.sparse());
  std::vector<std::int64_t> counts{25, 200, 1000};
  if (!suite.quick()) counts = {25, 50, 100, 200, 500, 1000, 2000, 4000, 8000};
  counts.push_back(problem.pixels() / 5);
  for (const std::int64_t known : counts) {
    const auto x = static_cast<double>(known);
    const ConditioningProblem conditions = conditioning_problem(problem, known);
    suite.add_point("known", x, exact_conditioning(problem, conditions));
    suite.add_point("known", x, precision.conditionings(conditions).front());
  }
}

void growth_with_radius(Suite& suite) {
  for (const std::int64_t radius : {1, 2, 3, 4}) {
    const Problem problem(FactorKind::kWell, kMainSize, radius);
    const auto x = static_cast<double>(radius);
    const at::Tensor b = problem.noise(1);
    const EigenPeer eigen(problem.sparse());
    const std::string batch = "exact sample of S=64";
    suite.add_point("radius", x, named(exact_solve(problem, b), "exact sample, S=1"));
    suite.add_point("radius", x, named(exact_solve(problem, problem.noise(64)), batch));
    suite.add_point("radius", x, density(problem));
    suite.add_point("radius", x, eigen.transpose_solves(b).front());
    if (!suite.quick() || radius <= 2) suite.add_point("radius", x, marginals(problem));
  }
}

}  // namespace

void growth_curves(Suite& suite) {
  growth_with_pixels(suite);
  growth_with_samples(suite);
  growth_with_known_pixels(suite);
  growth_with_radius(suite);
}

}  // namespace supn::bench
