// An output place says where the results of an image go.
#pragma once

#include <filesystem>

#include "inference/inputs.hpp"
#include "supn/serialization/output_guard.hpp"

namespace supn {

struct OutputPlace {
  std::filesystem::path folder;   // <out>/<name>, replaced as a whole
  std::filesystem::path picture;  // <out>/<name>.png
};

OutputPlace output_place(const std::filesystem::path& out, const InputImage& image);

// Throws IoError unless both may be written: neither replaces an input, the folder holds nothing
// but files of `names`, and a picture that is there has a folder beside it, as ours have.
void check_output_place(const OutputGuard& guard, const OutputPlace& place, FileNames names);

// A single file that the user names; it must not lie in the folder, which is replaced.
void check_output_file(const OutputGuard& guard,
                       const std::filesystem::path& file,
                       const OutputPlace& place);

// For outputs without a picture: an earlier call's would show other maps. Throws IoError.
void remove_picture(const OutputPlace& place);

// The checkpoint's parts, and the folder itself.
void reads_checkpoint(OutputGuard& guard, const std::filesystem::path& checkpoint);

}  // namespace supn
