#include "supn/network/training_range.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "supn/errors.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/rounded.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr std::uint64_t kRangeSeed = 1;
constexpr std::int64_t kRangeSamples = 10;
constexpr double kQuantile = 0.999;
// Few images have a std that is too small by chance: statistics are of the order of 1.
constexpr double kSmallestStd = 0.05;
constexpr double kFarDeviation = 6.0;
constexpr double kFarFactor = 2.0;

double log_rms(const at::Tensor& values) {
  constexpr double kSmallest = 1e-4;
  return std::log(std::max(values.square().mean().sqrt().item<double>(), kSmallest));
}

// Not finite counts as the largest there is.
double spread_of(const StructuredGaussian& gaussian) {
  const Samples drawn = sample(gaussian, std::span(&kRangeSeed, 1), {.range = {0, kRangeSamples}});
  const at::Tensor values = drawn.values[0].to(at::kDouble);
  // In two passes over whole maps: at::std takes many times as long across them.
  const at::Tensor squares = (values - values.mean(0)).square_().sum(0);
  const at::Tensor std = (squares / static_cast<double>(kRangeSamples - 1)).sqrt_().reshape({-1});
  const auto place = static_cast<std::int64_t>(kQuantile * static_cast<double>(std.numel() - 1));
  return std::get<0>(std.kthvalue(place + 1)).item<double>();
}

double deviation_of(const TrainingRange& range, const ImageFacts& image) {
  double largest = 0.0;
  for (std::size_t i = 0; i < kImageStatistics; ++i) {
    largest = std::max(largest, std::abs(image.statistics[i] - range.mean[i]) / range.std[i]);
  }
  return largest;
}

std::array<double, kImageStatistics> numbers_at(const Json& json, const char* key) {
  const auto list = value_at<std::vector<double>>(json, key);
  std::array<double, kImageStatistics> values{};
  if (list.size() != values.size()) throw JsonError(std::string(key) + " has another length");
  std::copy(list.begin(), list.end(), values.begin());
  return values;
}

}  // namespace

ImageFacts image_facts(const at::Tensor& image, const StructuredGaussian& gaussian) {
  TORCH_CHECK(image.dim() == 3 && image.size(0) == 3 && gaussian.batch() == 1,
              "image_facts: expected an image [3,H,W] and its Gaussian, got ",
              image.sizes());
  const at::Tensor rgb = image.to(at::kCPU, at::kDouble);
  const at::Tensor grey = rgb.mean(0);
  const std::int64_t width = grey.size(1);
  return {{rgb[0].mean().item<double>(),
           rgb[1].mean().item<double>(),
           rgb[2].mean().item<double>(),
           log_rms(grey - grey.mean()),
           log_rms(grey.narrow(1, 1, width - 1) - grey.narrow(1, 0, width - 1)),
           (at::amax(rgb, 0) - at::amin(rgb, 0)).mean().item<double>()},
          spread_of(gaussian)};
}

TrainingRange training_range(const std::vector<ImageFacts>& images) {
  TORCH_CHECK(!images.empty(), "training_range: expected at least one image, got none");
  TrainingRange range;
  const auto count = static_cast<double>(images.size());
  for (std::size_t i = 0; i < kImageStatistics; ++i) {
    double squares = 0.0;
    for (const ImageFacts& image : images) range.mean[i] += image.statistics[i] / count;
    for (const ImageFacts& image : images) {
      squares += std::pow(image.statistics[i] - range.mean[i], 2.0);
    }
    range.std[i] = std::max(std::sqrt(squares / count), kSmallestStd);
  }
  for (const ImageFacts& image : images) {
    range.largest_deviation = std::max(range.largest_deviation, deviation_of(range, image));
    range.largest_spread = std::max(range.largest_spread, image.spread);
  }
  return range;
}

std::string range_warning(const TrainingRange& range, const ImageFacts& image) {
  const double deviation = deviation_of(range, image);
  const bool is_wide = !(image.spread <= kFarFactor * range.largest_spread);
  const bool is_strange = deviation > std::max(kFarDeviation, kFarFactor * range.largest_deviation);
  if (!is_wide && !is_strange) return "";
  std::string text = "is unlike the images of training: ";
  if (is_wide) {
    text += "its std reaches " + rounded(image.spread, 3) + " logits (there " +
            rounded(range.largest_spread, 3) + ")" + (is_strange ? ", " : "");
  }
  if (is_strange) {
    text += "its colours and contrast lie " + rounded(deviation, 3) +
            " standard deviations away (there " + rounded(range.largest_deviation, 3) + ")";
  }
  return text + "; do not trust its std";
}

std::string to_json(const TrainingRange& range) {
  const Json json = {{"mean", range.mean},
                     {"std", range.std},
                     {"largest_deviation", range.largest_deviation},
                     {"largest_spread", range.largest_spread}};
  return exact_json_text(json, 2) + "\n";
}

std::optional<TrainingRange> read_training_range(const std::filesystem::path& checkpoint) {
  constexpr std::uintmax_t kLargestRangeText = 1U << 16U;
  const std::filesystem::path file = checkpoint / kTrainingRangeFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  try {
    const Json json = parse_json(read_text(file, kLargestRangeText));
    TrainingRange range{numbers_at(json, "mean"),
                        numbers_at(json, "std"),
                        value_at<double>(json, "largest_deviation"),
                        value_at<double>(json, "largest_spread")};
    for (const double std : range.std) {
      if (!(std > 0.0)) throw JsonError("a std is not positive");
    }
    return range;
  } catch (const JsonError& fault) {
    throw IoError(file,
                  std::string("does not hold a training range (") + fault.what() + "); remove it");
  }
}

}  // namespace supn
