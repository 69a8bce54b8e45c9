#include "supn/network/checkpoint.hpp"

#include <optional>

#include "network_description.hpp"
#include "supn/errors.hpp"
#include "supn/network/training_range.hpp"
#include "supn/network/weights.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestText = 16U << 20U;
constexpr const char* kModel = "model.safetensors";
constexpr const char* kNetwork = "network.json";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kProgress = "progress.json";
constexpr const char* kConfig = "config.yaml";

NetworkDescription read_description(const fs::path& file) {
  const std::string text = read_text(file, kLargestText);
  try {
    return network_description_from_json(text);
  } catch (const JsonError& error) {
    throw IoError(
        file,
        std::string("does not describe a network (") + error.what() + "); use another checkpoint");
  } catch (const ConfigError& error) {
    throw IoError(
        file,
        std::string("does not describe a network (") + error.what() + "); use another checkpoint");
  }
}

std::string first_of(const std::vector<std::string>& names) {
  return names.front() +
         (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

void check_complete(const fs::path& file, const WeightReport& report) {
  std::string faults;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty())
      faults += std::string(faults.empty() ? "" : "; ") + what + " " + first_of(names);
  };
  add("lacks", report.missing);
  add("has an unknown", report.unexpected);
  add("has another shape for", report.mismatched);
  if (faults.empty()) return;
  throw IoError(file,
                "is not of the architecture that " + std::string(kNetwork) +
                    " beside it names: it " + faults +
                    "; use a checkpoint whose parts belong together");
}

// Returns the checkpoint that a run's folder, or a file of a checkpoint, leads to; empty where none
// does.
fs::path meant_checkpoint(const fs::path& path) {
  std::error_code error;
  for (const fs::path& candidate : {path / "best", path / "last", path.parent_path()}) {
    if (fs::exists(candidate / kNetwork, error)) return candidate;
  }
  return {};
}

std::string optional_text(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? read_text(file, kLargestText) : std::string();
}

}  // namespace

void check_checkpoint_directory(const fs::path& directory) {
  recover_directory(directory);
  std::error_code error;
  if (fs::exists(directory / kNetwork, error)) return;
  const fs::path meant = meant_checkpoint(directory);
  throw IoError(directory,
                "is not a checkpoint directory (a folder with " + std::string(kModel) + " and " +
                    kNetwork + ")" +
                    (meant.empty() ? "" : "; did you mean " + meant.string() + "?"));
}

void save_checkpoint(const fs::path& directory, const CheckpointParts& parts) {
  AtomicDirectory staging(directory, kCheckpointFiles);
  const fs::path& path = staging.path();
  write_safetensors(path / kModel, {state_of(*parts.network), {{"format", "supn"}}});
  write_file_atomically(path / kNetwork, to_json({parts.network->config(), parts.size}));
  if (!parts.optimizer.empty()) write_safetensors(path / kOptimizer, {parts.optimizer, {}});
  if (!parts.progress.empty()) write_file_atomically(path / kProgress, parts.progress);
  if (!parts.config.empty()) write_file_atomically(path / kConfig, parts.config);
  if (!parts.range.empty()) write_file_atomically(path / kTrainingRangeFile, parts.range);
  staging.commit();
}

LoadedNetwork load_network(const fs::path& directory) {
  check_checkpoint_directory(directory);
  const NetworkDescription description = read_description(directory / kNetwork);
  LoadedNetwork loaded{SupnNetwork(description.config), description.size};
  const fs::path model = directory / kModel;
  check_complete(model, load_weights(*loaded.network, read_safetensors(model).tensors));
  loaded.network->eval();
  return loaded;
}

CheckpointParts load_checkpoint(const fs::path& directory) {
  LoadedNetwork loaded = load_network(directory);
  CheckpointParts parts{loaded.network, loaded.input_size, {}, {}, {}};
  std::error_code error;
  if (fs::exists(directory / kOptimizer, error))
    parts.optimizer = read_safetensors(directory / kOptimizer).tensors;
  parts.progress = optional_text(directory / kProgress);
  parts.config = optional_text(directory / kConfig);
  parts.range = optional_text(directory / kTrainingRangeFile);
  return parts;
}

}  // namespace supn
