// Computes exact covariances of an image's Gaussian: rows, marginals, derived quantities.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/run_app.hpp"
#include "covariance/functionals.hpp"
#include "covariance/options.hpp"
#include "covariance/write.hpp"
#include "inference/gaussian_source.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/scores/spread.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

// Returns how far Λ·column is from the unit vector, at worst.
double residual_of(const StructuredGaussian& gaussian, const CovarianceMaps& maps) {
  at::Tensor residual = precision_times(gaussian.to(at::kDouble), maps.covariance.unsqueeze(0))
                            .reshape({maps.covariance.size(0), -1});
  for (std::size_t i = 0; i < maps.pixels.size(); ++i) {
    residual[static_cast<std::int64_t>(i)][maps.pixels[i]] -= 1.0;
  }
  return residual.norm(2, {1}).max().item<double>();
}

void add_columns(const StructuredGaussian& gaussian, CovarianceMaps& maps) {
  if (maps.pixels.empty()) return;
  const at::Tensor pixels = at::tensor(maps.pixels, at::kLong);
  maps.pixel_mean = gaussian.mean().to(at::kDouble).reshape({-1}).index_select(0, pixels);
  maps.covariance = covariance_columns(gaussian, pixels)[0];
  maps.correlation = correlation_columns(gaussian, pixels)[0];
  maps.relative_residual = residual_of(gaussian, maps);
}

void add_spread(const StructuredGaussian& gaussian, std::uint64_t seed, CovarianceMaps& maps) {
  const std::vector<std::uint64_t> seeds{seed};
  const Samples drawn = sample(gaussian, seeds, {.range = {0, kStdSamples}});
  maps.sample_std = marginal_std(drawn.values[0]);
}

CovarianceMaps compute(const StructuredGaussian& gaussian,
                       const PlaceGrid& grid,
                       const CovarianceArguments& arguments,
                       std::uint64_t seed) {
  CovarianceMaps maps;
  maps.size = gaussian.size();
  for (const Place& place : arguments.pixels) maps.pixels.push_back(grid.pixel(place, "--pixel"));
  const bool derived = !arguments.regions.empty() || !arguments.differences.empty() ||
                       !arguments.functionals.empty();
  if (derived || arguments.marginals == Extra::kAdd) {
    const at::Tensor variance = marginal_variance(gaussian)[0][0];
    maps.marginal_std = variance.sqrt();
    maps.functionals = evaluate_functionals(gaussian, variance, arguments, grid);
  }
  add_columns(gaussian, maps);
  if (arguments.marginals == Extra::kAdd) add_spread(gaussian, seed, maps);
  if (arguments.local_correlation == Extra::kAdd) {
    maps.lengths = correlation_lengths(local_correlations(local_covariances(gaussian)));
  }
  return maps;
}

bool is_finite(const at::Tensor& map) {
  return !map.defined() || map.isfinite().all().item<bool>();
}

// A factor whose samples explode has variances that no number holds.
void require_finite(const CovarianceMaps& maps, const std::string& name) {
  if (is_finite(maps.covariance) && is_finite(maps.correlation) && is_finite(maps.marginal_std) &&
      is_finite(maps.functionals.covariance)) {
    return;
  }
  throw ConfigError(name +
                    ": its covariances are not finite: the recursion behind the factor grows "
                    "beyond every number; train with network.order coarse_to_fine, or "
                    "network.off_diagonal factored or twofold");
}

// Checks the outputs before any work.
void check_outputs(const CovarianceArguments& arguments, const InputImage& image) {
  OutputGuard guard;
  for (const auto& input : {arguments.image, image.path, arguments.source.gaussian}) {
    guard.reads(input);
  }
  for (const auto& weights : arguments.functionals) guard.reads(weights);
  reads_checkpoint(guard, arguments.source.checkpoint);
  check_output_place(guard, output_place(arguments.out, image), kCovarianceFiles);
}

void log_functionals(const CovarianceMaps& maps, const std::optional<double>& scale) {
  const Functionals& functionals = maps.functionals;
  for (std::size_t i = 0; i < functionals.names.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i);
    const double mean = functionals.mean[n].item<double>();
    const double std = std::sqrt(functionals.covariance[n][n].item<double>());
    std::string depth;
    if (const auto interval = depth_of_functional(maps, i, scale)) {
      depth = fmt::format("; depth {:.4g} {} (90 %: {:.4g} to {:.4g})",
                          interval->median,
                          depth_unit(scale),
                          interval->low,
                          interval->high);
    }
    spdlog::info("{}: {:.6g}, std {:.4g} (independent pixels: {:.4g}), {}{}",
                 functionals.names[i],
                 mean,
                 std,
                 functionals.independent_std[n].item<double>(),
                 functional_unit(maps, i),
                 depth);
  }
}

int run(const CovarianceArguments& arguments, const SharedOptions& shared) {
  const at::NoGradGuard no_grad;
  check_covariance_arguments(arguments);
  GaussianSource source(arguments.source, shared.device);
  at::Tensor rgb;
  if (!arguments.image.empty()) rgb = read_rgb(arguments.image);
  const PlaceGrid grid{rgb.defined() ? ImageSize{rgb.size(0), rgb.size(1)} : source.size(),
                       source.size()};
  const InputImage image = source.image_for(arguments.image);
  check_outputs(arguments, image);
  CovarianceMaps maps = compute(source.predict(rgb, image.path.string()).to(c10::Device(c10::kCPU)),
                                grid,
                                arguments,
                                image_seed(arguments.seed, image.seed_id));
  require_finite(maps, image.name);
  maps.quantity = source.quantity();
  maps.calibration = source.calibration();
  log_functionals(maps, arguments.scale);
  write_covariance(maps, image, rgb, arguments);
  spdlog::info("{}/ holds the results, info.json says in which units",
               (arguments.out / image.name).string());
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::CovarianceArguments arguments;
  arguments.source.calibration.preferred = supn::CalibratedOn::kTruth;
  return supn::run_app(
      {.name = "supn_covariance",
       .summary = "Exact covariances of an image's Gaussian: how chosen pixels vary with all "
                  "others, the std of every pixel, of means over regions, of differences and of "
                  "any weighted sum, and how far correlations reach.",
       .example = "supn_covariance --checkpoint runs/kitti/best --image photo.jpg --pixel 620,187 "
                  "--marginals --region 600,200,40,20 --out covariance"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare_covariance_options(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
