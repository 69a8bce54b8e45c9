// These functions convert between files in memory, OpenCV's matrices and tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <opencv2/core.hpp>
#include <string>

#include "image_file.hpp"

namespace supn {

// `flags` are those of cv::imdecode. Throws IoError naming the path.
cv::Mat decode(const std::filesystem::path& path, const ImageFile& file, int flags);

// Encodes without loss.
std::string png_bytes(const cv::Mat& image);

// Writes the same as a file; throws IoError naming the path.
void encode_png(const std::filesystem::path& path, const cv::Mat& image);

}  // namespace supn
