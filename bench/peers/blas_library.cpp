#include "blas_library.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>

namespace supn::bench {
namespace {

template <typename Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

std::string file_of_dtrsm() {
  Dl_info info{};
  void* function = dlsym(RTLD_DEFAULT, "dtrsm_");
  if (function == nullptr || dladdr(function, &info) == 0) return "no dtrsm_";
  return std::filesystem::path(info.dli_fname).filename().string();
}

std::string library() {
  if (auto* version = loaded<void(char*, int)>("MKL_Get_Version_String")) {
    std::array<char, 200> text{};
    version(text.data(), static_cast<int>(text.size()) - 1);
    return text.data();
  }
  auto* config = loaded<char*()>("openblas_get_config");
  auto* kernels = loaded<char*()>("openblas_get_corename");
  if (config == nullptr || kernels == nullptr) return "neither OpenBLAS nor MKL";
  return std::string(config()) + ", kernels for " + kernels();
}

}  // namespace

std::string running_blas() { return file_of_dtrsm() + ", " + library(); }

void set_blas_threads(int threads) {
  if (auto* set = loaded<void(int)>("openblas_set_num_threads")) set(threads);
}

}  // namespace supn::bench
