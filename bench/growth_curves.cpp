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
    const CholmodPeer cholmod(suite.options().cholmod, problem.sparse(), b);
    suite.add_point("pixels", pixels, cholmod.transpose_solve(1));
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
    const CholmodPeer cholmod(suite.options().cholmod, problem.sparse(), b);
    suite.add_point("samples", x, cholmod.transpose_solve(16));
  }
}

Problem coarse_to_fine(const ImageSize& size) {
  return {FactorKind::kMatern05, size, Neighbourhood(CoarseToFine{})};
}

Competitor from_coarse_to_fine(Competitor competitor) {
  competitor.name += ", coarse to fine";
  return competitor;
}

void coarse_to_fine_with_pixels(Suite& suite) {
  std::vector<ImageSize> sizes{{48, 160}, kSmallSize, kMainSize};
  if (!suite.quick()) sizes.insert(sizes.end(), {kLargeSize, {768, 2560}});
  for (const ImageSize& size : sizes) {
    const Problem problem = coarse_to_fine(size);
    const auto pixels = static_cast<double>(problem.pixels());
    suite.add_point(
        "pixels", pixels, named(exact_samples(problem, 1), "sample of S=1, coarse to fine"));
    suite.add_point(
        "pixels", pixels, named(exact_samples(problem, 64), "sample of S=64, coarse to fine"));
    suite.add_point("pixels", pixels, from_coarse_to_fine(density(problem)));
    suite.add_point("pixels", pixels, from_coarse_to_fine(marginals(problem)));
  }
}

void coarse_to_fine_with_samples(Suite& suite) {
  const Problem problem = coarse_to_fine(kMainSize);
  for (const std::int64_t count : {1, 4, 16, 64}) {
    suite.add_point(
        "samples", static_cast<double>(count), from_coarse_to_fine(exact_samples(problem, count)));
  }
}

void growth_with_threads(Suite& suite) {
  const Problem fine = coarse_to_fine(kMainSize);
  const Problem raster(FactorKind::kMatern05, kMainSize);
  for (int threads = 1; threads <= suite.options().threads; ++threads) {
    const auto point = [&](const Competitor& competitor) {
      suite.add_point("threads", threads, with_threads(competitor, threads));
    };
    point(from_coarse_to_fine(exact_samples(fine, 64)));
    point(from_coarse_to_fine(density(fine)));
    point(from_coarse_to_fine(marginals(fine)));
    point(exact_samples(raster, 64));
    point(density(raster));
    point(marginals(raster));
  }
}

void growth_with_known_pixels(Suite& suite) {
  const Problem problem(FactorKind::kMatern05, suite.quick() ? kSmallSize : kMainSize);
  const Problem fine = coarse_to_fine(problem.gaussian().size());
  CholmodPeer cholmod(suite.options().cholmod, problem.sparse(), problem.noise(1));
  std::vector<std::int64_t> counts{25, 200, 1000};
  if (!suite.quick()) counts = {25, 50, 100, 200, 500, 1000, 2000, 4000, 8000};
  counts.push_back(problem.pixels() / 5);
  for (const std::int64_t known : counts) {
    const auto x = static_cast<double>(known);
    const ConditioningProblem conditions =
        conditioning_problem(problem, random_pixels(problem, known));
    suite.add_point("known", x, exact_conditioning(problem, conditions));
    suite.add_point("known", x, cholmod.conditionings(conditions).front());
    const ConditioningProblem fine_conditions =
        conditioning_problem(fine, random_pixels(fine, known));
    suite.add_point("known", x, from_coarse_to_fine(exact_conditioning(fine, fine_conditions)));
  }
}

void growth_with_radius(Suite& suite) {
  for (const std::int64_t radius : {1, 2, 3, 4}) {
    const Problem problem(FactorKind::kWell, kMainSize, Neighbourhood(radius));
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
  coarse_to_fine_with_pixels(suite);
  growth_with_samples(suite);
  coarse_to_fine_with_samples(suite);
  growth_with_threads(suite);
  growth_with_known_pixels(suite);
  growth_with_radius(suite);
}

}  // namespace supn::bench
