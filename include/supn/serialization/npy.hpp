// These functions read and write NumPy's .npy files (format versions 1 to 3) of real numbers:
// floating-point numbers of up to 64 bits, signed and unsigned integers, bool; either byte order, C
// or Fortran order. Unsigned 16, 32 and 64 bits are read as signed 32, 64 and 64. Files are
// untrusted: every length is bounded and checked before it is used.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace supn {

struct NpyHeader {
  at::ScalarType dtype = at::kFloat;  // that read_npy gives
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  // bytes from the start of the file
};

// Reads the header alone; also checks that the file has as many bytes as the header promises.
// Throws IoError naming what was expected and found.
NpyHeader read_npy_header(const std::filesystem::path& path);

// The array, on the CPU, contiguous in C order, of the header's dtype and shape. Throws IoError,
// also for other values (complex numbers, texts, objects) and for integers beyond int64.
at::Tensor read_npy(const std::filesystem::path& path);

// Little-endian, in C order. Atomic (atomic_file.hpp). Any strides and device. Throws IoError, or
// c10::Error for another dtype.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);

}  // namespace supn
