#include "data/synth.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>

#include "common/choice_option.hpp"
#include "common/progress.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

ImageSize parse_size(const std::string& text) {
  ImageSize size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%5ldx%5ld%c", &size.width, &size.height, &rest) != 2 ||
      std::min(size.width, size.height) < 16 || std::max(size.width, size.height) > 4096) {
    throw ConfigError(
        "--size: expected WIDTHxHEIGHT with both in 16 ... 4096, such as 320x96, "
        "got '" +
        text + "'");
  }
  return size;
}

}  // namespace

void declare_synth(CLI::App& options, SynthArguments& arguments) {
  SyntheticSetOptions& set = arguments.set;
  options.option_defaults()->always_capture_default();
  options.add_option("--out", arguments.out, "folder to write the set to")
      ->type_name("DIR")
      ->required();
  options.add_option("--seed", set.seed, "another seed is another world");
  options.add_option("--train", set.train, "training images")->check(CLI::Range(0, 1000000));
  options.add_option("--val", set.val, "validation images")->check(CLI::Range(0, 1000000));
  options.add_option("--test", set.test, "test images")->check(CLI::Range(0, 1000000));
  options.add_option("--size", arguments.size, "WIDTHxHEIGHT of the members' maps, pixels");
  options.add_option("--image-factor", set.image_factor, "images this many times larger")
      ->check(CLI::Range(1, 8));
  options.add_option("--members", set.members, "members of the ensemble, S")
      ->check(CLI::Range(1, 1024));
  add_choice(options,
             "--field",
             set.field,
             "form of the members' covariance: factor, a sparse factor of radius 2; or kernel, "
             "white noise smoothed by a kernel, which no sparse factor gives");
}

int synthesize(SynthArguments arguments) {
  SyntheticSetOptions& set = arguments.set;
  set.size = parse_size(arguments.size);
  if (set.images() == 0) throw ConfigError("--train, --val, --test: expected at least one image");
  if (std::max(set.size.width, set.size.height) * set.image_factor > 4096) {
    throw ConfigError("--image-factor: images may have up to 4096 pixels a side; lower it");
  }
  Progress progress("road scenes", set.images());
  const SyntheticSetReport report =
      write_synthetic_set(arguments.out, set, [&] { progress.advance(); });
  progress.finish();
  spdlog::info(
      "{} images with {} members each in {}", set.images(), set.members, arguments.out.string());
  if (report.log_prob_per_pixel) {
    spdlog::info(
        "log-likelihood of the members under the Gaussian that they are drawn from: "
        "{:.3f} nats per pixel and sample (val and test), the optimum",
        *report.log_prob_per_pixel);
  }
  return 0;
}

}  // namespace supn
