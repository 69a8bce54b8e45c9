#include "zip_archive.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "byte_reader.hpp"
#include "supn/excerpt.hpp"

namespace supn {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // "see the zip64 field"
constexpr std::uint16_t kField64 = 0x0001;
constexpr std::uint16_t kEncrypted = 0x0001;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
};

struct ZipEntry {
  std::string_view name;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of the local header
  bool stored = true;
};

ByteReader reader_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size()) throw DamagedFile("is truncated: a part of it lies beyond its end");
  return ByteReader(bytes.substr(static_cast<std::size_t>(offset)));
}

std::size_t find_end(std::string_view bytes) {
  constexpr std::string_view kSignature("PK\x05\x06", 4);
  const std::size_t from = bytes.size() - std::min(bytes.size(), kEndSize + kLongestComment);
  const std::size_t found = bytes.rfind(kSignature);
  if (found == std::string_view::npos || found < from || bytes.size() - found < kEndSize) {
    throw DamagedFile("is a zip file without its end: it is truncated");
  }
  return found;
}

Directory read_directory64(std::string_view bytes, std::size_t end) {
  if (end < kLocatorSize) throw DamagedFile("has no zip64 locator: it is damaged");
  ByteReader locator = reader_at(bytes, end - kLocatorSize);
  if (locator.number<std::uint32_t>() != kLocator64) {
    throw DamagedFile("has no zip64 locator: it is damaged");
  }
  locator.take(4);
  ByteReader record = reader_at(bytes, locator.number<std::uint64_t>());
  if (record.number<std::uint32_t>() != kEnd64) {
    throw DamagedFile("has no zip64 directory: it is damaged");
  }
  record.take(8 + 2 + 2 + 4 + 4 + 8);
  Directory directory;
  directory.entries = record.number<std::uint64_t>();
  record.take(8);
  directory.offset = record.number<std::uint64_t>();
  return directory;
}

Directory find_directory(std::string_view bytes) {
  const std::size_t end = find_end(bytes);
  ByteReader record = reader_at(bytes, end);
  record.take(4 + 2 + 2 + 2);
  const auto entries = record.number<std::uint16_t>();
  record.take(4);
  const auto offset = record.number<std::uint32_t>();
  if (offset == kIn64 || entries == 0xFFFF) return read_directory64(bytes, end);
  return {offset, entries};
}

// Replaces what the zip64 field is to say.
void read_field64(std::string_view extra, ZipEntry& entry, std::uint64_t& compressed) {
  ByteReader fields(extra);
  while (fields.left() >= 4) {
    const auto id = fields.number<std::uint16_t>();
    ByteReader field(fields.take(fields.number<std::uint16_t>()));
    if (id != kField64) continue;
    for (std::uint64_t* value : {&entry.size, &compressed, &entry.offset}) {
      if (*value == kIn64) *value = field.number<std::uint64_t>();
    }
  }
}

ZipEntry read_entry(ByteReader& directory) {
  if (directory.number<std::uint32_t>() != kCentralHeader) {
    throw DamagedFile("has a damaged zip directory");
  }
  directory.take(2 + 2);
  const auto flags = directory.number<std::uint16_t>();
  const auto method = directory.number<std::uint16_t>();
  directory.take(2 + 2 + 4);
  std::uint64_t compressed = directory.number<std::uint32_t>();
  ZipEntry entry;
  entry.size = directory.number<std::uint32_t>();
  const auto name_length = directory.number<std::uint16_t>();
  const auto extra_length = directory.number<std::uint16_t>();
  const auto comment_length = directory.number<std::uint16_t>();
  directory.take(2 + 2 + 4);
  entry.offset = directory.number<std::uint32_t>();
  entry.name = directory.take(name_length);
  read_field64(directory.take(extra_length), entry, compressed);
  directory.take(comment_length);
  if ((flags & kEncrypted) != 0) throw DamagedFile("holds an encrypted part");
  entry.stored = method == 0;
  if (!entry.stored) entry.size = compressed;
  if (compressed != entry.size) {
    throw DamagedFile("has two sizes for " + excerpt(entry.name) + ": it is damaged");
  }
  return entry;
}

std::string_view content_of(std::string_view bytes, const ZipEntry& entry) {
  ByteReader local = reader_at(bytes, entry.offset);
  if (local.number<std::uint32_t>() != kLocalHeader) {
    throw DamagedFile("has no content for " + excerpt(entry.name) + ": it is damaged");
  }
  local.take(2 + 2 + 2 + 2 + 2 + 4 + 4 + 4);
  const auto name_length = local.number<std::uint16_t>();
  const auto extra_length = local.number<std::uint16_t>();
  if (local.take(name_length) != entry.name) {
    throw DamagedFile("has two names for " + excerpt(entry.name) + ": it is damaged");
  }
  local.take(extra_length);
  return local.take(entry.size);
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes) : bytes_(bytes.size()) {
  const Directory directory = find_directory(bytes);
  ByteReader reader = reader_at(bytes, directory.offset);
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const ZipEntry entry = read_entry(reader);
    const Entry kept{content_of(bytes, entry),
                     entry.stored ? Method::kStored : Method::kCompressed};
    if (!entries_.emplace(entry.name, kept).second) {
      throw DamagedFile("has " + excerpt(entry.name) + " twice");
    }
  }
}

std::string ZipArchive::name_ending_with(std::string_view ending) const {
  for (const auto& [name, entry] : entries_) {
    if (name.ends_with(ending)) return name;
  }
  return "";
}

std::string_view ZipArchive::at(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw DamagedFile("has no part " + excerpt(name) + "; torch.save would have written it");
  }
  if (found->second.method == Method::kCompressed) {
    throw DamagedFile("holds " + excerpt(name) +
                      " compressed, which torch.save does not do; it may have been zipped anew: "
                      "load it in Python and torch.save it again");
  }
  return found->second.content;
}

}  // namespace supn
