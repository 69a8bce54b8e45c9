#include "mutation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace supn::fuzz {
namespace {

constexpr std::size_t kLongestPiece = 64;

constexpr std::array<std::uint64_t, 16> kEdges{0,
                                               1,
                                               2,
                                               0x7f,
                                               0x80,
                                               0xff,
                                               0x7fff,
                                               0xffff,
                                               0x10000,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x100000000,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff};

constexpr std::array<std::string_view, 20> kNumbers{"0",
                                                    "-1",
                                                    "-0",
                                                    "1e400",
                                                    "-1e-400",
                                                    "nan",
                                                    "inf",
                                                    "1.",
                                                    ".5",
                                                    "0x10",
                                                    "00",
                                                    "1e300",
                                                    "65536",
                                                    "2147483648",
                                                    "4294967296",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "18446744073709551616",
                                                    "null",
                                                    "\"1\""};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string Mutator::mutate(std::string bytes, const std::string& other, std::size_t longest) {
  for (std::size_t left = 1 + below(4); left > 0; --left) change(bytes, other);
  if (bytes.size() > longest) bytes.resize(longest);
  return bytes;
}

void Mutator::change(std::string& bytes, const std::string& other) {
  const std::size_t place = below(bytes.size() + 1);
  const std::size_t piece = std::min(1 + below(kLongestPiece), bytes.size() - place);
  switch (below(10)) {
    case 0:
      if (place < bytes.size()) bytes[place] = static_cast<char>(bytes[place] ^ 1 << below(8));
      return;
    case 1:
      if (place < bytes.size()) bytes[place] = static_cast<char>(below(256));
      return;
    case 2:
      bytes.resize(place);
      return;
    case 3:
      bytes.insert(place, 1 + below(8), static_cast<char>(below(256)));
      return;
    case 4:
      bytes.erase(place, piece);
      return;
    case 5:
      bytes.insert(below(bytes.size() + 1), bytes.substr(place, piece));
      return;
    case 6:
      return overwrite(bytes, kEdges[below(kEdges.size())], std::size_t{1} << below(4));
    case 7:
      return overwrite(bytes, bytes.size() + below(16) - 8, std::size_t{2} << below(3));
    case 8:
      return change_number(bytes);
    default:
      return splice(bytes, other);
  }
}

void Mutator::overwrite(std::string& bytes, std::uint64_t value, std::size_t count) {
  if (bytes.size() < count) return;
  const bool big_endian = below(2) == 0;
  const std::size_t place = below(bytes.size() - count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[place + (big_endian ? count - 1 - i : i)] = static_cast<char>(value >> 8 * i & 0xff);
  }
}

void Mutator::change_number(std::string& bytes) {
  const std::size_t from = below(bytes.size() + 1);
  const auto begin =
      std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), is_digit);
  if (begin == bytes.end()) return;
  const auto end = std::find_if_not(begin, bytes.end(), is_digit);
  const std::string_view number = kNumbers[below(kNumbers.size())];
  bytes.replace(begin, end, number.begin(), number.end());
}

void Mutator::splice(std::string& bytes, const std::string& other) {
  const std::size_t from = below(other.size());
  bytes.insert(below(bytes.size() + 1), other, from, 1 + below(kLongestPiece));
}

}  // namespace supn::fuzz
