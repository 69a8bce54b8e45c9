// A training range says what a network met while it was trained. A checkpoint keeps it as
// training_range.json, so that an app can warn of an image far outside of it: there a network's
// mean and factor are guesses, and its standard deviations may be anything.
//
//   statistics   per image: means of red, green, blue; log contrast; log difference of neighbours;
//                colourfulness. Each counts in its own standard deviations over the images.
//   spread       99.9 % quantile over pixels of the std of 10 exact samples, logits
//
// It is taken from the validation images, which are of the same kind as the training images and not
// learnt by heart.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supn/gaussian/structured_gaussian.hpp"

namespace supn {

inline constexpr std::size_t kImageStatistics = 6;

struct ImageFacts {
  std::array<double, kImageStatistics> statistics{};
  double spread = 0.0;
};

// image [3,H,W] in [0,1]; the Gaussian of one image.
ImageFacts image_facts(const at::Tensor& image, const StructuredGaussian& gaussian);

struct TrainingRange {
  std::array<double, kImageStatistics> mean{};
  std::array<double, kImageStatistics> std{};
  double largest_deviation = 0.0;  // of any statistic of any image, in its std
  double largest_spread = 0.0;     // of any image
};

// Throws c10::Error for no images.
TrainingRange training_range(const std::vector<ImageFacts>& images);

// Says what is unusual about an image, empty if nothing is: a spread of more than twice the
// largest, or a statistic farther than 6 standard deviations and than twice the largest deviation.
std::string range_warning(const TrainingRange& range, const ImageFacts& image);

std::string to_json(const TrainingRange& range);
// Returns nothing where the checkpoint has none. Throws IoError for a damaged file.
std::optional<TrainingRange> read_training_range(const std::filesystem::path& checkpoint);
inline constexpr const char* kTrainingRangeFile = "training_range.json";

}  // namespace supn
