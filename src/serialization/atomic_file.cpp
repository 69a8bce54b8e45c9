#include "supn/serialization/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "descriptor.hpp"
#include "supn/serialization/file_names.hpp"
#include "supn/serialization/write_failure.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

// The name holds the process number, so that two programs writing the same file don't share a
// staging place.
fs::path staging_of(const fs::path& path) {
  return hidden_sibling(path, ".part" + std::to_string(::getpid()));
}

fs::path backup_of(const fs::path& directory) { return hidden_sibling(directory, ".replaced"); }

void create_parent(const fs::path& path) {
  if (path.has_parent_path()) create_folder(path.parent_path());
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0;
}

void flush_directory(const fs::path& directory) {
  const Descriptor descriptor(directory.empty() ? fs::path(".") : directory,
                              O_RDONLY | O_DIRECTORY);
  if (descriptor.get() >= 0) ::fsync(descriptor.get());
}

}  // namespace

fs::path hidden_sibling(const fs::path& path, const std::string& suffix) {
  const std::string name =
      shortened_name(path.filename().string(), kLongestName - 1 - suffix.size());
  return path.parent_path() / ("." + name + suffix);
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  create_parent(path);
  const fs::path staging = staging_of(path);
  int failure = 0;
  {
    const Descriptor file(staging, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (file.get() < 0 || !write_all(file.get(), bytes)) failure = errno;
  }
  if (failure == 0 && ::rename(staging.c_str(), path.c_str()) != 0) failure = errno;
  if (failure != 0) {
    ::unlink(staging.c_str());
    fail_to_write(path, {failure, std::generic_category()});
  }
  flush_directory(path.parent_path());
}

AtomicDirectory::AtomicDirectory(fs::path destination, FileNames names)
    : destination_(std::move(destination)), names_(names) {
  if (!destination_.has_filename()) destination_ = destination_.parent_path();
  require_own_folder(destination_, names_);
  create_parent(destination_);
  staging_ = staging_of(destination_);
  std::error_code error;
  fs::remove_all(staging_, error);
  if (!fs::create_directory(staging_, error)) fail_to_write(destination_, error);
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void AtomicDirectory::commit() {
  flush_directory(staging_);
  require_own_folder(destination_, names_);  // somebody may have put something there meanwhile
  const fs::path backup = backup_of(destination_);
  std::error_code error;
  const bool replaces = fs::exists(destination_, error);
  if (replaces) {
    fs::remove_all(backup, error);
    fs::rename(destination_, backup, error);
  }
  if (!error) fs::rename(staging_, destination_, error);
  if (error) {
    std::error_code ignored;
    if (replaces && !fs::exists(destination_, ignored)) fs::rename(backup, destination_, ignored);
    fail_to_write(destination_, error);
  }
  flush_directory(destination_.parent_path());
  if (replaces) fs::remove_all(backup, error);
}

bool directory_is_there(const fs::path& destination) {
  std::error_code error;
  return fs::is_directory(destination, error) || fs::is_directory(backup_of(destination), error);
}

void recover_directory(const fs::path& destination) {
  const fs::path backup = backup_of(destination);
  std::error_code error;
  if (!fs::exists(backup, error)) return;
  if (fs::exists(destination, error)) {
    fs::remove_all(backup, error);
  } else {
    fs::rename(backup, destination, error);
  }
}

}  // namespace supn
