#include "supn/serialization/safetensors.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr std::size_t kLengthBytes = 8;
// The reference implementation takes 100 MB; parsed, that could be gigabytes.
constexpr std::uint64_t kLongestHeader = std::uint64_t{16} << 20U;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 30U;
constexpr std::size_t kMostDimensions = 32;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::array<std::pair<std::string_view, at::ScalarType>, 10> kTypes{
    {{"F64", at::kDouble},
     {"F32", at::kFloat},
     {"F16", at::kHalf},
     {"BF16", at::kBFloat16},
     {"I64", at::kLong},
     {"I32", at::kInt},
     {"I16", at::kShort},
     {"I8", at::kChar},
     {"U8", at::kByte},
     {"BOOL", at::kBool}}};

// Says what is wrong inside; the reader adds the file's name.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Entry {
  std::string name;
  at::ScalarType dtype;
  std::vector<std::int64_t> shape;
  std::int64_t begin;
  std::int64_t end;
};

at::ScalarType dtype_of(const std::string& name, const std::string& text) {
  for (const auto& [known, type] : kTypes) {
    if (text == known) return type;
  }
  throw FormatError("tensor \"" + excerpt(name) + "\" has dtype " + excerpt(text) +
                    ", which is not read here");
}

std::int64_t bytes_of(const Entry& entry) {
  // Strides must not overflow either, and those count an empty dimension as one.
  std::int64_t extent = static_cast<std::int64_t>(c10::elementSize(entry.dtype));
  bool possible = entry.shape.size() <= kMostDimensions;
  bool empty = false;
  for (const std::int64_t size : entry.shape) {
    const std::int64_t factor = std::max<std::int64_t>(size, 1);
    possible = possible && size >= 0 && extent <= std::numeric_limits<std::int64_t>::max() / factor;
    if (!possible) break;
    extent *= factor;
    empty = empty || size == 0;
  }
  if (!possible)
    throw FormatError("tensor \"" + excerpt(entry.name) + "\" has an impossible shape");
  return empty ? 0 : extent;
}

Entry parse_entry(const std::string& name, const Json& json, std::int64_t data_bytes) {
  Entry entry{name,
              dtype_of(name, value_at<std::string>(json, "dtype")),
              value_at<std::vector<std::int64_t>>(json, "shape"),
              0,
              0};
  const auto offsets = value_at<std::vector<std::int64_t>>(json, "data_offsets");
  if (offsets.size() != 2)
    throw FormatError("tensor \"" + excerpt(name) + "\" needs two data_offsets");
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.begin < 0 || entry.end < entry.begin || entry.end > data_bytes) {
    throw FormatError("tensor \"" + excerpt(name) +
                      "\" lies outside the file: it is truncated or damaged");
  }
  if (entry.end - entry.begin != bytes_of(entry)) {
    throw FormatError("tensor \"" + excerpt(name) + "\" has " +
                      std::to_string(entry.end - entry.begin) +
                      " bytes, its shape and dtype need " + std::to_string(bytes_of(entry)));
  }
  return entry;
}

void check_tiling(std::vector<Entry>& entries, std::int64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::int64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      throw FormatError("tensor \"" + excerpt(entry.name) +
                        "\" overlaps another or leaves a gap before it");
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    throw FormatError("has " + std::to_string(data_bytes - position) +
                      " bytes that belong to no tensor");
  }
}

at::Tensor tensor_of(const Entry& entry, std::string_view data) {
  const std::string_view bytes = data.substr(static_cast<std::size_t>(entry.begin),
                                             static_cast<std::size_t>(entry.end - entry.begin));
  // Any other byte as a bool is undefined behaviour.
  if (entry.dtype == at::kBool &&
      bytes.find_first_not_of(std::string_view("\0\1", 2)) != std::string_view::npos) {
    throw FormatError("tensor \"" + excerpt(entry.name) + "\" has a BOOL that is neither 0 nor 1");
  }
  at::Tensor tensor = at::empty(entry.shape, at::TensorOptions(entry.dtype));
  if (!bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

SafetensorsFile parse(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) throw FormatError("is too short to be a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    throw FormatError("is truncated, or not a safetensors file");
  }
  const Json header = parse_json(bytes.substr(kLengthBytes, static_cast<std::size_t>(length)));
  const std::string_view data = bytes.substr(kLengthBytes + static_cast<std::size_t>(length));
  const auto data_bytes = static_cast<std::int64_t>(data.size());
  SafetensorsFile file;
  std::vector<Entry> entries;
  for (const auto& [name, json] : object_of(header, "header").items()) {
    if (name != kMetadata) {
      entries.push_back(parse_entry(name, json, data_bytes));
      continue;
    }
    for (const auto& [key, value] : object_of(json, kMetadata).items()) {
      file.metadata[key] = value_of<std::string>(value, key);
    }
  }
  check_tiling(entries, data_bytes);
  for (const Entry& entry : entries) file.tensors.emplace(entry.name, tensor_of(entry, data));
  return file;
}

std::string type_name(const std::string& name, const at::Tensor& tensor) {
  for (const auto& [text, type] : kTypes) {
    if (type == tensor.scalar_type()) return std::string(text);
  }
  TORCH_CHECK(false,
              "write_safetensors: ",
              name,
              " has dtype ",
              tensor.scalar_type(),
              ", which the format does not have");
}

// Returns the tensors on the CPU and contiguous, large elements first: every tensor then starts at
// a multiple of its element size, which readers that view the data in place rely on.
std::vector<std::pair<std::string, at::Tensor>> in_storage_order(
    const std::map<std::string, at::Tensor>& tensors) {
  std::vector<std::pair<std::string, at::Tensor>> ordered;
  for (const auto& [name, tensor] : tensors) {
    TORCH_CHECK(name != kMetadata, "write_safetensors: the name ", name, " is reserved");
    ordered.emplace_back(name, tensor.detach().cpu().contiguous());
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.second.element_size() > b.second.element_size();
  });
  return ordered;
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, kLargestFile);
  try {
    return parse(bytes);
  } catch (const FormatError& error) {
    throw IoError(path, std::string(error.what()) + "; copy or write the file again");
  } catch (const JsonError& error) {
    throw IoError(path,
                  "the safetensors header is damaged (" + std::string(error.what()) +
                      "); copy or write the file again");
  }
}

void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  auto& entries = header.get_ref<Json::object_t&>();
  std::string data;
  for (const auto& [name, tensor] : in_storage_order(file.tensors)) {
    const auto begin = static_cast<std::int64_t>(data.size());
    if (tensor.nbytes() > 0)
      data.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    const auto end = static_cast<std::int64_t>(data.size());
    // header[name] would look through all entries before.
    entries.emplace_back(name,
                         Json{{"dtype", type_name(name, tensor)},
                              {"shape", tensor.sizes().vec()},
                              {"data_offsets", {begin, end}}});
  }
  std::string text = exact_json_text(header);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes,
              ' ');  // data aligned to 8 bytes
  const std::uint64_t length = text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  write_file_atomically(path, bytes + text + data);
}

}  // namespace supn
