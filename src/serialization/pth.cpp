#include "supn/serialization/pth.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "byte_reader.hpp"
#include "pickle.hpp"
#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/input_file.hpp"
#include "torch_objects.hpp"
#include "zip_archive.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kLargestPth = std::uintmax_t{16} << 30U;
constexpr std::size_t kLongestPickle = std::size_t{64} << 20U;
constexpr std::size_t kDeepestName = 64;
constexpr std::size_t kLongestKey = 4096;
constexpr std::size_t kMostVisits = std::size_t{1} << 20U;
constexpr std::size_t kMostNameBytes = std::size_t{64} << 20U;
// A shared value is visited, and named, once for each reference: a few bytes could ask for far more
// than they hold. A value takes two bytes or more of a pickle, the name of a list's item more.
constexpr std::size_t kVisitsPerByte = 2;
constexpr std::size_t kNameBytesPerByte = 64;
constexpr std::size_t kSmallPickle = 512;
constexpr std::int64_t kExpansion = 8;
constexpr std::int64_t kLegacyProtocol = 1001;
// The number that legacy files begin with, 0x1950a86a20f9469cfc6c.
constexpr std::string_view kLegacyMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);

using Storages = TensorBuilder::Storages;

at::Tensor as_bytes(std::string_view content) {
  at::Tensor bytes = at::empty({static_cast<std::int64_t>(content.size())}, at::kByte);
  if (!content.empty()) std::memcpy(bytes.mutable_data_ptr(), content.data(), content.size());
  return bytes;
}

// Walks through dicts, lists and tuples from the root and names what it finds.
class Collector {
 public:
  Collector(const Pickle& pickle, const Storages& storages, std::int64_t file_bytes)
      : pickle_(pickle),
        tensors_(pickle, storages, kExpansion * file_bytes),
        visits_left_(std::min(kMostVisits, kVisitsPerByte * (kSmallPickle + pickle.bytes))),
        name_bytes_left_(
            std::min(kMostNameBytes, kNameBytesPerByte * (kSmallPickle + pickle.bytes))) {}

  PthFile collect() {
    const bool single = TensorBuilder::makes_tensor(pickle_.top());
    visit(pickle_.top(), single ? "tensor" : "", 0);
    return std::move(file_);
  }

 private:
  void visit(const PickleValue& value, const std::string& name, std::size_t depth);
  void visit_dict(const PickleValue& dict, const std::string& name, std::size_t depth);
  void visit_items(const PickleValue& list, const std::string& name, std::size_t depth);
  void visit_size(const PickleValue& call, const std::string& name, std::size_t depth);

  // Counts what is copied as often as the file refers to it.
  void charge(std::size_t bytes) {
    if (bytes > name_bytes_left_) {
      throw DamagedFile("has more names and texts than a file of its size may have");
    }
    name_bytes_left_ -= bytes;
  }
  std::string extended(const std::string& name, std::string_view key) {
    charge(name.size() + key.size() + 1);
    return name.empty() ? std::string(key) : name + "." + std::string(key);
  }
  template <class Map, class Value>
  void keep(Map& map, const std::string& name, Value value) {
    if (file_.tensors.count(name) + file_.values.count(name) > 0) {
      throw DamagedFile("has two values of the name " + excerpt(name));
    }
    map.emplace(name, std::move(value));
  }

  const Pickle& pickle_;
  TensorBuilder tensors_;
  PthFile file_;
  std::size_t visits_left_;
  std::size_t name_bytes_left_;
};

void Collector::visit(const PickleValue& value, const std::string& name, std::size_t depth) {
  if (depth > kDeepestName) throw DamagedFile("is nested deeper than 64 levels");
  if (visits_left_ == 0) throw DamagedFile("has more values than a file of its size may have");
  --visits_left_;
  switch (value.kind) {
    case PickleKind::kDict:
      return visit_dict(value, name, depth);
    case PickleKind::kList:
    case PickleKind::kTuple:
      return visit_items(value, name, depth);
    case PickleKind::kBool:
      return keep(file_.values, name, value.integer != 0);
    case PickleKind::kInteger:
      return keep(file_.values, name, value.integer);
    case PickleKind::kReal:
      return keep(file_.values, name, value.real);
    case PickleKind::kText:
      charge(value.text.size());
      if (!is_utf8(value.text)) throw DamagedFile("has a text " + name + " that is not UTF-8");
      return keep(file_.values, name, std::string(value.text));
    case PickleKind::kGlobal:
      if (is_dtype(value.text)) return keep(file_.values, name, std::string(value.text));
      break;
    case PickleKind::kCall:
      if (TensorBuilder::makes_tensor(value)) {
        return keep(file_.tensors, name, tensors_.build(value));
      }
      return visit_size(value, name, depth);
    default:
      break;
  }
  file_.omitted.push_back(name);
}

void Collector::visit_dict(const PickleValue& dict, const std::string& name, std::size_t depth) {
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    const PickleValue& key = pickle_[dict.items[i]];
    const PickleValue& value = pickle_[dict.items[i + 1]];
    if (key.kind == PickleKind::kInteger) {
      visit(value, extended(name, std::to_string(key.integer)), depth + 1);
    } else if (key.kind == PickleKind::kText) {
      if (key.text.size() > kLongestKey || visible(key.text) != key.text) {
        throw DamagedFile("has a name that is too long or no printable UTF-8: " +
                          excerpt(key.text));
      }
      visit(value, extended(name, key.text), depth + 1);
    } else {
      file_.omitted.push_back(extended(name, "?"));
    }
  }
}

