#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "conditioning_problem.hpp"
#include "invariants.hpp"
#include "peers/cholmod_peer.hpp"
#include "peers/eigen_peer.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

constexpr std::int64_t kMembers = 8;
constexpr std::int64_t kSamples = 64;

// The same Matérn field as a factor in each order.
struct BothOrders {
  explicit BothOrders(FactorKind kind)
      : raster(kind, kMainSize), fine(kind, kMainSize, Neighbourhood(CoarseToFine{})) {}

  Problem raster;
  Problem fine;
};

Competitor rasters_own(Competitor competitor) {
  return named(std::move(competitor), "the raster order's own");
}

Row row_of(const Suite& suite, const Problem& problem, const Competitor& ours) {
  Row row = problem.row("coarse_to_fine", ours.name);
  row.threads = suite.options().threads;
  row.samples = static_cast<std::int64_t>(ours.units);
  return row;
}

Competitor samples_of(const Problem& problem, std::int64_t count) {
  return named(giving_back_noise(exact_samples(problem, count), problem.gaussian()),
               "coarse to fine: samples, noise too");
}

void samples(Suite& suite, const BothOrders& orders) {
  for (const std::int64_t count : {std::int64_t{1}, kSamples}) {
    const Competitor ours = samples_of(orders.fine, count);
    Row row = row_of(suite, orders.fine, ours);
    row.targets = {at_least("ratio", 1.5)};
    suite.compete({row, ours, {rasters_own(samples_of(orders.raster, count))}, {}});
    const EigenPeer eigen(orders.raster.sparse());
    std::vector<Competitor> peers = eigen.transpose_solves(orders.raster.noise(count));
    for (Competitor& peer : peers) {
      peer = giving_back_noise(std::move(peer), orders.raster.gaussian());
      peer.settings += ", the raster order's solves without noise";
    }
    row.targets.clear();
    if (count == kSamples) row.targets = {at_least("ratio", 25)};
    suite.compete({row, ours, std::move(peers), {}});
  }
}

Competitor density_of(const Problem& problem) {
  auto answer = [gaussian = problem.gaussian(), d = problem.draws(1)] {
    return std::vector<at::Tensor>{log_prob(gaussian, d)};
  };
  return without_determinant(
      {"coarse to fine: log_prob", "", answer, clocked([answer] { answer(); })},
      problem.gaussian());
}

at::Tensor own_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return log_prob(gaussian, d).mean().neg();
}

Competitor loss_of(const Problem& problem) {
  return as_numbers_of_noise(loss_with_gradients("coarse to fine: NLL, gradients",
                                                 "",
                                                 problem.gaussian(),
                                                 problem.draws(kMembers),
                                                 own_loss),
                             problem.gaussian(),
                             problem.noise(kMembers));
}

void likelihoods(Suite& suite, const BothOrders& orders) {
  const Competitor density = density_of(orders.fine);
  Row row = row_of(suite, orders.fine, density);
  row.tolerance = 1e-5;
  row.targets = {at_least("ratio", 0.9)};
  suite.compete({row, density, {rasters_own(density_of(orders.raster))}, {}});
  const Competitor loss = loss_of(orders.fine);
  Row of_loss = row_of(suite, orders.fine, loss);
  of_loss.samples = kMembers;
  of_loss.unit = "loss";
  of_loss.targets = {at_least("ratio", 1)};
  suite.compete({of_loss, loss, {rasters_own(loss_of(orders.raster))}, {}});
}

Competitor deviations_of(const Problem& problem) {
  auto answer = [gaussian = problem.gaussian().to(at::kDouble)] {
    return std::vector<at::Tensor>{marginal_variance(gaussian).sqrt()};
  };
  return {"coarse to fine: all marginals", "", answer, clocked([answer] { answer(); })};
}

void marginals(Suite& suite, const BothOrders& orders) {
  const Competitor ours = deviations_of(orders.fine);
  Row row = row_of(suite, orders.fine, ours);
  row.dtype = "f64";
  row.unit = "image";
  // Both approximate one field: their deviations are alike, not the same. The marginals' own row
  // checks them against samples.
  row.tolerance = 0.2;
  row.targets = {at_most("ms", 300)};
  suite.compete({row, ours, {rasters_own(deviations_of(orders.raster))}, {}});
}

