#include "supn/serialization/output_guard.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "supn/errors.hpp"
#include "supn/serialization/write_failure.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view front = pattern.substr(0, star);
  const std::string_view back = pattern.substr(star + 1);
  return name.size() > front.size() + back.size() && name.starts_with(front) &&
         name.ends_with(back) &&
         is_digits(name.substr(front.size(), name.size() - front.size() - back.size()));
}

bool is_of_the_system(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames{".DS_Store", "Thumbs.db", "desktop.ini"};
  return name.starts_with(".nfs") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_own(const fs::directory_entry& entry, FileNames names) {
  const std::string name = entry.path().filename().string();
  if (is_of_the_system(name) || is_unfinished(name)) return true;
  std::error_code error;
  const bool is_file = fs::is_regular_file(entry.symlink_status(error));
  return is_file && std::any_of(names.begin(), names.end(), [&](std::string_view pattern) {
           return matches(name, pattern);
         });
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? "." : path);
  fs::path whole = fs::weakly_canonical(absolute, error);
  if (error) whole = absolute.lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

std::optional<std::pair<std::uintmax_t, std::uintmax_t>> id_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uintmax_t, std::uintmax_t>(status.st_dev, status.st_ino);
}

}  // namespace

bool is_unfinished(std::string_view name) {
  constexpr std::string_view kPart = ".part";
  const std::size_t part = name.rfind(kPart);
  return name.starts_with('.') && part != std::string_view::npos &&
         is_digits(name.substr(part + kPart.size()));
}

void require_own_folder(const fs::path& folder, FileNames names) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  if (!fs::exists(status)) return;
  if (fs::is_symlink(status)) {
    throw IoError(folder, "is a link where a folder is to be replaced; name another place");
  }
  if (!fs::is_directory(status)) {
    throw IoError(folder, "is a file where a folder is to be written; name another place");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_own(entry, names)) continue;
    throw IoError(folder,
                  "would be replaced, and holds " + visible(entry.path().filename().string()) +
                      ", which this program has not written; name another place, or move it away");
  }
  if (error) throw IoError(folder, "cannot be looked into (" + error.message() + ")");
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = resolved(path).lexically_relative(resolved(folder));
  return !relative.empty() && relative != "." && *relative.begin() != "..";
}

void OutputGuard::reads(const fs::path& input) {
  if (input.empty()) return;
  const auto id = id_of(input);
  if (!id) return;
  files_.emplace(*id, input);
  // The link itself and what it points to are both inputs.
  const fs::path named = resolved(input.parent_path()) / input.filename();
  for (fs::path folder : {named, resolved(input)}) {
    while (folders_.emplace(folder, input).second && folder.has_relative_path()) {
      folder = folder.parent_path();
    }
  }
}

void OutputGuard::check_file(const fs::path& output) const {
  const auto id = id_of(output);
  const auto found = id ? files_.find(*id) : files_.end();
  if (found == files_.end()) return require_writable(output);
  throw IoError(output,
                "would be written over, and is an input of this call (" +
                    visible(found->second.string()) + "); write to another place");
}

void OutputGuard::check_folder(const fs::path& folder, FileNames names) const {
  if (const auto found = folders_.find(resolved(folder)); found != folders_.end()) {
    throw IoError(folder,
                  "would be replaced, and holds an input of this call (" +
                      visible(found->second.string()) + "); write to another place");
  }
  require_own_folder(folder, names);
}

}  // namespace supn
