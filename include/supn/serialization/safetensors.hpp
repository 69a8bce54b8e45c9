// The safetensors format has 8 bytes of header length, a JSON header {name: {dtype, shape,
// data_offsets}, "__metadata__": {string: string}}, then the tensors' bytes, little-endian, without
// gaps. Files are untrusted: lengths, offsets, overlaps, shapes and dtypes are checked before use.
// dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace supn {

struct SafetensorsFile {
  std::map<std::string, at::Tensor> tensors;  // on the CPU, contiguous
  std::map<std::string, std::string> metadata;
};

// Throws IoError naming the file, the tensor and what is wrong with it.
SafetensorsFile read_safetensors(const std::filesystem::path& path);

// Atomic (atomic_file.hpp). Tensors of any strides and device; each is stored at a multiple of its
// element size. Throws IoError, or c10::Error for a dtype the format does not have and for the
// reserved name "__metadata__".
void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file);

}  // namespace supn
