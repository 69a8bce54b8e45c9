// Draws samples of whole maps from a trained network.
#include <spdlog/spdlog.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "common/config_options.hpp"
#include "common/progress.hpp"
#include "common/run_app.hpp"
#include "sample/draw.hpp"
#include "sample/inputs.hpp"
#include "sample/options.hpp"
#include "sample/write.hpp"
#include "supn/errors.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/image.hpp"

namespace supn {
namespace {

void sample_image(Sampler& sampler, const InputImage& image, const SampleArguments& arguments) {
  const DrawOptions& options = arguments.draw;
  const at::Tensor rgb = read_rgb(image.path);
  const ImageSize size = arguments.size == OutputSize::kImage ? ImageSize{rgb.size(0), rgb.size(1)}
                                                              : sampler.input_size();
  const DrawnMaps maps =
      draw(sampler.predict(rgb), image_seed(arguments.seed, image.seed_id), options, size);
  if (!maps.report.converged()) {
    spdlog::warn(
        "{}: sampling failed: relative residual {:.3g} after {} sweeps, {} values are not finite; "
        "use --method exact",
        image.path.string(),
        maps.report.relative_residual,
        maps.report.iterations,
        maps.report.non_finite);
  }
  write_outputs(arguments.out,
                image,
                maps,
                options,
                {arguments.checkpoint, arguments.seed, sampler.input_size()});
  write_png(arguments.out / (image.name + ".png"), sample_sheet(rgb, maps, options));
}

int run(const SampleArguments& arguments, const SharedOptions& shared) {
  const std::optional<std::vector<InputImage>> images = input_images(arguments);
  if (!images) return 0;
  Sampler sampler(load_network(arguments.checkpoint), shared.device);
  if (images->size() == 1) {
    sample_image(sampler, images->front(), arguments);
    return 0;
  }
  Progress progress("samples", static_cast<std::int64_t>(images->size()));
  std::size_t skipped = 0;
  for (const InputImage& image : *images) {
    try {
      sample_image(sampler, image, arguments);
    } catch (const IoError& error) {
      ++skipped;
      spdlog::error("skipped {}", error.what());
    }
    progress.advance();
  }
  progress.finish();
  spdlog::info("{} images sampled, {} skipped, in {}",
               images->size() - skipped,
               skipped,
               arguments.out.string());
  return skipped == 0 ? 0 : 1;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::SampleArguments arguments;
  return supn::run_app(
      {.name = "supn_sample",
       .summary = "Draws samples of whole maps: mean, standard deviation and samples as arrays, "
                  "and a picture of them, for each image.",
       .example = "supn_sample --checkpoint runs/kitti/best --image photo.jpg --count 8 "
                  "--quantity depth --scale 5.4 --out samples"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare_sample_options(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
