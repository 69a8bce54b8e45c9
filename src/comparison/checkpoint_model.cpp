#include "supn/comparison/checkpoint_model.hpp"

#include <cstddef>

#include "supn/errors.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

// Returns where "=" ends a name in front of the folder; npos where there is none.
std::size_t end_of_name(const std::string& specification) {
  const std::size_t end = specification.find('=');
  const bool is_name = end != std::string::npos && end > 0 && end < specification.find('/');
  return is_name ? end : std::string::npos;
}

std::string row_name(const std::string& specification) {
  const std::size_t end = end_of_name(specification);
  if (end != std::string::npos) return specification.substr(0, end);
  return (std::filesystem::path(specification) / "").lexically_normal().parent_path().string();
}

std::filesystem::path folder_of(const std::string& specification) {
  const std::size_t end = end_of_name(specification);
  return end == std::string::npos ? specification : specification.substr(end + 1);
}

}  // namespace

CheckpointModel::CheckpointModel(const std::string& specification,
                                 const DataConfig& data,
                                 c10::Device device,
                                 const CalibrationRule& rule)
    : name_(row_name(specification)),
      directory_(folder_of(specification)),
      network_(directory_, device, rule),
      truth_temperature_(choose_temperature(
          directory_, {.wanted = rule.wanted, .preferred = CalibratedOn::kTruth})) {
  if (const auto truth = read_temperature(directory_, CalibratedOn::kTruth)) {
    isotropic_ = truth->isotropic;
    tails_ = truth->tails;
  }
  if (network_.input_size() != data.size()) {
    throw ConfigError(directory_.string() + ": was trained at " + size_text(network_.input_size()) +
                      ", the data are read at " + size_text(data.size()) +
                      "; set data.height and data.width to the checkpoint's, with sample files of "
                      "that size");
  }
}

StructuredGaussian CheckpointModel::predict(const at::Tensor& image) {
  // The network's sums depend on the number of threads in the last bits.
  const ThreadCount one_order_of_sums(1);
  return network_.predict(image.unsqueeze(0)).to(c10::Device(c10::kCPU));
}

}  // namespace supn
