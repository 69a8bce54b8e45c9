// Inputs of the kernels that are the same on every machine, and a hash of what comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace supn {

// Kernels may load from cache lines.
template <typename T>
struct CacheLines {
  using value_type = T;
  CacheLines() = default;
  template <typename Other>
  explicit CacheLines(const CacheLines<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* data, std::size_t) { ::operator delete (data, std::align_val_t{64}); }
  bool operator==(const CacheLines&) const = default;
};

template <typename T>
using Values = std::vector<T, CacheLines<T>>;

// Multiples of 2^-20 in [-scale, scale): the same numbers everywhere.
template <typename T>
Values<T> numbers(std::int64_t count, double scale, std::uint64_t seed) {
  Values<T> values;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const auto integer = static_cast<std::int64_t>(state >> 43U) - (std::int64_t{1} << 20U);
    values.push_back(static_cast<T>(scale * static_cast<double>(integer) / (1 << 20U)));
  }
  return values;
}

// FNV-1a of the bytes.
template <typename T>
std::uint64_t hash(const Values<T>& values) {
  std::uint64_t result = 0xCBF29CE484222325ULL;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) {
    result = (result ^ bytes[i]) * 0x100000001B3ULL;
  }
  return result;
}

}  // namespace supn
