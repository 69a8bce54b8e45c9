// Names of files that are made from other texts: paths, names of images.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace supn {

// Bytes that a file's name may have on the usual file systems.
inline constexpr std::size_t kLongestName = 255;
// Bounds a name that gets an extension and a number behind it.
inline constexpr std::size_t kLongestStem = 200;

// The name itself, or where it has more than `most` bytes its start and a hash of all of it, which
// tells it from other names with the same start. No character is cut in two.
std::string shortened_name(std::string name, std::size_t most = kLongestStem);

// FNV-1a, 64 bits, as 16 hexadecimal digits: tells texts apart, no more.
class TextHash {
 public:
  void add(std::string_view bytes);
  std::string digits() const;

 private:
  unsigned long long hash_ = 0xcbf29ce484222325U;
};

}  // namespace supn
