#include "covariance/options.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/option_effect.hpp"
#include "inference/quantity.hpp"
#include "supn/errors.hpp"
#include "supn/parse_number.hpp"

namespace supn {
namespace {

// "3,5,10": whole numbers >= 0.
template <std::size_t Count>
std::array<std::int64_t, Count> numbers(const std::string& flag,
                                        const std::string& text,
                                        const std::string& form) {
  std::array<std::int64_t, Count> values{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < Count; ++i) {
    const std::size_t comma = i + 1 == Count ? rest.size() : std::min(rest.find(','), rest.size());
    const auto number = parse_number<std::int64_t>(rest.substr(0, comma));
    const bool ends_well = i + 1 == Count || comma < rest.size();
    if (!number || !ends_well || number.value < 0) {
      throw CLI::ValidationError(flag, "expected " + form + ", whole numbers, got '" + text + "'");
    }
    values[i] = number.value;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return values;
}

// An option that may be repeated; each value is read by `take`.
template <class Take>
void add_repeated(CLI::App& options,
                  const std::string& flag,
                  const std::string& form,
                  const std::string& doc,
                  const Take& take) {
  options
      .add_option_function<std::vector<std::string>>(
          flag,
          [take](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) take(text);
          },
          doc + "; may be repeated")
      ->type_name(form)
      ->take_all()
      ->allow_extra_args(false)
      ->always_capture_default(false);
}

void declare_places(CLI::App& options, CovarianceArguments& arguments) {
  add_repeated(options,
               "--pixel",
               "X,Y",
               "covariance and correlation of this pixel with all others",
               [&arguments](const std::string& text) {
                 const auto n = numbers<2>("--pixel", text, "X,Y");
                 arguments.pixels.push_back({n[0], n[1]});
               });
  add_repeated(options,
               "--region",
               "X,Y,WIDTH,HEIGHT",
               "mean over a box and slopes of the plane that fits it, with exact std",
               [&arguments](const std::string& text) {
                 const auto n = numbers<4>("--region", text, "X,Y,WIDTH,HEIGHT");
                 arguments.regions.push_back({{n[0], n[1]}, n[2], n[3]});
               });
  add_repeated(options,
               "--difference",
               "X1,Y1,X2,Y2",
               "value of the first pixel minus that of the second, with exact std",
               [&arguments](const std::string& text) {
                 const auto n = numbers<4>("--difference", text, "X1,Y1,X2,Y2");
                 arguments.differences.push_back({{n[0], n[1]}, {n[2], n[3]}});
               });
  add_repeated(options,
               "--functional",
               "NPY",
               "weights [H,W] or [M,H,W] of the maps' size: sums of weight x value, exact std",
               [&arguments](const std::string& text) { arguments.functionals.emplace_back(text); });
}

}  // namespace

void declare_covariance_options(CLI::App& options, CovarianceArguments& arguments) {
  declare_source_options(options, arguments.source);
  options
      .add_option(
          "--image",
          arguments.image,
          "the image; needed with --checkpoint. Where it is given, places count its pixels, "
          "else those of the maps")
      ->type_name("FILE")
      ->always_capture_default(false);
  declare_places(options, arguments);
  options.add_flag_callback(
      "--marginals",
      [&arguments] { arguments.marginals = Extra::kAdd; },
      "exact std of every pixel, beside that of 10 samples");
  options.add_flag_callback(
      "--local-correlation",
      [&arguments] { arguments.local_correlation = Extra::kAdd; },
      "correlation length around every pixel, along rows and along columns");
  options.add_option("--seed", arguments.seed, "of the 10 samples of --marginals");
  options
      .add_option_function<std::string>(
          "--scale",
          [&arguments](const std::string& text) {
            arguments.scale = fixed_scale(text);
            if (arguments.scale) return;
            throw CLI::ValidationError(
                "--scale", "expected NUMBER or fixed:NUMBER (1e-6 to 1e6), got '" + text + "'");
          },
          "pixels, means of regions and differences in metres too, depth = scale / disparity: 5.4 "
          "for networks "
          "trained on KITTI's stereo pairs; without it depths have no unit")
      ->type_name("NUMBER")
      ->always_capture_default(false);
  options.add_option("--out", arguments.out, "folder for the results")
      ->type_name("DIR")
      ->always_capture_default(false);
  options.callback([&options, &arguments] {
    if (arguments.marginals == Extra::kLeave) {
      refuse_without_effect(options, "--seed", "--marginals");
    }
    if (arguments.pixels.empty() && arguments.regions.empty() && arguments.functionals.empty() &&
        arguments.differences.empty()) {
      refuse_without_effect(options, "--scale", "--pixel, --region, --difference or --functional");
    }
  });
}

void check_covariance_arguments(const CovarianceArguments& arguments) {
  const bool asks = !arguments.pixels.empty() || !arguments.regions.empty() ||
                    !arguments.differences.empty() || !arguments.functionals.empty() ||
                    arguments.marginals == Extra::kAdd ||
                    arguments.local_correlation == Extra::kAdd;
  if (!asks) {
    throw ConfigError(
        "nothing to compute; give --pixel X,Y, --region, --difference, --functional, --marginals "
        "or --local-correlation");
  }
  if (arguments.out.empty()) throw ConfigError("--out is required: the folder for the results");
  if (!arguments.source.checkpoint.empty() && arguments.image.empty()) {
    throw ConfigError("--checkpoint needs --image FILE");
  }
}

}  // namespace supn
