#include "common/device.hpp"

#include <c10/util/Exception.h>
#include <torch/cuda.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "supn/errors.hpp"

namespace supn {
namespace {

// Returns the index of "cuda" (0) and "cuda:<index>".
std::optional<int> cuda_index(std::string_view name) {
  constexpr std::string_view kCuda = "cuda";
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  if (name.empty()) return 0;
  if (name.front() != ':') return std::nullopt;
  name.remove_prefix(1);
  int index = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size() || index < 0) return std::nullopt;
  return index;
}

[[noreturn]] void throw_no_cuda(const std::string& name) {
#ifdef SUPN_CUDA
  throw ConfigError("--device " + name +
                    ": no CUDA device was found (see nvidia-smi: is there a GPU, and a driver new "
                    "enough for this LibTorch?); use --device cpu");
#else
  throw ConfigError("--device " + name +
                    ": this build has no CUDA: run scripts/setup.sh --cuda and build the preset "
                    "'cuda', or use --device cpu");
#endif
}

}  // namespace

c10::Device resolve_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  const int count = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  if (name == "auto") return count > 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
  const std::optional<int> index = cuda_index(name);
  if (!index) {
    throw ConfigError("--device " + name + ": expected auto, cpu, cuda or cuda:<index>");
  }
  if (count == 0) throw_no_cuda(name);
  if (*index >= count) {
    throw ConfigError("--device " + name + ": there are " + std::to_string(count) +
                      " CUDA devices, so the index is at most " + std::to_string(count - 1));
  }
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(*index));
}

}  // namespace supn
