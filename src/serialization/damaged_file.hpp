// What is wrong inside a file; who knows the file's name adds it (IoError).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace supn {

class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For messages: what a file holds is not to reach a terminal as it is.
inline std::string printable(std::string_view text) {
  std::string result(text.substr(0, 80));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > 80 ? result + "..." : result;
}

}  // namespace supn