void Collector::visit_items(const PickleValue& list, const std::string& name, std::size_t depth) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    visit(pickle_[list.items[i]], extended(name, std::to_string(i)), depth + 1);
  }
}

// torch.Size(sizes) is a tuple.
void Collector::visit_size(const PickleValue& call, const std::string& name, std::size_t depth) {
  const PickleValue& arguments = pickle_[call.items.front()];
  if (call.text != kTorchSize || arguments.items.size() != 1) {
    throw DamagedFile("has a wrong call of " + excerpt(call.text));
  }
  visit(pickle_[arguments.items.front()], name, depth + 1);
}

PthFile collect(const Pickle& pickle, const Storages& storages, std::size_t file_bytes) {
  return Collector(pickle, storages, static_cast<std::int64_t>(file_bytes)).collect();
}

Storages read_zip_storages(const ZipArchive& archive,
                           const std::string& folder,
                           const Pickle& pickle) {
  Storages storages;
  std::size_t left = archive.bytes();
  for (const PickleValue& value : pickle.values) {
    if (value.kind != PickleKind::kPersistent) continue;
    const std::string key(torch_storage(pickle, value).key);
    if (storages.find(key) != storages.end()) continue;
    const std::string_view content = archive.at(folder + "/data/" + key);
    if (content.size() > left) throw DamagedFile("has storages that overlap");
    left -= content.size();
    storages.emplace(key, as_bytes(content));
  }
  return storages;
}

// Reads <archive>/data.pkl and its storages <archive>/data/<key>.
PthFile parse_zip(std::string_view bytes) {
  const ZipArchive archive(bytes);
  if (!archive.name_ending_with("/constants.pkl").empty()) {
    throw DamagedFile("is a TorchScript archive, not a file of torch.save");
  }
  const std::string object = archive.name_ending_with("/data.pkl");
  const std::string folder = object.substr(0, object.find('/'));
  const std::string order = folder + "/byteorder";
  if (archive.has(order) && archive.at(order) != "little") {
    throw DamagedFile("was written on a big-endian machine; only little-endian files are read");
  }
  const std::string_view content = archive.at(folder + "/data.pkl");
  const Pickle pickle = read_pickle(content.substr(0, kLongestPickle), torch_globals());
  return collect(pickle, read_zip_storages(archive, folder, pickle), bytes.size());
}

Pickle next_pickle(ByteReader& in, std::string_view bytes) {
  Pickle pickle = read_pickle(bytes.substr(in.position(), kLongestPickle), torch_globals());
  in.take(pickle.bytes);
  return pickle;
}

void check_system(const Pickle& system) {
  const PickleValue& info = system.top();
  bool little = info.kind == PickleKind::kDict;
  for (std::size_t i = 0; i + 1 < info.items.size(); i += 2) {
    if (system[info.items[i]].text == "little_endian") {
      little = little && system[info.items[i + 1]].integer == 1;
    }
  }
  if (!little) throw DamagedFile("was not written on a little-endian machine");
}

// Reads, for each key, the number of elements, then these.
Storages read_legacy_storages(ByteReader& in, const Pickle& object, const Pickle& keys) {
  std::map<std::string_view, TorchStorage> known;
  for (const PickleValue& value : object.values) {
    if (value.kind != PickleKind::kPersistent) continue;
    const TorchStorage storage = torch_storage(object, value);
    known.emplace(storage.key, storage);
  }
  Storages storages;
  for (const PickleId id : keys.top().items) {
    const auto found = known.find(keys[id].text);
    if (found == known.end()) throw DamagedFile("has a storage that no tensor has");
    const auto width = c10::elementSize(found->second.dtype);
    const auto count = in.number<std::uint64_t>();
    if (count > in.left() / width) throw DamagedFile("is truncated: a storage exceeds the file");
    storages.emplace(found->first, as_bytes(in.take(count * width)));
  }
  return storages;
}

// Reads magic number, protocol, system, the object and the keys of its storages: five pickles.
PthFile parse_legacy(std::string_view bytes) {
  ByteReader in(bytes);
  const Pickle magic = next_pickle(in, bytes);
  if (magic.top().kind != PickleKind::kLongInteger || magic.top().text != kLegacyMagic) {
    throw DamagedFile("is a pickle, but none that torch.save wrote");
  }
  const Pickle protocol = next_pickle(in, bytes);
  if (protocol.top().integer != kLegacyProtocol) {
    throw DamagedFile("has an unknown version of PyTorch's legacy format");
  }
  check_system(next_pickle(in, bytes));
  const Pickle object = next_pickle(in, bytes);
  const Pickle keys = next_pickle(in, bytes);
  if (keys.top().kind != PickleKind::kList) throw DamagedFile("has no list of storages");
  const Storages storages = read_legacy_storages(in, object, keys);
  return collect(object, storages, bytes.size());
}

PthFile parse_pth(std::string_view bytes) {
  if (bytes.starts_with("PK")) return parse_zip(bytes);
  if (bytes.starts_with("\x80")) return parse_legacy(bytes);
  throw DamagedFile("is neither a zip nor a pickle, so torch.save did not write it");
}

}  // namespace

PthFile read_pth(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, kLargestPth);
  try {
    return parse_pth(bytes);
  } catch (const DamagedFile& error) {
    throw IoError(path,
                  std::string(error.what()) +
                      "; copy it again, or save its state dict alone: "
                      "torch.save(model.state_dict(), file)");
  }
}

}  // namespace supn
