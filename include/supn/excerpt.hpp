// An excerpt makes foreign text fit for an error message: files are untrusted, a message is one
// line for a terminal, and the reader has to see what is wrong with the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "supn/utf8.hpp"

namespace supn {

// The text, with what can't be seen spelt out: \x09 for control characters and for bytes that are
// no UTF-8, \u00a0 for a no-break space, \ufeff for a byte-order mark and the like.
inline std::string visible(std::string_view text) {
  std::string shown;
  const auto spell = [&shown](char kind, char32_t value, unsigned int digits) {
    constexpr std::string_view kHex = "0123456789abcdef";
    shown += '\\';
    shown += kind;
    while (digits-- > 0) shown += kHex[value >> 4U * digits & 0xFU];
  };
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!character.valid) {
      spell('x', static_cast<unsigned char>(text.front()), 2);
    } else if (!is_invisible(character.code) || character.code == ' ') {
      shown += text.substr(0, character.bytes);
    } else if (character.code < 0x80) {
      spell('x', character.code, 2);
    } else {
      spell(character.code > 0xFFFF ? 'U' : 'u', character.code, character.code > 0xFFFF ? 8 : 4);
    }
    text.remove_prefix(character.bytes);
  }
  return shown;
}

// Returns the characters within the first `most` bytes, made visible, and "..." where there are
// more.
inline std::string excerpt(std::string_view text, std::size_t most = 60) {
  const std::string shown = visible(text.substr(0, whole_characters(text, most)));
  return text.size() > most ? shown + "..." : shown;
}

}  // namespace supn
