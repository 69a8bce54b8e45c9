// A lock is held by one process at a time, for as long as it lives: the system takes a lock back
// from a process that is killed.
#pragma once

#include <filesystem>

namespace supn {

class FileLock {
 public:
  // Takes the lock of the file, which is made where there is none. is_held() is false afterwards if
  // another process has it. File systems without locks are trusted to have one user. Throws IoError
  // if the file can't be written.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  bool is_held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace supn
