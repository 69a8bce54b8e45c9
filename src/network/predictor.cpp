#include "supn/network/predictor.hpp"

#include <ATen/core/grad_mode.h>

#include "supn/network/checkpoint.hpp"

namespace supn {

Predictor::Predictor(const std::filesystem::path& checkpoint,
                     c10::Device device,
                     const CalibrationRule& rule)
    : device_(device) {
  LoadedNetwork loaded = load_network(checkpoint);
  network_ = loaded.network.ptr();
  network_->to(device_);
  network_->settle();
  input_size_ = loaded.input_size;
  temperature_ = choose_temperature(checkpoint, rule);
  training_range_ = read_training_range(checkpoint);
  if (training_range_) training_range_->largest_spread *= temperature_.fit.value;
}

StructuredGaussian Predictor::predict(const at::Tensor& image) const {
  const at::NoGradGuard no_grad;
  const at::Tensor input = image.to(device_).contiguous(at::MemoryFormat::ChannelsLast);
  const StructuredGaussian gaussian = network_->finest(input);
  return with_temperature({gaussian.mean().contiguous(),
                           gaussian.log_diagonal().contiguous(),
                           gaussian.off_diagonal().contiguous(),
                           gaussian.neighbourhood()},
                          temperature_.fit.value);
}

}  // namespace supn
