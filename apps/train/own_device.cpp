#include "train/own_device.hpp"

#include <torch/cuda.h>

#include <string>

#include "supn/errors.hpp"

namespace supn {

c10::Device own_device(c10::Device asked, const ProcessPlace& place) {
  if (!asked.is_cuda() || place.size == 1) return asked;
  const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
  if (place.local_rank >= count) {
    throw ConfigError("LOCAL_RANK " + std::to_string(place.local_rank) + ": this machine has " +
                      std::to_string(count) +
                      " GPUs, one for each process; start as many with torchrun "
                      "--nproc-per-node, or use --device cpu");
  }
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(place.local_rank)};
}

}  // namespace supn
