// 8-bit colour images as tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "supn/image_size.hpp"

namespace supn {

// Images with more pixels are refused before they are decoded.
inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 26;

// Returns RGB, uint8 [H,W,3], of a JPEG or PNG file, told apart by content. Grey becomes three
// equal channels, transparency is dropped, 16-bit becomes 8-bit, the orientation in EXIF is
// applied. Throws IoError for a file that is missing, neither of the two, cut off, damaged (PNG: by
// its checksums; JPEG: by its markers, since its data has no checksum) or larger than
// kMaxImagePixels.
at::Tensor read_rgb(const std::filesystem::path& path);

// Height and width that read_rgb gives, orientation included, by the file's header; reads the file
// but does not decode it. Throws as read_rgb.
ImageSize read_image_size(const std::filesystem::path& path);

// image: uint8 [H,W,3] RGB or [H,W] grey, any strides. The file is complete or absent. Throws
// IoError if it cannot be written, c10::Error for another shape or dtype.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

// The bytes of the file that write_png would write. Throws c10::Error as it does.
std::string encoded_png(const at::Tensor& image);

}  // namespace supn
