#include "supn/serialization/write_failure.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "supn/errors.hpp"

namespace supn {
namespace {

bool is_full(std::error_code error) { return error.value() == ENOSPC || error.value() == EDQUOT; }

const char* remedy_of(std::error_code error) {
  switch (error.value()) {
    case ENOSPC:
    case EDQUOT:
      return "free some space, or write to another disk";
    case EACCES:
    case EPERM:
      return "check the permissions, or name another place";
    case EROFS:
      return "name a place that can be written to";
    case ENAMETOOLONG:
      return "name a shorter path";
    case ENOTDIR:
    case EEXIST:
      return "a part of the path is a file; name another path";
    case EISDIR:
      return "a folder is there; name another path";
    case ENOENT:
      return "check the path";
    case EFBIG:
      return "the file is larger than the system allows (see ulimit -f)";
    case EMFILE:
    case ENFILE:
      return "too many files are open (see ulimit -n)";
    case EIO:
      return "check the disk";
    default:
      return "check the path, free space and permissions";
  }
}

}  // namespace

void fail_to_write(const std::filesystem::path& path, std::error_code error) {
  const std::string message =
      "cannot be written (" + error.message() + "); " + std::string(remedy_of(error));
  if (is_full(error)) throw DiskFull(path, message);
  throw IoError(path, message);
}

void fail_to_write(const std::filesystem::path& path) {
  fail_to_write(path, {errno, std::generic_category()});
}

void require_writable(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    fail_to_write(file, std::make_error_code(std::errc::is_a_directory));
  }
  // Folders that are not there yet are made in the nearest that is.
  std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  while (!std::filesystem::exists(folder, error)) {
    if (error) fail_to_write(file, error);
    folder = folder.parent_path();
  }
  if (!std::filesystem::is_directory(folder, error)) {
    fail_to_write(file, std::make_error_code(std::errc::not_a_directory));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_to_write(file);
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_to_write(folder, error);
  if (!std::filesystem::is_directory(folder, error)) {
    fail_to_write(folder, std::make_error_code(std::errc::not_a_directory));
  }
}

}  // namespace supn
