// The header of a .npy file (npy.hpp), and how its numbers lie in the file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "supn/serialization/npy.hpp"

namespace supn {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

// A type of numbers as NumPy names it, without the byte order, and what it is read as. Unsigned
// numbers that ATen lacks become the next wider signed ones.
struct StoredType {
  std::string_view name;
  at::ScalarType dtype;
  std::int64_t bytes;
};
inline constexpr std::array<StoredType, 12> kStoredTypes{{{"f2", at::kHalf, 2},
                                                          {"f4", at::kFloat, 4},
                                                          {"f8", at::kDouble, 8},
                                                          {"i1", at::kChar, 1},
                                                          {"i2", at::kShort, 2},
                                                          {"i4", at::kInt, 4},
                                                          {"i8", at::kLong, 8},
                                                          {"u1", at::kByte, 1},
                                                          {"u2", at::kInt, 2},
                                                          {"u4", at::kLong, 4},
                                                          {"u8", at::kLong, 8},
                                                          {"b1", at::kBool, 1}}};

enum class ByteOrder { kLittle, kBig };
enum class AxisOrder { kC, kFortran };

// Adds to NpyHeader what else the header says.
struct NpyLayout {
  NpyHeader header;
  StoredType type{};
  ByteOrder byte_order = ByteOrder::kLittle;
  AxisOrder axis_order = AxisOrder::kC;
};

// Throws IoError: what is wrong, and that it can be written again.
[[noreturn]] void refuse_npy(const std::filesystem::path& path, const std::string& what);

std::ifstream open_npy(const std::filesystem::path& path);

// Reads from the stream's start. Throws IoError.
NpyLayout read_npy_layout(const std::filesystem::path& path, std::ifstream& stream);

}  // namespace supn
