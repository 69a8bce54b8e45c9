#include "common/version.hpp"

#include <torch/cuda.h>
#include <torch/version.h>

#include "supn_git_hash.hpp"

namespace supn {
namespace {

std::string cuda_text() {
#ifdef SUPN_CUDA
  if (!torch::cuda::is_available()) return "built in, no device found";
  return "yes, " + std::to_string(torch::cuda::device_count()) + " device(s)";
#else
  return "no";
#endif
}

}  // namespace

const char* git_hash() { return SUPN_GIT_HASH; }

std::string version_text(const std::string& app) {
  return app + " " SUPN_VERSION " (git " SUPN_GIT_HASH "), LibTorch " TORCH_VERSION ", CUDA " +
         cuda_text();
}

}  // namespace supn
