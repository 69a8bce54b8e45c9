// Draws samples of whole maps from a trained network.
#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/memory_reuse.hpp"
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

void warn_of_failure(const InputImage& image, const SolveReport& report, SampleMethod method) {
  if (report.converged()) return;
  spdlog::warn(
      "{}: sampling failed: relative residual {:.3g} after {} sweeps, {} values are not finite; {}",
      image.path.empty() ? image.name : image.path.string(),
      report.relative_residual,
      report.iterations,
      report.non_finite,
      method == SampleMethod::kJacobi ? "use --method exact"
                                      : "the Gaussian's maps are not finite or too large");
}

void save(const StructuredGaussian& gaussian,
          const GaussianSource& source,
          const InputImage& image,
          const at::Tensor& rgb,
          const SampleArguments& arguments) {
  if (arguments.save_gaussian.empty()) return;
  write_gaussian(arguments.save_gaussian,
                 {gaussian,
                  source.quantity(),
                  image_metadata(image, source.image_size(rgb), source.calibration())},
                 arguments.gaussian_dtype == GaussianDtype::kFloat16 ? at::kHalf : at::kFloat);
}

// The image's file is read only where there is one: a Gaussian from a file needs none.
at::Tensor picture_of(const InputImage& image, const SampleArguments& arguments) {
  const bool known = arguments.source.gaussian.empty() || !arguments.image.empty();
  return known ? read_rgb(image.path) : at::Tensor();
}

void sample_image(const GaussianSource& source,
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
  warn_of_failure(image, maps.report, options.method);
  save(gaussian, source, image, rgb, arguments);
  const OutputPlace place = output_place(arguments.out, image);
  write_outputs(place,
                image,
                maps,
                options,
                {arguments.source,
                 arguments.seed,
                 seed_id,
                 source.size(),
                 source.calibration(),
                 arguments.pictures});
  if (arguments.pictures == Pictures::kAll) {
    write_png(place.picture, sample_sheet(rgb, maps, options, source.calibration()));
  } else {
    remove_picture(place);
  }
}

// Checks the outputs before any work.
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

// Returns what the file says of its Gaussian's image, with the picture that the call names.
InputImage image_of_file(const GaussianSource& source, const std::vector<InputImage>& pictures) {
  return source.image_for(pictures.empty() ? "" : pictures.front().path);
}

// Images that are worked on side by side: what they hold at once stays below 2 GB.
std::int64_t images_at_once(const GaussianSource& source, const DrawOptions& options) {
  const ImageSize& size = source.size();
  const std::int64_t maps = 4 * std::max(options.count, options.std_samples) + 64;
  const std::int64_t bytes = maps * size.height * size.width * std::int64_t{sizeof(float)};
  const std::int64_t fitting = std::max<std::int64_t>(1, (std::int64_t{2} << 30) / bytes);
  return std::min<std::int64_t>(at::get_num_threads(), fitting);
}

// Side by side on the CPU, each by one thread, unless in turn: the files are the same.
// Returns the images that could be read.
std::vector<InputImage> sample_images(const GaussianSource& source,
                                      const std::vector<InputImage>& images,
                                      const SampleArguments& arguments) {
  const auto count = static_cast<std::int64_t>(images.size());
  Progress progress("samples", count);
  std::mutex reporting;
  std::vector<char> done(images.size(), 0);
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto index = static_cast<std::size_t>(i);
      try {
        sample_image(source, images[index], arguments);
        done[index] = 1;
      } catch (const DiskFull&) {
        throw;  // the next one would not fit either
      } catch (const IoError& error) {
        spdlog::error("skipped {}", error.what());
      }
      const std::lock_guard lock(reporting);
      progress.advance();
    }
  };
  const bool in_turn = arguments.order == Order::kInTurn || !source.on_cpu();
  const std::int64_t at_once = in_turn ? 1 : images_at_once(source, arguments.draw);
  if (at_once == 1) {
    work(0, count);
  } else {
    at::parallel_for(0, count, (count + at_once - 1) / at_once, work);
  }
  progress.finish();
  std::vector<InputImage> sampled;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (done[i] != 0) sampled.push_back(images[i]);
  }
  return sampled;
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
    const bool is_shown = arguments.pictures == Pictures::kAll;
    spdlog::info(
        "{}/ holds mean, std and {} samples{}; with measured depths: "
        "supn_condition --known points.csv",
        folder.string(),
        arguments.draw.count,
        is_shown ? ", " + folder.string() + ".png shows them" : "");
    return 0;
  }
  const std::vector<InputImage> sampled = sample_images(source, *images, arguments);
  const std::size_t skipped = images->size() - sampled.size();
  spdlog::info(
      "{} images sampled, {} skipped, in {}", sampled.size(), skipped, arguments.out.string());
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
  supn::keep_freed_memory();
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
