#pragma once

#include <string_view>

namespace supn {

bool is_utf8(std::string_view text);
// UTF-8 without control characters.
bool is_printable_utf8(std::string_view text);

}  // namespace supn
