// NumPy's .npy files (format versions 1 to 3): little-endian, C order, dtypes f2, f4, f8, i1, i2,
// i4, i8, u1 and bool. Files are untrusted: every length is bounded and checked before it is used.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace supn {

struct NpyHeader {
  at::ScalarType dtype = at::kFloat;
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  // bytes from the start of the file
};

// The header alone; also checks that the file has as many bytes as the header promises. Throws
// IoError naming what was expected and found.
NpyHeader read_npy_header(const std::filesystem::path& path);

// The array, on the CPU, contiguous, of the file's dtype and shape. Throws IoError.
at::Tensor read_npy(const std::filesystem::path& path);

// Atomic (atomic_file.hpp). Any strides and device. Throws IoError, or c10::Error for another
// dtype.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);

}  // namespace supn
