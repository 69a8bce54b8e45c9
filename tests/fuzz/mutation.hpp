// Damage to files, of the kinds that disks, networks, editors and attackers do; a function of the
// seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace supn::fuzz {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // One to four changes: bits flipped, bytes replaced, inserted, repeated or removed, the end cut
  // off, a length field or a number in a text made huge, a piece of `other` put in.
  std::string mutate(std::string bytes, const std::string& other, std::size_t longest);

  // In 0 … limit − 1.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

 private:
  void change(std::string& bytes, const std::string& other);
  void overwrite(std::string& bytes, std::uint64_t value, std::size_t count);
  void change_number(std::string& bytes);
  void splice(std::string& bytes, const std::string& other);

  std::mt19937_64 random_;
};

}  // namespace supn::fuzz
