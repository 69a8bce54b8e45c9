#include "covariance/write.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "supn/io/contact_sheet.hpp"
#include "supn/io/image.hpp"
#include "supn/io/marks.hpp"
#include "supn/io/resize.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

constexpr std::int64_t kColumns = 3;

Json depth_json(const std::optional<DepthInterval>& depth, const std::optional<double>& scale) {
  if (!depth) return nullptr;
  return {{"median", depth->median},
          {"low_5", depth->low},
          {"high_95", depth->high},
          {"unit", depth_unit(scale)}};
}

Json pixels_json(const CovarianceMaps& maps, const CovarianceArguments& arguments) {
  Json pixels = Json::array();
  for (std::size_t i = 0; i < maps.pixels.size(); ++i) {
    const std::int64_t pixel = maps.pixels[i];
    const auto n = static_cast<std::int64_t>(i);
    const double variance = maps.covariance[n].reshape({-1})[pixel].item<double>();
    const double mean = maps.pixel_mean[n].item<double>();
    pixels.push_back({{"x", arguments.pixels[i].x},
                      {"y", arguments.pixels[i].y},
                      {"map_x", pixel % maps.size.width},
                      {"map_y", pixel / maps.size.width},
                      {"mean", mean},
                      {"variance", variance},
                      {"std", std::sqrt(variance)},
                      {"depth",
                       depth_json(depth_of(maps, mean, std::sqrt(variance), arguments.scale),
                                  arguments.scale)}});
  }
  return pixels;
}

