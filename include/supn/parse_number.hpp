// Numbers in the texts that people write.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace supn {

template <class Number>
struct ParsedNumber {
  Number value{};
  std::errc error{};  // result_out_of_range for a number that the type cannot hold

  explicit operator bool() const { return error == std::errc(); }
};

// Returns the number that the whole text spells in decimal digits, whatever the locale; a leading +
// is taken, blanks are not.
template <class Number>
ParsedNumber<Number> parse_number(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* const begin = text.data() + (has_plus ? 1 : 0);
  const char* const end = text.data() + text.size();
  ParsedNumber<Number> parsed;
  const auto [stop, error] = std::from_chars(begin, end, parsed.value);
  parsed.error = error == std::errc() && stop != end ? std::errc::invalid_argument : error;
  return parsed;
}

}  // namespace supn
