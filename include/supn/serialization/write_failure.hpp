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

// Throws as above if a file could not be put there, as far as that can be told without writing:
// a folder has the name, or a part of the path is a file or may not be written to.
void require_writable(const std::filesystem::path& file);

// Creates it with its parents. Throws as above.
void create_folder(const std::filesystem::path& folder);

}  // namespace supn
