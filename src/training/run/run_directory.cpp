#include "training/run/run_directory.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/write_failure.hpp"

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

// Returns the checkpoints, the oldest first.
std::vector<std::pair<std::int64_t, fs::path>> checkpoints_in(const fs::path& steps) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(steps, error)) {
    if (const auto step = step_of(entry.path())) found.emplace_back(*step, entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Deletes .last.part and the like; recovers what .last.replaced and the like stand for.
void recover_all(const fs::path& directory) {
  constexpr std::string_view kReplaced = ".replaced";
  std::error_code error;
  std::vector<fs::path> half_written;
  std::vector<fs::path> replaced;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) continue;
    if (is_unfinished(name)) half_written.push_back(entry.path());
    if (!name.ends_with(kReplaced)) continue;
    replaced.push_back(directory / name.substr(1, name.size() - 1 - kReplaced.size()));
  }
  for (const fs::path& leftover : half_written) fs::remove_all(leftover, error);
  for (const fs::path& destination : replaced) recover_directory(destination);
}

// A folder that holds anything else is left alone.
void remove_checkpoint(const fs::path& checkpoint) {
  try {
    require_own_folder(checkpoint, kCheckpointFiles);
  } catch (const IoError&) {
    return;
  }
  std::error_code ignored;
  fs::remove_all(checkpoint, ignored);
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (!error) return;
  error.clear();
  fs::copy_file(from, to, error);
  if (error) fail_to_write(to, error);
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
  if (is_there(lock_file())) return;
  for (const char* name : {"config.yaml", "metrics.jsonl", "metrics.csv", "steps"}) {
    if (!is_there(directory_ / name)) continue;
    throw ConfigError("training.output: " + directory_.string() + " holds " + name +
                      ", which no run has written there (there is no .lock); choose another "
                      "directory with --set training.output=DIR");
  }
}

void RunDirectory::create() const { create_folder(directory_); }

void RunDirectory::require_run() const {
  if (directory_is_there(last())) return;
  throw ConfigError("training.output: " + directory_.string() +
                    " holds no checkpoint to go on from (no last/); start without --resume");
}

void RunDirectory::recover() const {
  recover_all(directory_);
  recover_all(steps());
}

RunLock::RunLock(const RunDirectory& directory) : lock_(directory.lock_file()) {
  if (lock_.is_held()) return;
  throw ConfigError("training.output: another process trains in " + directory.path().string() +
                    " now; wait for its end, or choose another directory with --set "
                    "training.output=DIR");
}

KeptCheckpoints::KeptCheckpoints(const RunDirectory& directory, std::int64_t keep)
    : last_(directory.last()), steps_(directory.steps()), keep_(keep) {}

void KeptCheckpoints::forget_after(std::int64_t step) const {
  for (const auto& [kept, path] : checkpoints_in(steps_)) {
    if (kept > step) remove_checkpoint(path);
  }
}

void KeptCheckpoints::add(std::int64_t step) const {
  if (keep_ < 2) return;
  char name[32];
  std::snprintf(name, sizeof name, "%0*lld", kStepDigits, static_cast<long long>(step));
  AtomicDirectory kept(steps_ / name, kCheckpointFiles);
  for (const auto& entry : fs::directory_iterator(last_)) {
    link_or_copy(entry.path(), kept.path() / entry.path().filename());
  }
  kept.commit();
  const auto all = checkpoints_in(steps_);
  const auto surplus = static_cast<std::int64_t>(all.size()) - keep_;
  for (std::int64_t i = 0; i < surplus; ++i) {
    remove_checkpoint(all[static_cast<std::size_t>(i)].second);
  }
}

}  // namespace supn
