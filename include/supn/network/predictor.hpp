// A Predictor runs a trained network, without torch::nn's large headers.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/image_size.hpp"
#include "supn/network/temperature.hpp"
#include "supn/network/training_range.hpp"

namespace supn {

class SupnNetworkImpl;

class Predictor {
 public:
  // Throws IoError as load_network and read_training_range, and as choose_temperature.
  Predictor(const std::filesystem::path& checkpoint,
            c10::Device device,
            const CalibrationRule& rule = {});

  const ImageSize& input_size() const { return input_size_; }
  // The one of the checkpoint's that predict() applies.
  const AppliedTemperature& temperature() const { return temperature_; }
  // Says what the network met in training, with its temperature; none where the checkpoint does not
  // say.
  const std::optional<TrainingRange>& training_range() const { return training_range_; }
  // Turns images [B,3,H,W] in [0,1], of the input's size, on any device, into the finest scale's
  // Gaussian over logits of disparity, where the network lies. No gradients are recorded.
  StructuredGaussian predict(const at::Tensor& image) const;

 private:
  std::shared_ptr<SupnNetworkImpl> network_;
  ImageSize input_size_;
  AppliedTemperature temperature_;
  std::optional<TrainingRange> training_range_;
  c10::Device device_;
};

}  // namespace supn
