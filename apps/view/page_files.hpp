// The page, as it was built into the program (cmake/EmbedFiles.cmake).
#pragma once

#include <span>
#include <string_view>

namespace supn {

struct PageFile {
  std::string_view name;
  std::string_view bytes;
};

std::span<const PageFile> page_files();

}  // namespace supn
