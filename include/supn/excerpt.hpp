// Foreign text for an error message: files are untrusted, a message is one line for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace supn {

// The first `most` bytes, "..." where there are more; control characters as \xNN.
inline std::string excerpt(std::string_view text, std::size_t most = 60) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
      continue;
    }
    shown += "\\x";
    shown += kHex[byte >> 4U];
    shown += kHex[byte & 0xfU];
  }
  return text.size() > most ? shown + "..." : shown;
}

}  // namespace supn
