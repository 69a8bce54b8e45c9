#include "training/records/pictures.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "supn/evaluation/scores/spread.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/io/colour_map.hpp"

namespace supn {
namespace {

constexpr double kLowPercent = 1.0;
constexpr double kHighPercent = 99.0;

at::Tensor coloured(const at::Tensor& map, ColourMap colours) {
  return colourise(map, percentile_range(map, kLowPercent, kHighPercent), colours);
}

at::Tensor input_rgb(const at::Tensor& image) {
  return image.mul(255.0).round().to(at::kByte).permute({1, 2, 0}).contiguous();
}

at::Tensor truth_rgb(const at::Tensor& depth_m) {
  const at::Tensor known = depth_m > 0.0;
  const at::Tensor nearness = at::where(known, 1.0 / depth_m, at::zeros_like(depth_m));
  const ColourRange range =
      percentile_range(nearness.masked_select(known), kLowPercent, kHighPercent);
  return colourise(nearness, range, ColourMap::kMagma);
}

void add_spread(std::vector<Picture>& pictures,
                const StructuredGaussian& gaussian,
                const ColourRange& range,
                const PictureOptions& options,
                const std::string& name) {
  const std::vector<std::uint64_t> seeds{
      image_seed(static_cast<std::uint64_t>(options.seed), name)};
  const at::Tensor samples =
      sample(gaussian, seeds, {.range = {.first = 0, .count = options.samples}}).values[0];
  pictures.push_back({"std", coloured(marginal_std(samples), ColourMap::kViridis)});
  pictures.push_back({"sample", colourise(samples[0].sigmoid(), range, ColourMap::kMagma)});
}

}  // namespace

std::vector<Picture> pictures_of(SupnNetwork& network,
                                 const Example& example,
                                 const PictureOptions& options) {
  const at::NoGradGuard no_grad;
  network->eval();
  const at::Tensor image = example.image.unsqueeze(0).to(network->parameters().front().device());
  std::vector<Picture> pictures{{"input", input_rgb(example.image)}};
  std::vector<StructuredGaussian> gaussians;
  at::Tensor mean;
  if (options.stage == Stage::kWarmUp) {
    mean = network->means(image).front().cpu();
  } else {
    gaussians.push_back(network->forward(image).front().to(at::kCPU));
    mean = gaussians.front().mean();
  }
  const at::Tensor sigmoid = mean[0][0].sigmoid();
  const ColourRange range = percentile_range(sigmoid, kLowPercent, kHighPercent);
  pictures.push_back({"mean", colourise(sigmoid, range, ColourMap::kMagma)});
  if (!gaussians.empty()) {
    add_spread(pictures, gaussians.front(), range, options, example.frame.id());
  }
  if (example.depth_m.defined()) pictures.push_back({"truth", truth_rgb(example.depth_m)});
  return pictures;
}

}  // namespace supn
