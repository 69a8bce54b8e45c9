// An inspection shows what files of weights hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace supn {

// Names, dtypes and shapes of .pth, .pt or .safetensors files, and the plain values beside them, as
// text or as a JSON array with an object per file. Throw IoError as read_pth, read_safetensors.
std::string inspection_text(const std::vector<std::filesystem::path>& files);
std::string inspection_json(const std::vector<std::filesystem::path>& files);

}  // namespace supn
