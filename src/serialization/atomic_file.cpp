#include "supn/serialization/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "supn/errors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

// A sibling, so that the rename stays on one file system; the process number, so that two programs
// writing the same file don't share a staging place.
fs::path sibling(const fs::path& path, std::string_view role) {
  return path.parent_path() /
         ("." + path.filename().string() + "." + std::string(role) + std::to_string(::getpid()));
}

fs::path backup_of(const fs::path& directory) {
  return directory.parent_path() / ("." + directory.filename().string() + ".replaced");
}

std::string reason() { return std::strerror(errno); }

void create_parent(const fs::path& path) {
  if (!path.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw IoError(path.parent_path(),
                  "the directory cannot be created (" + error.message() +
                      "); check the path and its permissions");
  }
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags, 0644)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

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

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  create_parent(path);
  const fs::path staging = sibling(path, "part");
  std::string failure;
  {
    const Descriptor file(staging, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (file.get() < 0 || !write_all(file.get(), bytes)) failure = reason();
  }
  if (failure.empty() && ::rename(staging.c_str(), path.c_str()) != 0) failure = reason();
  if (!failure.empty()) {
    ::unlink(staging.c_str());
    throw IoError(path, "cannot be written (" + failure + "); check free space and permissions");
  }
  flush_directory(path.parent_path());
}

std::string read_file(const fs::path& path, std::uintmax_t limit) {
  std::error_code error;
  if (!fs::exists(path, error)) throw IoError(path, "there is no such file");
  if (!fs::is_regular_file(path, error)) throw IoError(path, "is not a regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw IoError(path, "cannot be read (" + error.message() + ")");
  if (size > limit) {
    throw IoError(
        path, "is larger than the " + std::to_string(limit) + " bytes that such a file may have");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!stream || stream.gcount() != static_cast<std::streamsize>(size)) {
    throw IoError(path, "cannot be read to its end");
  }
  return bytes;
}

AtomicDirectory::AtomicDirectory(fs::path destination) : destination_(std::move(destination)) {
  if (!destination_.has_filename()) destination_ = destination_.parent_path();
  create_parent(destination_);
  staging_ = sibling(destination_, "part");
  std::error_code error;
  if (fs::exists(destination_, error) && !fs::is_directory(destination_, error)) {
    throw IoError(destination_, "is a file where a directory is to be written; name another path");
  }
  fs::remove_all(staging_, error);
  if (!fs::create_directory(staging_, error)) {
    throw IoError(destination_,
                  "cannot be written (" + error.message() + "); check free space and permissions");
  }
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void AtomicDirectory::commit() {
  flush_directory(staging_);
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
    throw IoError(destination_, "cannot be replaced (" + error.message() + ")");
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
