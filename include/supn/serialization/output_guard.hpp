// Nothing that a program reads is written over by what it writes, however the paths are spelt, and
// no folder is replaced that holds anything but what this program writes. A place that can't be
// written to is found out before any work.
//
//   OutputGuard guard;
//   guard.reads(image);
//   guard.check_folder(out / "photo", {kNames});   // before any work
//   guard.check_file(out / "photo.png");
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace supn {

// Names of files; a * stands for digits ("sample_*.png").
using FileNames = std::span<const std::string_view>;

// ".name.part123": what AtomicDirectory and write_file_atomically have not finished.
bool is_unfinished(std::string_view name);

// Throws IoError, naming the first thing that is foreign, unless `folder` is absent or a folder (no
// link to one) of nothing but files of these names. What systems put into every folder (.DS_Store,
// Thumbs.db, desktop.ini, .nfs…) and what an interrupted writing left doesn't count.
void require_own_folder(const std::filesystem::path& folder, FileNames names);

// Tells whether the path, which need not be there, lies in the folder, however the two are spelt.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

class OutputGuard {
 public:
  // A file or folder that the program reads; one that isn't there is passed over.
  void reads(const std::filesystem::path& input);

  // Throws IoError if writing the file would replace an input: by the same or another spelling, a
  // link or a hard link. Throws as require_writable, too.
  void check_file(const std::filesystem::path& output) const;

  // Checks likewise a folder that is replaced as a whole: none of the inputs may be in it. Throws
  // as require_own_folder, too.
  void check_folder(const std::filesystem::path& folder, FileNames names) const;

 private:
  using FileId = std::pair<std::uintmax_t, std::uintmax_t>;  // device and inode

  std::map<FileId, std::filesystem::path> files_;
  std::map<std::filesystem::path, std::filesystem::path> folders_;  // around inputs, canonical
};

}  // namespace supn
