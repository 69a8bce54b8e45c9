#include "covariance/functionals.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "supn/errors.hpp"
#include "supn/evaluation/depth/depth_observations.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

struct Weights {
  std::vector<std::string> names;
  std::vector<at::Tensor> maps;                                         // [n,H,W]
  std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> pixels;  // of differences

  void add(std::string name, at::Tensor map) {
    names.push_back(std::move(name));
    maps.push_back(std::move(map));
  }
};

// A difference's variance says how its two pixels vary together.
LogitPairs pair_of(const at::Tensor& mean,
                   const at::Tensor& variance,
                   const std::pair<std::int64_t, std::int64_t>& pixels,
                   const at::Tensor& variance_of_difference) {
  const auto [first, second] = pixels;
  LogitPairs pair{.first_mean = mean.narrow(0, first, 1),
                  .second_mean = mean.narrow(0, second, 1),
                  .first_variance = variance.narrow(0, first, 1),
                  .second_variance = variance.narrow(0, second, 1),
                  .covariance = {}};
  pair.covariance = (pair.first_variance + pair.second_variance - variance_of_difference) * 0.5;
  return pair;
}

// The maps' pixels that the region covers, at least one each way.
PixelBox box_of(const Region& region, const PlaceGrid& grid) {
  const Place far{region.corner.x + region.width - 1, region.corner.y + region.height - 1};
  if (region.width < 1 || region.height < 1) {
    throw ConfigError("--region: width and height must be at least 1");
  }
  const std::int64_t first = grid.pixel(region.corner, "--region");
  const std::int64_t last = grid.pixel(far, "--region");
  const std::int64_t width = grid.maps.width;
  return {.top = first / width,
          .left = first % width,
          .height = last / width - first / width + 1,
          .width = last % width - first % width + 1};
}

void add_regions(const CovarianceArguments& arguments, const PlaceGrid& grid, Weights& weights) {
  for (const Region& region : arguments.regions) {
    const PixelBox box = box_of(region, grid);
    const std::string place = fmt::format(
        "of region {},{},{},{}", region.corner.x, region.corner.y, region.width, region.height);
    weights.add("mean " + place, box_mean_weights(grid.maps, box));
    if (box.width < 2 || box.height < 2) continue;
    const at::Tensor slopes = plane_slope_weights(grid.maps, box);
    weights.add("slope along x " + place, slopes.narrow(0, 0, 1));
    weights.add("slope along y " + place, slopes.narrow(0, 1, 1));
  }
}

void add_differences(const CovarianceArguments& arguments,
                     const PlaceGrid& grid,
                     Weights& weights) {
  for (const Difference& difference : arguments.differences) {
    const Place& a = difference.first;
    const Place& b = difference.second;
    const std::pair pixels{grid.pixel(a, "--difference"), grid.pixel(b, "--difference")};
    weights.pixels[weights.names.size()] = pixels;
    weights.add(fmt::format("difference {},{} - {},{}", a.x, a.y, b.x, b.y),
                difference_weights(grid.maps, pixels.first, pixels.second));
  }
}

at::Tensor read_weights(const std::filesystem::path& path, const ImageSize& maps) {
  at::Tensor weights = read_npy(path);
  if (weights.dim() == 2) weights = weights.unsqueeze(0);
  const bool fits = weights.dim() == 3 && weights.size(0) > 0 && weights.size(1) == maps.height &&
                    weights.size(2) == maps.width;
  if (!fits || !weights.isfinite().all().item<bool>()) {
    throw IoError(path,
                  fmt::format("expected finite weights [{0},{1}] or [M,{0},{1}], the "
                              "size of the maps",
                              maps.height,
                              maps.width));
  }
  return weights.to(at::kDouble);
}

void add_files(const CovarianceArguments& arguments, const PlaceGrid& grid, Weights& weights) {
  for (const std::filesystem::path& path : arguments.functionals) {
    const at::Tensor read = read_weights(path, grid.maps);
    for (std::int64_t i = 0; i < read.size(0); ++i) {
      weights.add(fmt::format("{}[{}]", path.string(), i), read.narrow(0, i, 1));
    }
  }
}

}  // namespace

std::int64_t PlaceGrid::pixel(const Place& place, const std::string& flag) const {
  if (place.x >= image.width || place.y >= image.height) {
    throw ConfigError(fmt::format("{} {},{}: outside of the {}x{} pixels (x from 0 to {}, y to {})",
                                  flag,
                                  place.x,
                                  place.y,
                                  image.width,
                                  image.height,
                                  image.width - 1,
                                  image.height - 1));
  }
  return grid_pixel(place.y, place.x, image, maps);
}

bool Functionals::is_mean(std::size_t i) const {
  constexpr double kRounding = 1e-6;
  const at::Tensor own = weights[static_cast<std::int64_t>(i)];
  return std::abs(own.sum().item<double>() - 1.0) < kRounding;
}

Functionals evaluate_functionals(const StructuredGaussian& gaussian,
                                 const at::Tensor& variance,
                                 const CovarianceArguments& arguments,
                                 const PlaceGrid& grid) {
  Weights weights;
  add_regions(arguments, grid, weights);
  add_differences(arguments, grid, weights);
  add_files(arguments, grid, weights);
  if (weights.names.empty()) return {};
  Functionals result;
  result.names = std::move(weights.names);
  result.weights = at::cat(weights.maps);
  result.mean = functional_mean(gaussian, result.weights)[0];
  result.covariance = functional_covariance(gaussian, result.weights)[0];
  result.independent_std = result.weights.square().mul(variance).sum({1, 2}).sqrt();
  result.pairs.resize(result.names.size());
  const at::Tensor mean = gaussian.mean().to(at::kDouble).flatten();
  for (const auto& [i, pixels] : weights.pixels) {
    const auto n = static_cast<std::int64_t>(i);
    result.pairs[i] =
        pair_of(mean, variance.flatten(), pixels, result.covariance[n][n].reshape({1}));
  }
  return result;
}

}  // namespace supn
