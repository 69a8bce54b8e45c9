// .npy files: header and array.
#include <ATen/ops/zeros.h>

#include "fuzz_target.hpp"
#include "supn/serialization/npy.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  std::vector<std::string> files;
  for (const at::ScalarType dtype : {at::kHalf, at::kFloat, at::kDouble, at::kLong, at::kBool}) {
    files.push_back(bytes_written([&](const auto& path) {
      write_npy(path, at::zeros({2, 3, 4}, dtype));
    }));
  }
  for (const std::string type : {">f4", "<u2", ">u8"}) {
    std::string foreign = files[1];
    foreign.replace(foreign.find("<f4"), 3, type);
    foreign.replace(foreign.find("False"), 5, "True ");
    files.push_back(foreign);
  }
  files.push_back(bytes_written([](const auto& path) { write_npy(path, at::zeros({0, 5})); }));
  files.push_back(bytes_written([](const auto& path) { write_npy(path, at::zeros({})); }));
  return files;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFile file;
  file.write(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    const supn::NpyHeader header = supn::read_npy_header(file.path());
    const at::Tensor array = supn::read_npy(file.path());
    supn::fuzz::require(array.sizes() == at::IntArrayRef(header.shape), "the header's shape");
    supn::fuzz::require(array.nbytes() <= 2 * size, "no more data than the file has, widened");
  });
  return 0;
}
