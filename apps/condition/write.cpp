#include "condition/write.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string>
#include <vector>

#include "condition/info.hpp"
#include "inference/map_colours.hpp"
#include "supn/io/contact_sheet.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/io/marks.hpp"
#include "supn/io/resize.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

constexpr std::int64_t kColumns = 3;

// The maps are in the quantity asked for; std is undefined without a variance.
struct WrittenMaps {
  at::Tensor mean;
  at::Tensor std;
};

ImageSize size_of(const at::Tensor& map) { return {map.size(-2), map.size(-1)}; }

WrittenMaps written(const LogitMarginals& marginals, const OutputQuantity& output) {
  return {to_quantity(marginals.mean.unsqueeze(0), output, size_of(marginals.mean))[0],
          marginals.variance.defined() ? exact_std(marginals, output) : at::Tensor()};
}

// Returns which of the `to` pixels along a side is in the middle of pixel `place` of `from`.
std::int64_t middle_pixel(std::int64_t place, std::int64_t from, std::int64_t to) {
  return (2 * place + 1) * to / (2 * from);
}

// Lists for --known of another call what was known, one line each, and, as comments, what was
// gated. x and y count the pixels that --known counts in such a call: of the image `size`, where
// there is one, else of the maps. A pixel of the maps is named by the image's pixel in its middle,
// which falls on it again.
std::string known_csv(const ConditionedImage& result, const ImageSize& size) {
  const ImageSize maps{result.prior.mean.size(0), result.prior.mean.size(1)};
  std::string csv = fmt::format(
      "# x and y count pixels from 0, of {}x{}; one point for each pixel of the "
      "maps\nx,y,depth_m{}\n",
      size.width,
      size.height,
      result.known.std_m.defined() ? ",std_m" : "");
  const auto add = [&](const DepthMeasurements& points, const char* mark) {
    const at::Tensor pixels = points.pixels.contiguous();
    const at::Tensor depth_m = points.depth_m.contiguous();
    const std::int64_t* pixel = pixels.const_data_ptr<std::int64_t>();
    const double* depth = depth_m.const_data_ptr<double>();
    for (std::int64_t i = 0; i < points.count(); ++i) {
      const std::string own_std =
          points.std_m.defined() ? fmt::format(",{:.9g}", points.std_m[i].item<double>()) : "";
      csv += fmt::format("{}{},{},{:.9g}{}\n",
                         mark,
                         middle_pixel(pixel[i] % maps.width, maps.width, size.width),
                         middle_pixel(pixel[i] / maps.width, maps.height, size.height),
                         depth[i],
                         own_std);
    }
  };
  add(result.known, "");
  add(result.gated, "# gated: ");
  return csv;
}

void write_map(const std::filesystem::path& path, const at::Tensor& map) {
  if (map.defined()) write_npy(path, map.to(at::kFloat));
}

// The points in the colours of the prior's mean beside it; gated ones are magenta.
Panel points_panel(const ConditionedImage& result,
                   const at::Tensor& rgb,
                   const ColourBar& bar,
                   const OutputQuantity& output) {
  const ImageSize size = size_of(result.prior.mean);
  const at::Tensor base = rgb.defined() ? resize_lanczos(rgb, size)
                                        : at::full({size.height, size.width, 3}, 255, at::kByte);
  at::Tensor picture = base.to(at::kDouble).mul(0.5).add(127.0).to(at::kByte);
  const std::int64_t radius = result.known.count() > 2000 ? 0 : 2;
  if (result.known.count() > 0) {
    const at::Tensor logits =
        logit_from_depth(result.known.depth_m, result.scale.scale, DepthRange());
    const at::Tensor values =
        to_quantity(logits.view({1, 1, -1}), output, {1, result.known.count()})[0];
    const at::Tensor colours = colourise(values, bar.range, bar.colours).view({-1, 3});
    picture = with_dots(picture, result.known.pixels, colours, radius);
  }
  if (result.gated.count() > 0) {
    const at::Tensor magenta = at::tensor({255, 0, 255}, at::kByte).view({1, 3});
    picture = with_dots(picture, result.gated.pixels, magenta, radius);
  }
  return {fmt::format("{} known points, {} gated", result.known.count(), result.gated.count()),
          picture,
          bar};
}

