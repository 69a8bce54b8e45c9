#include "run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr int kStepDigits = 8;

// The number in a name that is nothing else.
std::optional<std::int64_t> step_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename().string();
  constexpr std::size_t kMostDigits = 18;
  const bool digits = !name.empty() && name.size() <= kMostDigits &&
                      name.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::optional<std::int64_t>(std::stoll(name)) : std::nullopt;
}

// Oldest first.
std::vector<std::pair<std::int64_t, fs::path>> checkpoints_in(const fs::path& steps) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(steps, error)) {
    if (const auto step = step_of(entry.path())) found.emplace_back(*step, entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Of .last.part, .last.replaced and the like.
void recover_all(const fs::path& directory) {
  constexpr std::string_view kReplaced = ".replaced";
  std::error_code error;
  std::vector<fs::path> half_written;
  std::vector<fs::path> replaced;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) continue;
    if (name.find(".part") != std::string::npos) half_written.push_back(entry.path());
    if (!name.ends_with(kReplaced)) continue;
    replaced.push_back(directory / name.substr(1, name.size() - 1 - kReplaced.size()));
  }
  for (const fs::path& leftover : half_written) fs::remove_all(leftover, error);
  for (const fs::path& destination : replaced) recover_directory(destination);
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (!error) return;
  error.clear();
  fs::copy_file(from, to, error);
  if (error) {
    throw IoError(to, "cannot be written (" + error.message() + "); check free space");
  }
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory) : directory_(std::move(directory)) {
  if (directory_.empty()) {
    throw ConfigError(
        "training.output: not set; give the run's directory in the configuration or with --set "
        "training.output=DIR");
  }
}

void RunDirectory::require_free() const {
  // metrics.jsonl alone is what a run that was never saved left behind: nothing is lost with it.
  for (const auto& sign : {last(), best(), steps()}) {
    const bool is_sign =
        sign == steps() ? !checkpoints_in(steps()).empty() : directory_is_there(sign);
    if (!is_sign) continue;
    throw ConfigError("training.output: " + directory_.string() + " already holds a run (" +
                      sign.filename().string() +
                      "); go on with it by --resume, or choose another directory with --set "
                      "training.output=DIR");
  }
}

void RunDirectory::create() const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (!error && fs::is_directory(directory_)) return;
  throw IoError(directory_,
                "cannot be created (" + (error ? error.message() : "it is not a directory") +
                    "); choose a writable place with --set training.output=DIR");
}

void RunDirectory::require_run() const {
  if (directory_is_there(last())) return;
  throw ConfigError("training.output: " + directory_.string() +
                    " holds no checkpoint to go on from (no last/); start without --resume");
}

void RunDirectory::recover() const {
  recover_all(directory_);
  recover_all(steps());
}

RunLock::RunLock(const RunDirectory& directory) {
  const fs::path file = directory.path() / ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw IoError(directory.path(),
                  std::string("cannot be written (") + std::strerror(errno) +
                      "); choose a writable place with --set training.output=DIR");
  }
  // File systems without locks are trusted to have one user.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw ConfigError("training.output: another process trains in " + directory.path().string() +
                    " now; wait for its end, or choose another directory with --set "
                    "training.output=DIR");
}

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

KeptCheckpoints::KeptCheckpoints(const RunDirectory& directory, std::int64_t keep)
    : last_(directory.last()), steps_(directory.steps()), keep_(keep) {}

void KeptCheckpoints::forget_after(std::int64_t step) const {
  std::error_code error;
  for (const auto& [kept, path] : checkpoints_in(steps_)) {
    if (kept > step) fs::remove_all(path, error);
  }
}

void KeptCheckpoints::add(std::int64_t step) const {
  if (keep_ < 2) return;
  char name[32];
  std::snprintf(name, sizeof name, "%0*lld", kStepDigits, static_cast<long long>(step));
  AtomicDirectory kept(steps_ / name);
  for (const auto& entry : fs::directory_iterator(last_)) {
    link_or_copy(entry.path(), kept.path() / entry.path().filename());
  }
  kept.commit();
  const auto all = checkpoints_in(steps_);
  const auto surplus = static_cast<std::int64_t>(all.size()) - keep_;
  std::error_code error;
  for (std::int64_t i = 0; i < surplus; ++i) {
    fs::remove_all(all[static_cast<std::size_t>(i)].second, error);
  }
}

}  // namespace supn
