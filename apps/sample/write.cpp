#include "sample/write.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "inference/map_colours.hpp"
#include "supn/io/contact_sheet.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/resize.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

constexpr std::int64_t kColumns = 3;
constexpr std::int64_t kDepthColumns = 4;  // one more, for the std as a share of the depth

std::string info(const InputImage& image,
                 const DrawnMaps& maps,
                 const DrawOptions& options,
                 const RunFacts& facts) {
  Json json;
  const OutputQuantity& output = options.output;
  json["image"] = image.path.string();
  json["checkpoint"] = facts.source.checkpoint.string();
  json["gaussian"] = facts.source.gaussian.string();
  json["quantity"] = option_name(output.quantity);
  json["unit"] = unit_of(output);
  json["scale"] = nullptr;
  if (in_metres(output)) json["scale"] = *output.scale;
  json["height"] = maps.mean.size(0);
  json["width"] = maps.mean.size(1);
  json["network_height"] = facts.input_size.height;
  json["network_width"] = facts.input_size.width;
  json["calibration"] = facts.calibration.on;
  json["calibration_text"] = facts.calibration.text;
  json["samples"] = options.count;
  json["std_samples"] = std::max(options.count, options.std_samples);
  json["seed"] = facts.seed;
  json["seed_id"] = facts.seed_id;
  json["method"] = option_name(options.method);
  json["iterations"] = maps.report.iterations;
  // JSON has no infinity: null where values are not finite.
  json["relative_residual"] = maps.report.relative_residual;
  json["non_finite"] = maps.report.non_finite;
  json["converged"] = maps.report.converged();
  return json_text(json, 2) + '\n';
}

std::string sample_name(std::int64_t index) {
  const std::string digits = std::to_string(index);
  return "sample_" + std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

void write_depth_pictures(const std::filesystem::path& folder, const DrawnMaps& maps) {
  write_depth_png(folder / "mean.png", maps.mean);
  for (std::int64_t s = 0; s < maps.samples.size(0); ++s) {
    write_depth_png(folder / (sample_name(s) + ".png"), maps.samples[s]);
  }
}

Panel blank(const ImageSize& size) {
  return {"", at::full({size.height, size.width, 3}, 255, at::kByte), {}};
}

// White where there is no image, so that the columns below stay in line.
Panel image_panel(const at::Tensor& rgb, const ImageSize& size) {
  if (rgb.defined()) return {"image", resize_lanczos(rgb, size), {}};
  Panel white = blank(size);
  white.title = "no image";
  return white;
}

}  // namespace

void write_outputs(const OutputPlace& place,
                   const InputImage& image,
                   const DrawnMaps& maps,
                   const DrawOptions& options,
                   const RunFacts& facts) {
  AtomicDirectory folder(place.folder, kSampleFiles);
  write_npy(folder.path() / "mean.npy", maps.mean);
  write_npy(folder.path() / "std.npy", maps.std);
  write_npy(folder.path() / "samples.npy", maps.samples);
  if (in_metres(options.output) && facts.pictures == Pictures::kAll) {
    write_depth_pictures(folder.path(), maps);
  }
  write_file_atomically(folder.path() / "info.json", info(image, maps, options, facts));
  folder.commit();
}

at::Tensor sample_sheet(const at::Tensor& rgb,
                        const DrawnMaps& maps,
                        const DrawOptions& options,
                        const CalibrationFacts& calibration) {
  const OutputQuantity& output = options.output;
  const bool is_depth = output.quantity == Quantity::kDepth;
  const std::int64_t columns = is_depth ? kDepthColumns : kColumns;
  const std::int64_t shown = std::min(2 * columns, maps.samples.size(0));
  const at::Tensor samples = maps.samples.narrow(0, 0, shown);
  const ColourBar values = value_bar(at::cat({maps.mean.unsqueeze(0), samples}), output);
  std::vector<Panel> panels;
  panels.push_back(image_panel(rgb, {maps.mean.size(0), maps.mean.size(1)}));
  panels.push_back(
      map_panel("mean " + std::string(option_name(output.quantity)), maps.mean, values));
  panels.push_back(map_panel(
      "std, " + calibration.caption(), maps.std, spread_bar(maps.std, maps.mean, output)));
  if (is_depth) {
    const at::Tensor share = relative_to_depth(maps.std, maps.mean, output);
    panels.push_back(map_panel("std / depth", share, relative_spread_bar(share, output)));
  }
  const at::Tensor deviations = relative_to_depth(samples - maps.mean, maps.mean, output);
  const std::string deviation = is_depth ? " - mean, / depth" : " - mean";
  const ColourBar signed_bar{
      symmetric_range(deviations, 99.0), ColourMap::kRedBlue, relative_unit(output)};
  for (std::int64_t first = 0; first < shown; first += columns) {
    const std::int64_t end = std::min(first + columns, shown);
    for (std::int64_t s = first; s < end; ++s) {
      panels.push_back(map_panel("sample " + std::to_string(s), maps.samples[s], values));
    }
    if (end - first < columns && first > 0) break;  // deviations below would be out of line
    for (std::int64_t s = end; s < first + columns && first == 0; ++s) {
      panels.push_back(blank({maps.mean.size(0), maps.mean.size(1)}));
    }
    for (std::int64_t s = first; s < end; ++s) {
      panels.push_back(
          map_panel("sample " + std::to_string(s) + deviation, deviations[s], signed_bar));
    }
  }
  return contact_sheet(panels, columns);
}

}  // namespace supn
