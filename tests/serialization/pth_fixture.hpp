// Pickles, zip and legacy files of PyTorch written by hand, so that tests can write hostile ones.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace supn::test {

template <class Number>
std::string little_endian(Number value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFU);
  }
  return bytes;
}

// Pieces of a pickle: each pushes one value.
namespace pickled {

inline std::string text(const std::string& value) {
  return "X" + little_endian(static_cast<std::uint32_t>(value.size())) + value;
}
inline std::string integer(std::int64_t value) {
  return std::string("\x8a\x08") + little_endian(value);
}
inline std::string group(const std::vector<std::string>& items, char end) {
  std::string bytes = "(";
  for (const std::string& item : items) bytes += item;
  return bytes + end;
}
inline std::string tuple(const std::vector<std::string>& items) { return group(items, 't'); }
inline std::string list(const std::vector<std::string>& items) { return group(items, 'l'); }
inline std::string integers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  for (const std::int64_t value : values) items.push_back(integer(value));
  return tuple(items);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  return function + tuple(arguments) + "R";
}
inline std::string ordered_dict() { return call(global("collections", "OrderedDict"), {}); }
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = ordered_dict() + "(";
  for (const auto& [key, value] : items) bytes += text(key) + value;
  return bytes + "u";
}

struct Storage {
  std::string type = "FloatStorage";
  std::string key = "0";
  std::string location = "cpu";
  std::int64_t count = 0;
};
inline std::string storage(const Storage& storage) {
  return tuple({text("storage"),
                global("torch", storage.type),
                text(storage.key),
                text(storage.location),
                integer(storage.count)}) +
         "Q";
}

struct Layout {
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};
inline std::string tensor(const Storage& of, const Layout& layout) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              {storage(of),
               integer(layout.offset),
               integers(layout.sizes),
               integers(layout.strides),
               "\x89",
               ordered_dict()});
}

inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }

}  // namespace pickled

struct ZipPart {
  std::string name;
  std::string content;
  std::uint16_t method = 0;
};

inline std::string zip_of(const std::vector<ZipPart>& parts) {
  std::string bytes;
  std::string directory;
  const auto u16 = [](std::uint64_t value) {
    return little_endian(static_cast<std::uint16_t>(value));
  };
  const auto u32 = [](std::uint64_t value) {
    return little_endian(static_cast<std::uint32_t>(value));
  };
  for (const ZipPart& part : parts) {
    const std::string common = u16(0) + u16(part.method) + u16(0) + u16(0) + u32(0) +
                               u32(part.content.size()) + u32(part.content.size()) +
                               u16(part.name.size()) + u16(0);
    directory += "PK\x01\x02" + u16(20) + u16(20) + common + u16(0) + u16(0) + u16(0) + u32(0) +
                 u32(bytes.size()) + part.name;
    bytes += "PK\x03\x04" + u16(20) + common + part.name + part.content;
  }
  return bytes + directory + "PK\x05\x06" + u16(0) + u16(0) + u16(parts.size()) +
         u16(parts.size()) + u32(directory.size()) + u32(bytes.size()) + u16(0);
}

using StorageContents = std::vector<std::pair<std::string, std::string>>;  // key, bytes

// torch.save of PyTorch 1.6 and newer, and of older ones.
inline std::string zip_file(const std::string& object, const StorageContents& storages) {
  std::vector<ZipPart> parts{{"archive/data.pkl", pickled::whole(object)}};
  for (const auto& [key, content] : storages) parts.push_back({"archive/data/" + key, content});
  parts.push_back({"archive/version", "3\n"});
  return zip_of(parts);
}
inline std::string legacy_file(const std::string& object,
                               const StorageContents& storages,
                               std::size_t element_size = 4) {
  const std::string magic("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12);
  std::vector<std::string> keys;
  std::string data;
  for (const auto& [key, content] : storages) {
    keys.push_back(pickled::text(key));
    data += little_endian(static_cast<std::uint64_t>(content.size() / element_size)) + content;
  }
  return pickled::whole(magic) + pickled::whole(pickled::integer(1001)) +
         pickled::whole(pickled::dict({{"little_endian", "\x88"}})) + pickled::whole(object) +
         pickled::whole(pickled::list(keys)) + data;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

}  // namespace supn::test
