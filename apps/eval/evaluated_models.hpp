// What gets a row in the table: checkpoints, the ensemble, the truth of a synthetic set.
#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/network/predictor.hpp"

namespace supn {

class CheckpointModel {
 public:
  // "<folder>", which is the row's name too, or "<name>=<folder>". Throws IoError as load_network,
  // ConfigError if the network's input size is not the data's.
  CheckpointModel(const std::string& specification, const DataConfig& data, c10::Device device);

  const std::string& name() const { return name_; }
  const std::filesystem::path& directory() const { return directory_; }
  const std::optional<Temperature>& temperature() const { return network_.temperature(); }
  // image [3,H,W] → the finest scale's Gaussian, on the CPU, with the checkpoint's temperature.
  StructuredGaussian predict(const at::Tensor& image);

 private:
  std::string name_;
  std::filesystem::path directory_;
  Predictor network_;
};

// <data.truth>/<frame>.safetensors. Throws IoError if it is missing, damaged, or of another size
// than the data's.
StructuredGaussian read_truth(const DataConfig& data, const Frame& frame);

}  // namespace supn
