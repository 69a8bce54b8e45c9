#include "supn/serialization/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "descriptor.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

std::string refusal(const fs::path& path) {
  fs::path folder;
  for (const fs::path& part : fs::absolute(path).parent_path()) {
    folder /= part;
    if (::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0) continue;
    return "may not be read: the folder " + folder.string() +
           " may not be entered; ask its owner for the permission (chmod +x)";
  }
  return "may not be read; ask its owner for the permission (chmod +r)";
}

std::string reason_not_opened(const fs::path& path, int error) {
  switch (error) {
    case ENOENT:
      if (is_link(path)) {
        std::error_code ignored;
        return "is a link that leads nowhere (to " + fs::read_symlink(path, ignored).string() +
               "); bring what it points to, or copy the file itself";
      }
      return "there is no such file; check the path";
    case ENOTDIR:
      return "there is no such file: a part of its path is a file; check the path";
    case EACCES:
    case EPERM:
      return refusal(path);
    case ELOOP:
      return "is a link that leads in a circle; copy the file itself";
    case ENAMETOOLONG:
      return "is a longer name than a file can have; check the path";
    default:
      return std::string("cannot be read (") + std::strerror(error) + ")";
  }
}

bool begins_with_tag(std::string_view text) {
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string start(text.substr(0, 14));
  std::transform(start.begin(), start.end(), start.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

void require_own_content(const fs::path& path, std::string_view start) {
  if (start.empty()) throw IoError(path, "is empty; copy or make it again");
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    throw IoError(path, "is a Git LFS pointer, not the file itself; run git lfs pull");
  }
  if (begins_with_tag(start)) {
    throw IoError(path, "is a web page, not the file itself; download it again, from its own link");
  }
}

// A readable, regular file that is open; its first bytes have been judged.
Descriptor opened(const fs::path& path) {
  // A pipe without a writer must not be waited for.
  Descriptor file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.get() < 0) throw IoError(path, reason_not_opened(path, errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw IoError(path,
                  S_ISDIR(status.st_mode) ? "is a folder; name a file"
                                          : "is not a regular file; name a file");
  }
  std::array<char, 256> start{};
  const ssize_t count = ::pread(file.get(), start.data(), start.size(), 0);
  if (count < 0) throw IoError(path, reason_not_opened(path, errno));
  require_own_content(path, {start.data(), static_cast<std::size_t>(count)});
  return file;
}

}  // namespace

bool is_there(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return true;
  return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG;
}

void require_file(const fs::path& path) { opened(path); }

std::string read_file(const fs::path& path, std::uintmax_t limit) {
  const Descriptor file = opened(path);
  struct stat status {};
  ::fstat(file.get(), &status);
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  if (size > limit) {
    throw IoError(
        path, "is larger than the " + std::to_string(limit) + " bytes that such a file may have");
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw IoError(path, "cannot be read to its end");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string read_text(const fs::path& path, std::uintmax_t limit) {
  std::string text = read_file(path, limit);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw IoError(path, "is a text in UTF-16; save it as UTF-8");
  }
  if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
  return text;
}

}  // namespace supn
