#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <cmath>

#include "problem.hpp"
#include "rows.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/sample.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

constexpr double kError = 1e-3;  // relative, of the standard deviation
// 1/√(2S) = kError.
constexpr double kSamplesNeeded = 1 / (2 * kError * kError);
constexpr std::int64_t kBlock = 64;
constexpr std::array<std::uint64_t, 1> kSeeds{kSeed};

// Σ(s − μ)² [1,1,H,W] over the samples of one block, by sample().
at::Tensor squares_by_sample(const StructuredGaussian& gaussian, std::int64_t first) {
  SampleOptions options;
  options.range = {first, kBlock};
  const at::Tensor values = sample(gaussian, kSeeds, options).values;
  return values.sub(gaussian.mean()).square_().sum(1, /*keepdim=*/true);
}

// The same with noise and solve called one after the other, without the report.
at::Tensor squares_by_colour(const StructuredGaussian& gaussian, std::int64_t first) {
  const at::Tensor noise =
      standard_normal(kSeeds, {first, kBlock}, gaussian.size(), gaussian.mean().options());
  return colour(gaussian, noise).sub_(gaussian.mean()).square_().sum(1, /*keepdim=*/true);
}

using SquaresOf = at::Tensor (*)(const StructuredGaussian& gaussian, std::int64_t first);

// Answers with `samples` samples; its time is that of one block, its unit all samples needed.
Competitor monte_carlo(const StructuredGaussian& gaussian,
                       std::int64_t samples,
                       SquaresOf squares,
                       const std::string& how) {
  auto answer = [gaussian, samples, squares] {
    at::Tensor sum = at::zeros_like(gaussian.mean());
    for (std::int64_t first = 0; first < samples; first += kBlock) {
      sum = sum + squares(gaussian, first);
    }
    return std::vector<at::Tensor>{sum.div(static_cast<double>(samples)).sqrt()};
  };
  return {"Monte Carlo, 500,000 own samples",
          "f32, " + how + ", time of 64 samples times 7812.5",
          answer,
          clocked([gaussian, squares] { squares(gaussian, 0); }),
          static_cast<double>(kBlock) / kSamplesNeeded};
}

// The window of the last r rows is extended row by row (marginal.hpp); it stays in memory.
Work marginal_work(const Problem& problem) {
  const auto width = static_cast<double>(problem.gaussian().width());
  const auto radius = static_cast<double>(problem.gaussian().neighbourhood().radius());
  const double per_row = (radius + 0.5) * 2 * radius * (radius + 1) * width * width;
  return {8 * static_cast<double>(problem.pixels() * problem.terms()),
          per_row * static_cast<double>(problem.gaussian().height())};
}

void marginals(Suite& suite, const Problem& problem) {
  const std::int64_t checked = suite.quick() ? 1024 : 4096;
  const StructuredGaussian exact = problem.gaussian().to(at::kDouble);
  auto answer = [exact] { return std::vector<at::Tensor>{marginal_variance(exact).sqrt()}; };
  const Competitor ours{"exact marginals", "", answer, clocked([answer] { answer(); })};
  Row row = problem.row("marginals", "standard deviation of every pixel, error 1e-3 or none");
  row.dtype = "f64";
  row.unit = "image";
  row.threads = suite.options().threads;
  // The law gives the expected error; neighbours' errors are alike, so one run may be off by some.
  row.tolerance = 2 / std::sqrt(2 * static_cast<double>(checked));
  if (problem.gaussian().size() == kMainSize) {
    row.targets = {at_most("ms", 500), at_least("ratio", 100)};
  }
  suite.compete({row,
                 ours,
                 {monte_carlo(problem.gaussian(), checked, squares_by_sample, "sample()"),
                  monte_carlo(problem.gaussian(), checked, squares_by_colour, "colour(noise)")},
                 marginal_work(problem)});
}

}  // namespace

void marginal_rows(Suite& suite) {
  marginals(suite, Problem(FactorKind::kMatern05, kMainSize));
  if (suite.quick()) return;
  marginals(suite, Problem(FactorKind::kWell, kMainSize));
  marginals(suite, Problem(FactorKind::kMatern15, kMainSize));
  marginals(suite, Problem(FactorKind::kMatern05, kSmallSize));
  marginals(suite, Problem(FactorKind::kMatern05, kLargeSize));
}

}  // namespace supn::bench
