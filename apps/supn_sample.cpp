// Draws samples of whole maps from a trained network.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>

#include "common/config_options.hpp"
#include "common/progress.hpp"
#include "common/run_app.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/inputs.hpp"
#include "sample/draw.hpp"
#include "sample/film.hpp"
#include "sample/options.hpp"
#include "sample/write.hpp"
#include "supn/errors.hpp"
#include "supn/gaussian/noise.hpp"
#include "supn/io/image.hpp"
#include "supn/network/gaussian_file.hpp"

namespace supn {
namespace {

// Noise that all images share has the seed of no image.
constexpr const char* kCommonNoise = "common noise";

const std::string& seed_id_of(const InputImage& image, NoiseSharing noise) {
  static const std::string common = kCommonNoise;
  return noise == NoiseSharing::kCommon ? common : image.seed_id;
}

void warn_of_failure(const InputImage& image, const SolveReport& report) {
  if (report.converged()) return;
  spdlog::warn(
      "{}: sampling failed: relative residual {:.3g} after {} sweeps, {} values are not finite; "
      "use --method exact",
      image.path.string(),
      report.relative_residual,
      report.iterations,
      report.non_finite);
}

void save(const StructuredGaussian& gaussian,
          const InputImage& image,
          const at::Tensor& rgb,
          const CalibrationFacts& calibration,
          const SampleArguments& arguments) {
  if (arguments.save_gaussian.empty()) return;
  write_gaussian(arguments.save_gaussian,
                 {gaussian, kLogitOfDisparity, image_metadata(image, rgb, calibration)},
                 arguments.gaussian_dtype == GaussianDtype::kFloat16 ? at::kHalf : at::kFloat);
}

// The image's file is read only where there is one: a Gaussian from a file needs none.
at::Tensor picture_of(const InputImage& image, const SampleArguments& arguments) {
  const bool known = arguments.source.gaussian.empty() || !arguments.image.empty();
  return known ? read_rgb(image.path) : at::Tensor();
}

void sample_image(GaussianSource& source,
                  const InputImage& image,
                  const SampleArguments& arguments) {
  const DrawOptions& options = arguments.draw;
  const at::Tensor rgb = picture_of(image, arguments);
  const ImageSize size = arguments.size == OutputSize::kImage && rgb.defined()
                             ? ImageSize{rgb.size(0), rgb.size(1)}
                             : source.size();
  const StructuredGaussian gaussian = source.predict(rgb, image.path.string());
  const std::string& seed_id = seed_id_of(image, arguments.noise);
  const DrawnMaps maps = draw(gaussian, image_seed(arguments.seed, seed_id), options, size);
  warn_of_failure(image, maps.report);
  save(gaussian, image, rgb, source.calibration(), arguments);
  const OutputPlace place = output_place(arguments.out, image);
  write_outputs(place,
                image,
                maps,
                options,
                {arguments.source, arguments.seed, seed_id, source.size(), source.calibration()});
  write_png(place.picture, sample_sheet(rgb, maps, options, source.calibration()));
}

// Before any work.
void check_outputs(const SampleArguments& arguments, const std::vector<InputImage>& images) {
  OutputGuard guard;
  for (const auto& input : {arguments.image, arguments.source.gaussian, arguments.config.file}) {
    guard.reads(input);
  }
  reads_checkpoint(guard, arguments.source.checkpoint);
  for (const InputImage& image : images) guard.reads(image.path);
  for (const InputImage& image : images) {
    const OutputPlace place = output_place(arguments.out, image);
    check_output_place(guard, place, kSampleFiles);
    check_output_file(guard, arguments.save_gaussian, place);
    check_output_file(guard, arguments.video, place);
  }
}

// Of a file's Gaussian: what the file says, with the picture that the call names.
InputImage image_of_file(const GaussianSource& source, const std::vector<InputImage>& pictures) {
  return source.image_for(pictures.empty() ? "" : pictures.front().path);
}

int run(const SampleArguments& arguments, const SharedOptions& shared) {
  std::optional<std::vector<InputImage>> images = input_images(arguments);
  if (!images) return 0;
  GaussianSource source(arguments.source, shared.device);
  source.require_logits("supn_sample");
  if (source.is_file()) images = {image_of_file(source, *images)};
  check_outputs(arguments, *images);
  if (images->size() == 1) {
    sample_image(source, images->front(), arguments);
    const std::filesystem::path folder = arguments.out / images->front().name;
    spdlog::info(
        "{}/ holds mean, std and {} samples, {}.png shows them; with measured depths: "
        "supn_condition --known points.csv",
        folder.string(),
        arguments.draw.count,
        folder.string());
    return 0;
  }
  Progress progress("samples", static_cast<std::int64_t>(images->size()));
  std::size_t skipped = 0;
  std::vector<InputImage> sampled;
  for (const InputImage& image : *images) {
    try {
      sample_image(source, image, arguments);
      sampled.push_back(image);
    } catch (const DiskFull&) {
      throw;  // the next one would not fit either
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
  if (!arguments.video.empty() && !sampled.empty()) {
    write_film(sampled, arguments);
    spdlog::info("{} shows {} images at {:g} a second; play it with: ffplay {}",
                 arguments.video.string(),
                 sampled.size(),
                 arguments.video_rate,
                 arguments.video.string());
  }
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
