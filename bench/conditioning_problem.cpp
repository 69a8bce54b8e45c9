#include "conditioning_problem.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/sample.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

constexpr std::array<std::uint64_t, 1> kSeeds{kSeed};

StructuredGaussian exact(const Problem& problem) { return problem.gaussian().to(at::kDouble); }

ConditionedGaussian conditioned(const StructuredGaussian& gaussian,
                                const ConditioningProblem& conditions) {
  return {gaussian, {conditions.pixels, conditions.values}};
}

}  // namespace

at::Tensor random_pixels(const Problem& problem, std::int64_t known) {
  TORCH_CHECK(known > 0 && known <= problem.pixels(), "random_pixels: ", known, " pixels");
  std::vector<std::int64_t> all(static_cast<std::size_t>(problem.pixels()));
  std::iota(all.begin(), all.end(), 0);
  std::mt19937_64 engine(static_cast<std::uint64_t>(known));
  std::shuffle(all.begin(), all.end(), engine);
  std::sort(all.begin(), all.begin() + known);
  return at::from_blob(all.data(), {known}, at::TensorOptions(at::kLong)).clone();
}

ConditioningProblem conditioning_problem(const Problem& problem, const at::Tensor& pixels) {
  const StructuredGaussian gaussian = exact(problem);
  SampleOptions options;
  options.range = {0, kConditionalSamples};
  const at::Tensor draws = sample(gaussian, kSeeds, options).values;
  options.range = {kConditionalSamples, 1};  // a draw of its own
  const at::Tensor truth = sample(gaussian, kSeeds, options).values.flatten();
  return {gaussian.mean(), draws, pixels, truth.index_select(0, pixels)};
}

Competitor exact_conditioning(const Problem& problem, const ConditioningProblem& conditions) {
  auto answer = [gaussian = exact(problem), conditions] {
    ConditionedGaussian posterior = conditioned(gaussian, conditions);
    return std::vector<at::Tensor>{
        at::cat({posterior.mean(), posterior.samples(kSeed, {0, kConditionalSamples})}, 1)};
  };
  return {"conditioning", "", answer, clocked([answer] { answer(); })};
}

std::string chosen_method(const Problem& problem, const ConditioningProblem& conditions) {
  ConditionedGaussian posterior = conditioned(exact(problem), conditions);
  posterior.mean();
  switch (posterior.report().method) {
    case ConditioningMethod::kDense:
      return "dense";
    case ConditioningMethod::kSparse:
      return "sparse";
    case ConditioningMethod::kPcg:
      return "PCG";
    case ConditioningMethod::kAuto:
      break;
  }
  TORCH_CHECK(false, "chosen_method: no method was chosen");
}

}  // namespace supn::bench
