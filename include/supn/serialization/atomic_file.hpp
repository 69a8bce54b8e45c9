// Files and directories that are there whole or not at all: written aside (a hidden sibling),
// flushed to disk, then renamed over the final name. An interrupted write leaves what was there
// before.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace supn {

// Missing parent directories are created. Throws IoError if anything cannot be written.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// The whole content. Throws IoError if the file is missing, unreadable or larger than `limit`
// bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t limit);

// A directory under construction:
//
//   AtomicDirectory directory(final_path);
//   write_file_atomically(directory.path() / "part", …);
//   directory.commit();
//
// commit() replaces an existing directory of that name; without it the destructor removes all that
// was written. Throws IoError if the place cannot be written or is a file.
class AtomicDirectory {
 public:
  explicit AtomicDirectory(std::filesystem::path destination);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  const std::filesystem::path& path() const { return staging_; }
  void commit();

 private:
  std::filesystem::path destination_;
  std::filesystem::path staging_;
};

// Whether there is a directory of that name, or one that recover_directory() would put back.
bool directory_is_there(const std::filesystem::path& destination);

// Puts back a directory that a commit() interrupted between its two renames had moved aside, and
// removes what other interrupted commits left. Readers of atomic directories call it first.
void recover_directory(const std::filesystem::path& destination);

}  // namespace supn
