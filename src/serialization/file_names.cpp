#include "supn/serialization/file_names.hpp"

#include "supn/utf8.hpp"

namespace supn {

void TextHash::add(std::string_view bytes) {
  constexpr unsigned long long kPrime = 0x100000001b3U;
  for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
}

std::string TextHash::digits() const {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(hash_ >> shift) & 0xfU];
  return text;
}

std::string shortened_name(std::string name, std::size_t most) {
  if (name.size() <= most) return name;
  TextHash hash;
  hash.add(name);
  const std::string ending = "-" + hash.digits();
  name.resize(whole_characters(name, most - ending.size()));
  return name + ending;
}

}  // namespace supn
