// Structured Gaussians in safetensors files.
#include <ATen/ops/zeros.h>

#include "fuzz_target.hpp"
#include "supn/network/gaussian_file.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  std::vector<std::string> files;
  for (const std::int64_t radius : {0, 1, 2}) {
    const Neighbourhood neighbourhood(radius);
    const at::Tensor map = at::zeros({1, 1, 2, 3});
    const GaussianFile file{{map, map, at::zeros({1, neighbourhood.size(), 2, 3}), neighbourhood},
                            kLogitOfDisparity,
                            {{"image", "a.png"}}};
    files.push_back(
        bytes_written([&](const auto& path) { write_gaussian(path, file, at::kFloat); }));
    files.push_back(
        bytes_written([&](const auto& path) { write_gaussian(path, file, at::kHalf); }));
  }
  return files;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    const supn::GaussianFile read = supn::read_gaussian(file.path());
    supn::fuzz::require(read.gaussian.mean().numel() > 0, "a Gaussian has pixels");
  });
  return 0;
}
