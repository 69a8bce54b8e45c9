// The directory of one training run: what is where, who writes there, which checkpoints are kept.
// Layout: run.hpp.
#pragma once

#include <cstdint>
#include <filesystem>

#include "supn/serialization/file_lock.hpp"

namespace supn {

class RunDirectory {
 public:
  // Throws ConfigError if the path is empty.
  explicit RunDirectory(std::filesystem::path directory);

  std::filesystem::path last() const { return directory_ / "last"; }
  std::filesystem::path best() const { return directory_ / "best"; }
  std::filesystem::path steps() const { return directory_ / "steps"; }
  std::filesystem::path config() const { return directory_ / "config.yaml"; }
  // Made with the directory, so that it also tells a run's directory from others.
  std::filesystem::path lock_file() const { return directory_ / ".lock"; }
  const std::filesystem::path& path() const { return directory_; }

  // Throws ConfigError if a run is in it, or files of a run's names that no run has written.
  void require_free() const;
  // Throws IoError if the directory cannot be created.
  void create() const;
  // Throws ConfigError if there is no last/ to go on from.
  void require_run() const;
  // Puts back what killed processes had moved aside, and removes what they left half-written. Only
  // for the holder of the RunLock.
  void recover() const;

 private:
  std::filesystem::path directory_;
};

// A RunLock holds a run's directory for as long as it lives; the system takes the lock back from a
// process that is killed.
class RunLock {
 public:
  // Throws ConfigError if another process trains there, IoError if nothing can be written there.
  explicit RunLock(const RunDirectory& directory);

 private:
  FileLock lock_;
};

// steps/<finished steps>/: the newest checkpoints. They share their files with last/ (hard links)
// where the file system can.
class KeptCheckpoints {
 public:
  KeptCheckpoints(const RunDirectory& directory, std::int64_t keep);

  // Removes those of later steps, which a run that goes on from `step` writes anew.
  void forget_after(std::int64_t step) const;
  // Keeps last/, saved after `step`, and removes the oldest beyond `keep`. Throws IoError.
  void add(std::int64_t step) const;

 private:
  std::filesystem::path last_;
  std::filesystem::path steps_;
  std::int64_t keep_;
};

}  // namespace supn
