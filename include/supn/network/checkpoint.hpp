// A checkpoint is a directory of named parts, written aside and renamed as a whole:
//
//   model.safetensors      parameters and buffers by name
//   network.json           format version, NetworkConfig, input size, quantity of the prediction
//   optimizer.safetensors  optional: the optimizer's tensors by name
//   progress.json          optional: what resuming needs to know
//   config.yaml            optional: the resolved configuration, for people
//   training_range.json    optional: which images the network knows (training_range.hpp)
//
// Inference needs nothing but the directory.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "supn/image_size.hpp"
#include "supn/network/checkpoint_files.hpp"
#include "supn/network/supn_network.hpp"

namespace supn {

struct CheckpointParts {
  SupnNetwork network{nullptr};
  ImageSize size;  // of the network's input
  std::map<std::string, at::Tensor> optimizer;
  std::string progress;    // JSON text
  std::string config;      // YAML text
  std::string range = {};  // JSON text
};

struct LoadedNetwork {
  SupnNetwork network{nullptr};  // on the CPU, in evaluation mode
  ImageSize input_size;
};

// Replaces an existing checkpoint of that name only once the new one is complete. Throws IoError,
// also where the folder holds anything but kCheckpointFiles.
void save_checkpoint(const std::filesystem::path& directory, const CheckpointParts& parts);

// Puts back what an interrupted saving moved aside. Throws IoError unless the directory is a
// checkpoint, with the one that was probably meant where a run's folder or a checkpoint's file is
// given.
void check_checkpoint_directory(const std::filesystem::path& directory);

// Throws IoError as check_checkpoint_directory, if a part is missing or damaged, or the weights are
// not those of the architecture that network.json names.
LoadedNetwork load_network(const std::filesystem::path& directory);

// Returns all parts; absent optional ones are empty. The network is in evaluation mode.
CheckpointParts load_checkpoint(const std::filesystem::path& directory);

}  // namespace supn