// As a laser scanner sees the scene: 64 lines in the lower 60 % of the image, every fifth column of
// each, from another first column in the next line; 8192 pixels.
at::Tensor laser_pixels(const Problem& problem) {
  constexpr std::int64_t kLines = 64;
  constexpr std::int64_t kApart = 5;
  const ImageSize size = problem.gaussian().size();
  const std::int64_t top = size.height * 2 / 5;
  std::vector<at::Tensor> lines;
  for (std::int64_t line = 0; line < kLines; ++line) {
    const std::int64_t row = top + line * (size.height - top) / kLines;
    lines.push_back(at::arange(row * size.width + 2 * line % kApart,
                               (row + 1) * size.width,
                               kApart,
                               at::TensorOptions(at::kLong)));
  }
  return at::cat(lines);
}

Competitor conditioning_of(const Problem& problem, const ConditioningProblem& conditions) {
  return as_errors_of_conditions(
      exact_conditioning(problem, conditions), problem.gaussian(), conditions);
}

struct KnownSet {
  std::string name;
  at::Tensor pixels;
  double bound;  // ms
};

void conditioning(Suite& suite,
                  const BothOrders& orders,
                  CholmodPeer& cholmod,
                  const KnownSet& set) {
  const ConditioningProblem fine = conditioning_problem(orders.fine, set.pixels);
  const ConditioningProblem raster = conditioning_problem(orders.raster, set.pixels);
  const Competitor ours =
      named(conditioning_of(orders.fine, fine),
            "coarse to fine: " + set.name + " (" + chosen_method(orders.fine, fine) + ")");
  Row row = row_of(suite, orders.fine, ours);
  row.dtype = "f64";
  row.unit = "image";
  row.known = set.pixels.numel();
  row.samples = kConditionalSamples;
  row.tolerance = 1e-6;
  suite.compete({row, ours, {rasters_own(conditioning_of(orders.raster, raster))}, {}});
  std::vector<Competitor> peers = cholmod.conditionings(raster);
  for (Competitor& peer : peers) {
    peer = as_errors_of_conditions(std::move(peer), orders.raster.gaussian(), raster);
  }
  row.targets = {at_most("ms", set.bound)};
  suite.compete({row, ours, std::move(peers), {}});
}

void conditionings(Suite& suite, const BothOrders& orders) {
  CholmodPeer cholmod(suite.options().cholmod, orders.raster.sparse(), orders.raster.noise(1));
  for (const KnownSet& set : {KnownSet{"random", random_pixels(orders.fine, 200), 25},
                              KnownSet{"random", random_pixels(orders.fine, 2000), 500},
                              KnownSet{"laser", laser_pixels(orders.fine), 2000}}) {
    conditioning(suite, orders, cholmod, set);
  }
}

// All threads against one.
void threads(Suite& suite, const BothOrders& orders) {
  const int all = suite.options().threads;
  if (all == 1) return;
  for (const Competitor& work : {samples_of(orders.fine, kSamples),
                                 density_of(orders.fine),
                                 loss_of(orders.fine),
                                 deviations_of(orders.fine)}) {
    Row row = row_of(suite, orders.fine, work);
    if (all == 2) row.targets = {at_least("ratio", 1.8)};
    suite.compete({row, work, {with_threads(named(work, "itself, 1 thread"), 1)}, {}});
  }
}

}  // namespace

void coarse_to_fine_rows(Suite& suite) {
  const BothOrders orders(FactorKind::kMatern05);
  samples(suite, orders);
  likelihoods(suite, orders);
  marginals(suite, orders);
  conditionings(suite, orders);
  threads(suite, orders);
  if (suite.quick()) return;
  const BothOrders smooth(FactorKind::kMatern15);
  samples(suite, smooth);
  likelihoods(suite, smooth);
  marginals(suite, smooth);
}

}  // namespace supn::bench
