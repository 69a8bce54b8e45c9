// safetensors files: header, layout and tensors.
#include <ATen/ops/zeros.h>

#include "fuzz_target.hpp"
#include "supn/serialization/safetensors.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  const SafetensorsFile several{{{"weight", at::zeros({2, 3})},
                                 {"mask", at::zeros({5}, at::kBool)},
                                 {"empty", at::zeros({0, 4}, at::kLong)},
                                 {"half", at::zeros({3}, at::kBFloat16)}},
                                {{"format", "supn"}, {"note", "x"}}};
  return {bytes_written([&](const auto& path) { write_safetensors(path, several); }),
          bytes_written([](const auto& path) { write_safetensors(path, {}); })};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    std::size_t bytes = 0;
    for (const auto& [name, tensor] : supn::read_safetensors(file.path()).tensors) {
      bytes += tensor.nbytes();
    }
    supn::fuzz::require(bytes <= size, "no more data than the file has");
  });
  return 0;
}