Json functionals_json(const CovarianceMaps& maps, const std::optional<double>& scale) {
  const Functionals& functionals = maps.functionals;
  Json list = Json::array();
  for (std::size_t i = 0; i < functionals.names.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i);
    const double mean = functionals.mean[n].item<double>();
    const double std = std::sqrt(functionals.covariance[n][n].item<double>());
    Json entry = {{"name", functionals.names[i]},
                  {"mean", mean},
                  {"std", std},
                  {"std_if_independent", functionals.independent_std[n].item<double>()},
                  {"unit", functional_unit(maps, i)}};
    if (const auto depth = depth_of_functional(maps, i, scale)) {
      entry["depth"] = depth_json(depth, scale);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string info(const CovarianceMaps& maps,
                 const InputImage& image,
                 const CovarianceArguments& arguments) {
  const std::string unit = unit_of(maps);
  Json json;
  json["image"] = image.path.string();
  json["checkpoint"] = arguments.source.checkpoint.string();
  json["gaussian"] = arguments.source.gaussian.string();
  json["quantity"] = maps.quantity;
  json["unit"] = unit;
  json["unit_of_covariance"] = unit + "^2";
  json["unit_of_correlation_length"] = "pixels of the maps";
  json["scale"] = arguments.scale ? Json(*arguments.scale) : Json(nullptr);
  json["depth"] =
      "median, 5 % and 95 % quantiles; of a mean: of the depth at it; of a difference: of the "
      "first "
      "pixel's depth minus the second's";
  json["calibration"] = maps.calibration.on;
  json["calibration_text"] = maps.calibration.text;
  json["height"] = maps.size.height;
  json["width"] = maps.size.width;
  json["algorithm"] = "exact substitution and sliding window, float64";
  json["relative_residual"] = maps.pixels.empty() ? Json(nullptr) : Json(maps.relative_residual);
  json["seed"] = arguments.seed;
  json["seed_id"] = image.seed_id;
  json["std_samples"] = maps.sample_std.defined() ? Json(kStdSamples) : Json(nullptr);
  json["pixels"] = pixels_json(maps, arguments);
  json["functionals"] = functionals_json(maps, arguments.scale);
  return json_text(json, 2) + '\n';
}

void write_map(const std::filesystem::path& path, const at::Tensor& map) {
  if (map.defined()) write_npy(path, map.to(at::kFloat));
}

at::Tensor white(const ImageSize& size) {
  return at::full({size.height, size.width, 3}, 255, at::kByte);
}

Panel blank(const ImageSize& size) { return {"", white(size), {}}; }

Panel image_panel(const CovarianceMaps& maps, const at::Tensor& rgb) {
  if (!rgb.defined()) return {"no image", white(maps.size), {}};
  return {"image", resize_lanczos(rgb, maps.size), {}};
}

// Returns a red-blue bar of the values' signed root, as small covariances carry the structure.
ColourBar signed_bar(double largest, const std::string& unit) {
  return {{-largest, largest, ColourScaling::kSignedRoot}, ColourMap::kRedBlue, unit};
}

void add_pixels(std::vector<Panel>& panels, const CovarianceMaps& maps, const at::Tensor& rgb) {
  for (std::size_t i = 0; i < maps.pixels.size(); ++i) {
    const std::int64_t pixel = maps.pixels[i];
    const auto row = static_cast<std::int64_t>(i);
    const std::string place =
        fmt::format("of pixel {},{}", pixel % maps.size.width, pixel / maps.size.width);
    const auto with_mark = [&](Panel panel) {
      panel.rgb = with_ring(panel.rgb, pixel);
      return panel;
    };
    const double largest = symmetric_range(maps.covariance[row], 100.0).high;
    panels.push_back(with_mark(image_panel(maps, rgb)));
    panels.push_back(with_mark(map_panel(
        "covariance " + place, maps.covariance[row], signed_bar(largest, unit_of(maps) + "^2"))));
    panels.push_back(
        with_mark(map_panel("correlation " + place, maps.correlation[row], signed_bar(1.0, ""))));
  }
}

void add_marginals(std::vector<Panel>& panels, const CovarianceMaps& maps) {
  if (!maps.sample_std.defined()) return;
  ColourBar bar{percentile_range(maps.marginal_std, 0.0, 98.0), ColourMap::kViridis, unit_of(maps)};
  bar.range.low = 0.0;
  panels.push_back(map_panel("exact std, " + maps.calibration.caption(), maps.marginal_std, bar));
  panels.push_back(map_panel(fmt::format("std of {} samples", kStdSamples), maps.sample_std, bar));
  const ColourBar ratio{{0.0, 2.0}, ColourMap::kRedBlue, ""};
  panels.push_back(
      map_panel("samples' std / exact std", maps.sample_std.div(maps.marginal_std), ratio));
}

void add_lengths(std::vector<Panel>& panels, const CovarianceMaps& maps) {
  if (!maps.lengths) return;
  const at::Tensor rows = maps.lengths->along_rows[0][0];
  const at::Tensor columns = maps.lengths->along_columns[0][0];
  ColourBar bar{
      percentile_range(at::stack({rows, columns}), 0.0, 98.0), ColourMap::kViridis, "pixels"};
  bar.range.low = 0.0;
  panels.push_back(map_panel("correlation length along rows", rows, bar));
  panels.push_back(map_panel("correlation length along columns", columns, bar));
  panels.push_back(blank(maps.size));
}

}  // namespace

std::string unit_of(const CovarianceMaps& maps) {
  return maps.quantity == kLogitOfDisparity ? "logit" : maps.quantity;
}

std::string functional_unit(const CovarianceMaps& maps, std::size_t i) {
  const bool is_slope = maps.functionals.names[i].starts_with("slope ");
  return unit_of(maps) + (is_slope ? " per pixel of the maps" : "");
}

std::string depth_unit(const std::optional<double>& scale) { return scale ? "m" : "relative"; }

std::optional<DepthInterval> depth_of(const CovarianceMaps& maps,
                                      double mean,
                                      double std,
                                      const std::optional<double>& scale) {
  if (maps.quantity != kLogitOfDisparity) return std::nullopt;
  return depth_interval(mean, std, scale.value_or(1.0), DepthRange());
}

std::optional<DepthInterval> depth_of_functional(const CovarianceMaps& maps,
                                                 std::size_t i,
                                                 const std::optional<double>& scale) {
  if (maps.quantity != kLogitOfDisparity) return std::nullopt;
  const Functionals& functionals = maps.functionals;
  if (const auto& pair = functionals.pairs[i]) {
    return depth_difference_interval(*pair, scale.value_or(1.0), DepthRange());
  }
  if (!functionals.is_mean(i)) return std::nullopt;
  const auto n = static_cast<std::int64_t>(i);
  return depth_of(maps,
                  functionals.mean[n].item<double>(),
                  std::sqrt(functionals.covariance[n][n].item<double>()),
                  scale);
}

void write_covariance(const CovarianceMaps& maps,
                      const InputImage& image,
                      const at::Tensor& rgb,
                      const CovarianceArguments& arguments) {
  const OutputPlace place = output_place(arguments.out, image);
  AtomicDirectory folder(place.folder, kCovarianceFiles);
  const std::filesystem::path& path = folder.path();
  write_map(path / "covariance.npy", maps.covariance);
  write_map(path / "correlation.npy", maps.correlation);
  if (arguments.marginals == Extra::kAdd) {
    write_map(path / "marginal_std.npy", maps.marginal_std);
    write_map(path / "sample_std.npy", maps.sample_std);
  }
  if (maps.lengths) {
    write_map(path / "correlation_length_rows.npy", maps.lengths->along_rows[0][0]);
    write_map(path / "correlation_length_columns.npy", maps.lengths->along_columns[0][0]);
  }
  if (!maps.functionals.empty()) write_npy(path / "functionals.npy", maps.functionals.covariance);
  write_file_atomically(path / "info.json", info(maps, image, arguments));
  folder.commit();

  std::vector<Panel> panels;
  add_pixels(panels, maps, rgb);
  add_marginals(panels, maps);
  add_lengths(panels, maps);
  if (panels.empty()) return;  // functionals alone are numbers
  write_png(place.picture, contact_sheet(panels, kColumns));
}

}  // namespace supn
