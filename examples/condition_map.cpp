// Scores maps under a Gaussian, and conditions it on two measured pixels. The Gaussian is that of an
// untrained network: a smooth field; a trained one comes from supn::load_network.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <cstdio>

#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/network/supn_network.hpp"

int main() {
  const at::NoGradGuard no_grad;
  supn::NetworkConfig config;
  config.backbone = supn::Backbone::kCompact;
  config.order = supn::PixelOrder::kCoarseToFine;
  supn::SupnNetwork network(config);
  network->eval();
  const supn::StructuredGaussian gaussian = network->forward(at::full({1, 3, 64, 96}, 0.5)).front();

  const at::Tensor flat = gaussian.mean().add(0.1);  // as probable as a shift of all pixels is
  std::printf("log density of the mean %.1f, of the mean + 0.1 %.1f nats\n",
              supn::log_prob(gaussian, gaussian.mean()).item<double>(),
              supn::log_prob(gaussian, flat).item<double>());

  // Two pixels, 0.2 above the mean, each with a standard deviation of 0.01.
  const at::Tensor pixels = at::tensor({20 * 96 + 30, 40 * 96 + 60}, at::kLong);
  const at::Tensor values = gaussian.mean().reshape({-1}).index_select(0, pixels).add(0.2);
  supn::ConditionedGaussian posterior(gaussian, {pixels, values, at::full({1}, 1e-4, at::kDouble)});
  const auto between = [](const at::Tensor& map) { return map[0][0][30][45].item<double>(); };
  const double before = std::sqrt(between(supn::marginal_variance(gaussian)));
  const double after = std::sqrt(between(posterior.variance()));
  std::printf("between them: mean %+.3f, std %.3f -> %.3f\n",
              between(posterior.mean()) - between(gaussian.mean()),
              before,
              after);
  return after < before ? 0 : 1;
}
