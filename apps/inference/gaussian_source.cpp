#include "inference/gaussian_source.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/spdlog.h>

#include <charconv>

#include "common/calibration_option.hpp"
#include "supn/errors.hpp"
#include "supn/gaussian/is_finite.hpp"
#include "supn/io/resize.hpp"
#include "supn/serialization/file_names.hpp"

namespace supn {
namespace {

constexpr const char* kImageEntry = "image";
constexpr const char* kNameEntry = "name";
constexpr const char* kSeedEntry = "seed_id";
constexpr const char* kSizeEntry = "image_size";  // "<width>x<height>"
constexpr const char* kCalibrationEntry = "calibration";
constexpr const char* kCalibrationText = "calibration_text";

GaussianFile read_one(const std::filesystem::path& path) {
  GaussianFile file = read_gaussian(path);
  if (file.gaussian.batch() != 1) {
    throw IoError(path,
                  "holds the Gaussians of " + std::to_string(file.gaussian.batch()) +
                      " images; write one file for each image");
  }
  return file;
}

std::string entry_or(const GaussianFile& file, const char* name, const std::string& otherwise) {
  const auto found = file.metadata.find(name);
  return found == file.metadata.end() ? otherwise : found->second;
}

// Returns nothing for text that is no size: files of other writers may hold anything.
std::optional<ImageSize> size_in(const std::string& text) {
  ImageSize size;
  const char* const end = text.data() + text.size();
  const auto [cross, width_error] = std::from_chars(text.data(), end, size.width);
  if (width_error != std::errc() || cross == end || *cross != 'x') return std::nullopt;
  const auto [stop, height_error] = std::from_chars(cross + 1, end, size.height);
  if (height_error != std::errc() || stop != end) return std::nullopt;
  return size;
}

// The name becomes a folder: it must not lead elsewhere.
std::string safe_name(const std::string& name, const std::filesystem::path& file) {
  const bool safe = !name.empty() && name != "." && name != ".." &&
                    name.find_first_of("/\\") == std::string::npos;
  return safe ? name : file.stem().string();
}

}  // namespace

void declare_source_options(CLI::App& options, SourceArguments& arguments) {
  options.add_option("--checkpoint", arguments.checkpoint, "folder of a trained network")
      ->type_name("DIR")
      ->always_capture_default(false);
  options
      .add_option("--gaussian",
                  arguments.gaussian,
                  "in place of a network: a structured Gaussian that supn_sample "
                  "--save-gaussian wrote")
      ->type_name("FILE")
      ->always_capture_default(false);
  declare_calibration_option(options, arguments.calibration);
}

std::string CalibrationFacts::caption() const {
  if (on == "none") return "not calibrated";
  return on == "unknown" ? "calibration unknown" : "calibrated on " + on;
}

GaussianSource::GaussianSource(const SourceArguments& arguments, c10::Device device)
    : arguments_(arguments), device_(device) {
  if (arguments.checkpoint.empty() == arguments.gaussian.empty()) {
    throw ConfigError("give either --checkpoint DIR or --gaussian FILE");
  }
  if (arguments.checkpoint.empty()) {
    file_ = read_one(arguments.gaussian);
    size_ = file_->gaussian.size();
    calibration_ = {entry_or(*file_, kCalibrationEntry, "unknown"),
                    entry_or(*file_, kCalibrationText, "unknown")};
    if (arguments.calibration.wanted) {
      throw ConfigError("--calibrated-on needs --checkpoint: " + arguments.gaussian.string() +
                        " holds a finished Gaussian (calibration: " + calibration_.text + ")");
    }
  } else {
    network_.emplace(arguments.checkpoint, device, arguments.calibration);
    size_ = network_->input_size();
    calibration_ = {std::string(option_name(network_->temperature().on)),
                    network_->temperature().text()};
    if (const auto truth = read_temperature(arguments.checkpoint, CalibratedOn::kTruth)) {
      isotropic_ = truth->isotropic;
    }
  }
  spdlog::info("calibration: {}", calibration_.text);
}

const std::string& GaussianSource::quantity() const {
  static const std::string logits = kLogitOfDisparity;
  return file_ ? file_->quantity : logits;
}

void GaussianSource::require_logits(const std::string& purpose) const {
  if (quantity() == kLogitOfDisparity) return;
  throw ConfigError(arguments_.gaussian.string() + ": holds a Gaussian over \"" + quantity() +
                    "\"; " + purpose + " needs one over \"" + kLogitOfDisparity + "\"");
}

InputImage GaussianSource::image_for(const std::filesystem::path& picture) const {
  if (!file_) {
    const std::string name = picture.stem().string();
    return {.path = picture, .name = shortened_name(name), .seed_id = name};
  }
  const std::string stem = arguments_.gaussian.stem().string();
  const std::string name = safe_name(entry_or(*file_, kNameEntry, stem), arguments_.gaussian);
  const std::filesystem::path stored = entry_or(*file_, kImageEntry, "");
  return {.path = picture.empty() ? stored : picture,
          .name = shortened_name(name),
          .seed_id = entry_or(*file_, kSeedEntry, name)};
}

std::optional<ImageSize> GaussianSource::image_size(const at::Tensor& rgb) const {
  const auto stored = file_ ? size_in(entry_or(*file_, kSizeEntry, "")) : std::nullopt;
  if (!rgb.defined()) return stored;
  const ImageSize size{rgb.size(0), rgb.size(1)};
  if (stored && *stored != size) {
    throw ConfigError(arguments_.gaussian.string() + ": is of an image of " + size_text(*stored) +
                      " pixels, and --image has " + size_text(size) +
                      "; give the image that it was made from");
  }
  return size;
}

StructuredGaussian GaussianSource::predict(const at::Tensor& rgb, const std::string& name) const {
  image_size(rgb);
  if (file_) return file_->gaussian.to(device_);
  const at::Tensor input = resize_lanczos(rgb, size_)
                               .permute({2, 0, 1})
                               .to(at::kFloat)
                               .div(255.0)
                               .unsqueeze(0)
                               .contiguous();
  StructuredGaussian gaussian = network_->predict(input);
  if (!is_finite(gaussian)) {
    throw ConfigError(arguments_.checkpoint.string() + ": its Gaussian of " + name +
                      " has values that are not finite; take another checkpoint of the run, or "
                      "train anew");
  }
  if (const auto& range = network_->training_range()) {
    const std::string warning = range_warning(*range, image_facts(input[0], gaussian));
    if (!warning.empty()) spdlog::warn("{}: {}", name, warning);
  }
  return gaussian;
}

std::map<std::string, std::string> image_metadata(const InputImage& image,
                                                  const std::optional<ImageSize>& size,
                                                  const CalibrationFacts& calibration) {
  std::map<std::string, std::string> metadata{{kImageEntry, image.path.string()},
                                              {kNameEntry, image.name},
                                              {kSeedEntry, image.seed_id},
                                              {kCalibrationEntry, calibration.on},
                                              {kCalibrationText, calibration.text}};
  if (size) metadata[kSizeEntry] = size_text(*size);
  return metadata;
}

}  // namespace supn
