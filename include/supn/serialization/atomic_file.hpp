// Files and directories that are there whole or not at all: written aside (a hidden sibling),
// flushed to disk, then renamed over the final name. An interrupted write leaves what was there
// before.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "supn/serialization/output_guard.hpp"

namespace supn {

// Missing parent directories are created. Throws IoError if anything cannot be written.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// A directory under construction:
//
//   AtomicDirectory directory(final_path, kNames);
//   write_file_atomically(directory.path() / "part", …);
//   directory.commit();
//
// commit() replaces an existing directory of that name; without it the destructor removes all that
// was written. Both throw IoError if the place cannot be written, is a file or a link, or is a
// directory that holds anything but files of `names` (require_own_folder).
class AtomicDirectory {
 public:
  AtomicDirectory(std::filesystem::path destination, FileNames names);
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  const std::filesystem::path& path() const { return staging_; }
  void commit();

 private:
  std::filesystem::path destination_;
  FileNames names_;
  std::filesystem::path staging_;
};

// A hidden name beside `path` for what is not finished yet, on the same file system:
// ".name.part123" for the suffix ".part123". It is never longer than a name may be.
std::filesystem::path hidden_sibling(const std::filesystem::path& path, const std::string& suffix);

// Tells whether there is a directory of that name, or one that recover_directory() would put back.
bool directory_is_there(const std::filesystem::path& destination);

// Puts back a directory that a commit() interrupted between its two renames had moved aside, and
// removes what other interrupted commits left. Readers of atomic directories call it first.
void recover_directory(const std::filesystem::path& destination);

}  // namespace supn
