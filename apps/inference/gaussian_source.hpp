// An app's structured Gaussian comes from a trained network applied to an image, or a file
// (gaussian_file.hpp) that was written earlier.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "inference/inputs.hpp"
#include "supn/image_size.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/network/predictor.hpp"

namespace supn {

struct SourceArguments {
  std::filesystem::path checkpoint;
  std::filesystem::path gaussian;
  CalibrationRule calibration;  // of the checkpoint
};

// Declares --checkpoint, --gaussian and --calibrated-on.
void declare_source_options(CLI::App& options, SourceArguments& arguments);

// Says for captions and sidecars how wide the Gaussian was made.
struct CalibrationFacts {
  std::string on = "unknown";    // members, truth or none; a file may not say
  std::string text = "unknown";  // with the temperature and what it was fitted on

  // "calibrated on members", "not calibrated" or "calibration unknown".
  std::string caption() const;
};

class GaussianSource {
 public:
  // Throws ConfigError unless exactly one of the two is given, for a calibration of a file, and as
  // choose_temperature; IoError as load_network and read_gaussian, and for a file of more than one
  // image.
  GaussianSource(const SourceArguments& arguments, c10::Device device);

  // Returns the size of the Gaussian's maps.
  const ImageSize& size() const { return size_; }
  // Says what the values are: kLogitOfDisparity for networks.
  const std::string& quantity() const;
  // Throws ConfigError naming `purpose` unless the values are logits of disparity.
  void require_logits(const std::string& purpose) const;
  const CalibrationFacts& calibration() const { return calibration_; }
  // Returns the field beside the checkpoint's temperature of the truth, whatever calibration is
  // applied.
  const std::optional<IsotropicField>& isotropic() const { return isotropic_; }
  bool is_file() const { return file_.has_value(); }
  bool on_cpu() const { return device_.is_cpu(); }
  // The one image that the app works on: what a file says of its Gaussian's, with `picture` (may be
  // empty) in place of its path; else `picture` itself.
  InputImage image_for(const std::filesystem::path& picture) const;

  // Returns the image's size: that of `rgb` (uint8 [H,W,3] or undefined), else what a file says of
  // the image that its Gaussian is of; none where neither is there. Throws ConfigError where the
  // two differ: the Gaussian is then another image's.
  std::optional<ImageSize> image_size(const at::Tensor& rgb) const;

  // The finest scale's Gaussian, on the device. rgb: uint8 [H,W,3] of any size, not used (and may be
  // undefined) where the Gaussian comes from a file. On the CPU the network takes all
  // threads, or the calling one alone within a parallel loop: channels last, oneDNN adds up each
  // output's terms in one order for any number of them (the tests ask whether this processor does).
  // Throws as image_size. May be called by several threads at once on the CPU.
  // Warns, by `name`, of an image that is unlike those of training (training_range.hpp).
  StructuredGaussian predict(const at::Tensor& rgb, const std::string& name) const;

 private:
  SourceArguments arguments_;
  c10::Device device_;
  std::optional<Predictor> network_;
  std::optional<GaussianFile> file_;
  CalibrationFacts calibration_;
  std::optional<IsotropicField> isotropic_;
  ImageSize size_;
};

// Returns what a saved Gaussian says of its image, of `size` where that is known, so that samples
// from the file are those of the image, and no other image passes for it; and how it was
// calibrated.
std::map<std::string, std::string> image_metadata(const InputImage& image,
                                                  const std::optional<ImageSize>& size,
                                                  const CalibrationFacts& calibration);

}  // namespace supn
