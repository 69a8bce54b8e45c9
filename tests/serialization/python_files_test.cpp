// Writes files for Python to read and reads what Python wrote: see python_files_test.py, which
// calls this program with a folder and the direction.
#include <ATen/Context.h>
#include <ATen/ops/arange.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "supn/serialization/npy.hpp"
#include "supn/serialization/safetensors.hpp"

namespace {

at::Tensor values(at::ScalarType dtype) { return at::arange(-5, 19).view({2, 3, 4}).to(dtype); }

const std::map<std::string, at::ScalarType> kTypes{{"f2", at::kHalf},
                                                   {"f4", at::kFloat},
                                                   {"f8", at::kDouble},
                                                   {"i1", at::kChar},
                                                   {"i2", at::kShort},
                                                   {"i4", at::kInt},
                                                   {"i8", at::kLong},
                                                   {"u1", at::kByte},
                                                   {"bool", at::kBool}};

void write(const std::filesystem::path& folder) {
  supn::SafetensorsFile file;
  for (const auto& [name, dtype] : kTypes) {
    file.tensors[name] = values(dtype);
    supn::write_npy(folder / ("ours_" + name + ".npy"), values(dtype));
  }
  file.metadata["who"] = "supn";
  supn::write_safetensors(folder / "ours.safetensors", file);
}

bool read(const std::filesystem::path& folder) {
  const supn::SafetensorsFile file = supn::read_safetensors(folder / "theirs.safetensors");
  bool same = file.metadata.at("who") == "python" && file.tensors.size() == kTypes.size();
  for (const auto& [name, dtype] : kTypes) {
    same = same && file.tensors.at(name).equal(values(dtype));
    same = same && supn::read_npy(folder / ("theirs_" + name + ".npy")).equal(values(dtype));
  }
  return same;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  if (std::string(arguments[1]) == "write") {
    write(arguments[2]);
    return 0;
  }
  return read(arguments[2]) ? 0 : 1;
}
