#include "problem.hpp"

#include <c10/util/Exception.h>

#include <array>
#include <utility>

#include "machine.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

constexpr std::array<std::uint64_t, 1> kSeeds{kSeed};

SampleOptions first_samples(std::int64_t count) {
  SampleOptions options;
  options.range = {0, count};
  return options;
}

}  // namespace

Problem::Problem(FactorKind kind, const ImageSize& size, const Neighbourhood& neighbourhood)
    : kind_(kind), gaussian_(make_factor(kind, size, neighbourhood, at::kFloat)) {}

at::Tensor Problem::noise(std::int64_t count) const {
  return standard_normal(kSeeds, {0, count}, gaussian_.size(), gaussian_.mean().options());
}

at::Tensor Problem::draws(std::int64_t count) const {
  return sample(gaussian_, kSeeds, first_samples(count)).values;
}

Row Problem::row(const std::string& section, const std::string& subject) const {
  Row row;
  row.section = section;
  row.subject = subject;
  row.size = gaussian_.size();
  row.order = gaussian_.neighbourhood().description();
  row.factor = factor_name(kind_);
  row.tolerance = float32_tolerance(kind_);
  return row;
}

Work Problem::solve_work(std::int64_t samples) const {
  const auto factor_words = static_cast<double>(pixels() * terms());
  const auto field_words = static_cast<double>(2 * pixels());
  return {sizeof(float) * (factor_words / static_cast<double>(samples) + field_words),
          factor_words};
}

double float32_tolerance(FactorKind kind) {
  switch (kind) {
    case FactorKind::kWell:
      return 1e-5;
    case FactorKind::kMatern05:
      return 1e-3;
    case FactorKind::kMatern15:
    case FactorKind::kMatern25:
      return 1e-2;
  }
  TORCH_CHECK(false, "float32_tolerance: no such kind");
}

Competitor exact_solve(const Problem& problem, const at::Tensor& b) {
  auto answer = [gaussian = problem.gaussian(), b] {
    return std::vector<at::Tensor>{solve_factor_transpose(gaussian, b)};
  };
  return {"exact solve, noise given",
          "",
          answer,
          clocked([answer] { answer(); }),
          static_cast<double>(b.size(1))};
}

Competitor exact_samples(const Problem& problem, std::int64_t count) {
  auto draw = [gaussian = problem.gaussian(), count] {
    return sample(gaussian, kSeeds, first_samples(count)).values;
  };
  auto answer = [draw, gaussian = problem.gaussian()] {
    return std::vector<at::Tensor>{draw().sub(gaussian.mean())};
  };
  return {"exact samples with their noise",
          "",
          answer,
          clocked([draw] { draw(); }),
          static_cast<double>(count)};
}

Competitor named(Competitor competitor, const std::string& name) {
  competitor.name = name;
  return competitor;
}

Competitor with_threads(Competitor competitor, int threads) {
  competitor.seconds = [seconds = std::move(competitor.seconds), threads] {
    const ThreadScope scope(threads);
    return seconds();
  };
  return competitor;
}

Target at_least(const std::string& quantity, double bound) {
  return {quantity, Comparison::kAtLeast, bound, 0};
}

Target at_most(const std::string& quantity, double bound) {
  return {quantity, Comparison::kAtMost, bound, 0};
}

}  // namespace supn::bench
