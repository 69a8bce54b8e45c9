// Numbers for people.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace supn {

// As printf's %g: 0.0213 of 0.021345 with 3 digits.
inline std::string rounded(double value, int digits) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace supn
