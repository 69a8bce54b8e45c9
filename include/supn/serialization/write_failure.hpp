// A file or folder that can't be written becomes an error with a remedy.
#pragma once

#include <filesystem>
#include <system_error>

namespace supn {

// Throws DiskFull where space or quota is used up, else IoError, with the remedy that fits the
// system's error.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, std::error_code error);

// Does the same by errno.
[[noreturn]] void fail_to_write(const std::filesystem::path& path);

// Creates it with its parents. Throws as above.
void create_folder(const std::filesystem::path& folder);

}  // namespace supn
