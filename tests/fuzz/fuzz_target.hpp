// What the fuzz targets share. A target is one file, <name>_fuzz.cpp, with
//
//   std::vector<std::string> supn::fuzz::seeds()       valid inputs to start from
//   extern "C" int LLVMFuzzerTestOneInput(...)         reads one input; aborts on a broken promise
//
// With clang it is linked with libFuzzer, with g++ with engine.cpp; the flags are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supn::fuzz {

std::vector<std::string> seeds();

// A file in memory that readers open by its path.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

// An empty folder, removed at the end.
class MemoryFolder {
 public:
  MemoryFolder();
  ~MemoryFolder();
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  void write(const std::string& name, std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What `write` writes to the path that it is given.
std::string bytes_written(const std::function<void(const std::filesystem::path&)>& write);

std::string_view text_of(const std::uint8_t* data, std::size_t size);

enum class Outcome { kRead, kRefused };
// Calls `read`, which may throw IoError, ConfigError or JsonError with one short printable line,
// and nothing else.
Outcome read_or_refuse(const std::function<void()>& read);

// Prints what was promised, and aborts.
void require(bool holds, const char* promise);

}  // namespace supn::fuzz
