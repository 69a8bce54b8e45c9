#include "supn/serialization/user_path.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string home_folder(std::string_view text) {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
  if (const passwd* user = ::getpwuid(::getuid()); user != nullptr && *user->pw_dir == '/') {
    return user->pw_dir;
  }
  throw ConfigError(excerpt(text, kShownBytes) +
                    ": there is no home folder (HOME is not set); write the path out");
}

bool names_a_variable(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if (text[i] == '$' && (next == '{' || next == '_' || std::isalpha(next) != 0)) return true;
  }
  return false;
}

}  // namespace

std::string expanded_path(std::string_view text) {
  if (text == "~" || text.starts_with("~/")) {
    return home_folder(text) + std::string(text.substr(1));
  }
  const bool has_user = text.starts_with('~');
  if ((!has_user && !names_a_variable(text)) || is_there(text)) return std::string(text);
  throw ConfigError(excerpt(text, kShownBytes) + ": " +
                    (has_user ? "another user's home folder is" : "variables are") +
                    " not expanded here; write the path out" +
                    (has_user ? "" : ", or let the shell expand it (\"$NAME/x\", not '$NAME/x')"));
}

}  // namespace supn
