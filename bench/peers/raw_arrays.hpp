// Arrays as raw files, which is how peers in processes of their own take and give them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace supn::bench {

// Throws std::runtime_error naming the file if it cannot be written.
template <typename Value>
void write_array(const std::filesystem::path& path, const Value* values, std::int64_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(Value)));
  file.flush();
  if (!file.good()) throw std::runtime_error(path.string() + ": cannot be written");
}

template <typename Value>
void write_array(const std::filesystem::path& path, const std::vector<Value>& values) {
  write_array(path, values.data(), static_cast<std::int64_t>(values.size()));
}

// All that the file holds. Throws std::runtime_error naming the file if it cannot be read.
template <typename Value>
std::vector<Value> read_array(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Value> values(file ? std::filesystem::file_size(path) / sizeof(Value) : 0);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(Value));
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  if (!file.good()) throw std::runtime_error(path.string() + ": cannot be read");
  return values;
}

}  // namespace supn::bench