at::Tensor sheet(const ConditionedImage& result,
                 const at::Tensor& rgb,
                 const WrittenMaps& prior,
                 const WrittenMaps& posterior,
                 const OutputQuantity& output,
                 const std::string& calibration) {
  const ColourBar values = value_bar(prior.mean, output);
  const at::Tensor prior_std = relative_to_depth(prior.std, prior.mean, output);
  const ColourBar spread = relative_spread_bar(prior_std, output);
  const ImageSize size = size_of(prior.mean);
  std::vector<Panel> panels;
  panels.push_back(
      rgb.defined()
          ? Panel{"image", resize_lanczos(rgb, size), {}}
          : Panel{"no image", at::full({size.height, size.width, 3}, 255, at::kByte), {}});
  panels.push_back(map_panel("prior mean", prior.mean, values));
  panels.push_back(map_panel("prior std, " + calibration, prior_std, spread));
  panels.push_back(points_panel(result, rgb, values, output));
  panels.push_back(map_panel("posterior mean", posterior.mean, values));
  if (posterior.std.defined()) {
    panels.push_back(map_panel("posterior std, " + calibration,
                               relative_to_depth(posterior.std, posterior.mean, output),
                               spread));
  }
  const std::int64_t shown = std::min(kColumns, result.samples.size(0));
  const at::Tensor samples = to_quantity(result.samples.narrow(0, 0, shown), output, size);
  for (std::int64_t s = 0; s < shown && posterior.std.defined(); ++s) {
    panels.push_back(map_panel("posterior sample " + std::to_string(s), samples[s], values));
  }
  return contact_sheet(panels, kColumns);
}

void write_samples(const std::filesystem::path& folder,
                   const ConditionedImage& result,
                   const at::Tensor& mean,
                   const OutputQuantity& output) {
  const at::Tensor samples = to_quantity(result.samples, output, size_of(mean)).to(at::kFloat);
  write_npy(folder / "samples.npy", samples);
  if (!in_metres(output)) return;
  write_depth_png(folder / "mean.png", mean.to(at::kFloat));
  for (std::int64_t s = 0; s < samples.size(0); ++s) {
    write_depth_png(folder / fmt::format("sample_{:04}.png", s), samples[s]);
  }
}

}  // namespace

void write_conditioned(const ConditionedImage& result,
                       const InputImage& image,
                       const at::Tensor& rgb,
                       const ConditionArguments& arguments,
                       const CalibrationFacts& calibration) {
  const OutputQuantity output{arguments.quantity, result.scale.scale};
  const ImageSize points =
      rgb.defined() ? ImageSize{rgb.size(0), rgb.size(1)} : size_of(result.prior.mean);
  const WrittenMaps prior = written(result.prior, output);
  const WrittenMaps posterior = written(result.posterior, output);
  const OutputPlace place = output_place(arguments.out, image);
  AtomicDirectory folder(place.folder, kConditionFiles);
  write_map(folder.path() / "prior_mean.npy", prior.mean);
  write_map(folder.path() / "prior_std.npy", prior.std);
  write_map(folder.path() / "mean.npy", posterior.mean);
  write_map(folder.path() / "std.npy", posterior.std);
  write_samples(folder.path(), result, posterior.mean, output);
  write_file_atomically(folder.path() / "known.csv", known_csv(result, points));
  write_file_atomically(folder.path() / "info.json",
                        condition_info(result, image, arguments, calibration));
  folder.commit();
  write_png(place.picture, sheet(result, rgb, prior, posterior, output, calibration.caption()));
}

}  // namespace supn
