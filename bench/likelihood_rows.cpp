#include "peers/eigen_peer.hpp"
#include "peers/torch_peer.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "timing.hpp"

namespace supn::bench {
namespace {

constexpr std::int64_t kMembers = 8;

// The factor, μ and d are read once; the sum is a number.
Work log_prob_work(const Problem& problem) {
  const auto words = static_cast<double>(problem.pixels() * (problem.terms() + 2));
  return {sizeof(float) * words, static_cast<double>(problem.pixels() * problem.terms())};
}

// Two passes over the factor, one more to write the gradients; d read in both. Forward Lᵀx, then
// the gradient in the factor and L z: K + 1 multiply-adds each.
Work gradient_work(const Problem& problem, std::int64_t members) {
  const auto pixels = static_cast<double>(problem.pixels());
  const auto terms = static_cast<double>(problem.terms());
  const auto samples = static_cast<double>(members);
  return {sizeof(float) * pixels * (3 * (terms + 1) + 2 * samples), 3 * pixels * terms * samples};
}

void density(Suite& suite, const Problem& problem) {
  const StructuredGaussian& gaussian = problem.gaussian();
  const at::Tensor d = problem.draws(1);
  auto answer = [gaussian, d] { return std::vector<at::Tensor>{log_prob(gaussian, d)}; };
  const Competitor ours{"log_prob", "", answer, clocked([answer] { answer(); })};
  const EigenPeer eigen(problem.sparse());
  const double log_diagonal_sum = gaussian.log_diagonal().to(at::kDouble).sum().item<double>();
  Row row = problem.row("likelihood", "log_prob of one prediction");
  row.threads = suite.options().threads;
  row.tolerance = 1e-5;
  if (gaussian.size() == kMainSize) row.targets = {at_least("ratio", 5)};
  suite.compete(
      {row, ours, eigen.log_probs(d, gaussian.mean(), log_diagonal_sum), log_prob_work(problem)});
}

at::Tensor own_loss(const StructuredGaussian& gaussian, const at::Tensor& d) {
  return log_prob(gaussian, d).mean().neg();
}

void loss_and_gradients(Suite& suite, const Problem& problem) {
  const StructuredGaussian& gaussian = problem.gaussian();
  const at::Tensor d = problem.draws(kMembers);
  const Competitor ours = loss_with_gradients("NLL and gradients", "", gaussian, d, own_loss);
  const Competitor conv2d = conv2d_likelihood(gaussian, d);
  const bool of_main_size = gaussian.size() == kMainSize;
  Row row = problem.row("likelihood", "loss of 8 members with its gradients");
  row.samples = kMembers;
  row.threads = suite.options().threads;
  row.unit = "loss";
  Row memory = row;
  memory.subject = "memory of the loss of 8 members with its gradients";
  if (of_main_size) row.targets = {at_least("ratio", 5)};
  if (of_main_size) memory.targets = {at_least("memory ratio", 4)};
  suite.compete({row, ours, {conv2d}, gradient_work(problem, kMembers)});
  suite.compare_memory({memory, ours, {conv2d}, {}});
  row.targets.clear();
  memory.targets.clear();
  const Competitor shift = shift_likelihood(gaussian, d);
  suite.compete({row, ours, {shift}, gradient_work(problem, kMembers)});
  suite.compare_memory({memory, ours, {shift}, {}});
}

}  // namespace

void likelihood_rows(Suite& suite) {
  std::vector<ImageSize> sizes{kMainSize};
  if (!suite.quick()) sizes = {kSmallSize, kMainSize, kLargeSize};
  for (const ImageSize& size : sizes) {
    for (const FactorKind kind : {FactorKind::kWell, FactorKind::kMatern05}) {
      const Problem problem(kind, size);
      density(suite, problem);
      if (!suite.quick() || kind == FactorKind::kMatern05) loss_and_gradients(suite, problem);
    }
  }
}

}  // namespace supn::bench
