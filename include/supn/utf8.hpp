// UTF-8 text, character by character.
#pragma once

#include <cstddef>
#include <string_view>

namespace supn {

struct Utf8Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool valid = false;  // false: one byte that is no UTF-8
};

// The first character of a text that is not empty.
constexpr Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned int lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || length > text.size()) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(k) & 0x3FU);
  }
  const bool overlong = code < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? Utf8Character{}
                                                  : Utf8Character{length, code, true};
}

constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

// The length of the longest start of the text that has at most `most` bytes and cuts no character.
constexpr std::size_t whole_characters(std::string_view text, std::size_t most) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = length + first_character(text.substr(length)).bytes;
    if (next > most) break;
    length = next;
  }
  return length;
}

// Control characters, and those that a terminal shows as nothing or as an ordinary blank.
constexpr bool is_invisible(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kRanges[] = {{0x0, 0x1F},
                               {0x7F, 0xA0},
                               {0xAD, 0xAD},
                               {0x1680, 0x1680},
                               {0x180E, 0x180E},
                               {0x2000, 0x200F},
                               {0x2028, 0x202F},
                               {0x205F, 0x206F},
                               {0x3000, 0x3000},
                               {0xFEFF, 0xFEFF},
                               {0xFFF9, 0xFFFB},
                               {0xE0000, 0xE007F}};
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

// Columns of a terminal that a character takes: 0 for marks that sit on another one, 2 for the wide
// characters of East Asia and for pictographs.
constexpr std::size_t display_width(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
    std::size_t width;
  };
  constexpr Range kRanges[] = {
      {0x0300, 0x036F, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05BD, 0},   {0x064B, 0x065F, 0},
      {0x200B, 0x200F, 0},   {0x20D0, 0x20FF, 0},   {0xFE00, 0xFE0F, 0},   {0xFE20, 0xFE2F, 0},
      {0xFEFF, 0xFEFF, 0},   {0x1100, 0x115F, 2},   {0x2E80, 0x303E, 2},   {0x3041, 0x33FF, 2},
      {0x3400, 0x4DBF, 2},   {0x4E00, 0x9FFF, 2},   {0xA000, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},
      {0xF900, 0xFAFF, 2},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
      {0x1F300, 0x1F64F, 2}, {0x1F680, 0x1F6FF, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}};
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return range.width;
  }
  return 1;
}

constexpr std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    width += character.valid ? display_width(character.code) : 1;
    text.remove_prefix(character.bytes);
  }
  return width;
}

}  // namespace supn
