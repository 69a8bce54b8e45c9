#include "supn/serialization/npy.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kLongestHeader = 1U << 16U;
constexpr std::size_t kMostDimensions = 32;
constexpr std::array<std::pair<std::string_view, at::ScalarType>, 9> kTypes{{{"<f2", at::kHalf},
                                                                             {"<f4", at::kFloat},
                                                                             {"<f8", at::kDouble},
                                                                             {"|i1", at::kChar},
                                                                             {"<i2", at::kShort},
                                                                             {"<i4", at::kInt},
                                                                             {"<i8", at::kLong},
                                                                             {"|u1", at::kByte},
                                                                             {"|b1", at::kBool}}};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw IoError(path, what + "; write it again, for example with numpy.save");
}

// The text between `key` and the end of its value in the header's Python dict literal.
std::string_view value_of(const std::filesystem::path& path,
                          std::string_view header,
                          std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) fail(path, "the .npy header has no " + std::string(key));
  std::string_view rest = header.substr(at + key.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) fail(path, "the .npy header is damaged");
  rest.remove_prefix(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

at::ScalarType parse_dtype(const std::filesystem::path& path, std::string_view header) {
  const std::string_view text = value_of(path, header, "'descr'");
  for (const auto& [name, type] : kTypes) {
    if (text.substr(0, 1) == "'" && text.substr(1, 4) == std::string(name) + "'") return type;
  }
  fail(path,
       "dtype " + excerpt(text.substr(0, text.find(','))) +
           " is not read here (known: <f2 <f4 <f8 |i1 <i2 <i4 <i8 |u1 |b1)");
}

// A Python tuple of sizes: "()", "(3,)", "(2, 3)".
std::vector<std::int64_t> parse_shape(const std::filesystem::path& path, std::string_view header) {
  std::string_view text = value_of(path, header, "'shape'");
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) {
    fail(path, "the shape in the .npy header is damaged");
  }
  text = text.substr(1, close - 1);
  const auto skip_spaces = [&text] {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  };
  std::vector<std::int64_t> shape;
  for (skip_spaces(); !text.empty(); skip_spaces()) {
    std::int64_t size = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || shape.size() == kMostDimensions) {
      fail(path, "the shape in the .npy header is damaged");
    }
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_spaces();
    if (text.empty()) break;
    if (text.front() != ',') fail(path, "the shape in the .npy header is damaged");
    text.remove_prefix(1);
  }
  return shape;
}

std::int64_t checked_bytes(const std::filesystem::path& path, const NpyHeader& header) {
  // Strides must not overflow either, and those count an empty dimension as one.
  std::int64_t extent = static_cast<std::int64_t>(c10::elementSize(header.dtype));
  bool empty = false;
  for (const std::int64_t size : header.shape) {
    const std::int64_t factor = std::max<std::int64_t>(size, 1);
    if (extent > std::numeric_limits<std::int64_t>::max() / factor) {
      fail(path, "the shape in the .npy header is impossibly large");
    }
    extent *= factor;
    empty = empty || size == 0;
  }
  return empty ? 0 : extent;
}

std::ifstream open_for_reading(const std::filesystem::path& path) {
  require_file(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw IoError(path, "cannot be read; check its permissions");
  return stream;
}

std::string read_header_text(const std::filesystem::path& path,
                             std::ifstream& stream,
                             std::int64_t& offset) {
  std::array<char, 12> start{};
  stream.read(start.data(), 10);
  if (!stream || std::string_view(start.data(), 6) != kMagic) fail(path, "is not a .npy file");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    fail(path, "has .npy format version " + std::to_string(version) + " (known: 1 to 3)");
  std::size_t length = byte(8) | byte(9) << 8U;
  offset = 10;
  if (version >= 2) {
    stream.read(start.data() + 10, 2);
    length |= byte(10) << 16U | byte(11) << 24U;
    offset = 12;
  }
  if (!stream || length > kLongestHeader) fail(path, "the .npy header is damaged or truncated");
  std::string text(length, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(length));
  if (!stream) fail(path, "the .npy header is truncated");
  offset += static_cast<std::int64_t>(length);
  return text;
}

NpyHeader read_header(const std::filesystem::path& path, std::ifstream& stream) {
  NpyHeader header;
  const std::string text = read_header_text(path, stream, header.data_offset);
  if (value_of(path, text, "'fortran_order'").substr(0, 5) != "False") {
    fail(path, "is in Fortran order, only C order is read here");
  }
  header.dtype = parse_dtype(path, text);
  header.shape = parse_shape(path, text);
  const std::int64_t expected = checked_bytes(path, header);
  const std::int64_t found =
      static_cast<std::int64_t>(std::filesystem::file_size(path)) - header.data_offset;
  if (found != expected) {
    fail(path,
         "is truncated or damaged: the header promises " + std::to_string(expected) +
             " bytes of data, the file has " + std::to_string(found));
  }
  return header;
}

std::string header_text(const at::Tensor& tensor) {
  std::string descr;
  for (const auto& [name, type] : kTypes) {
    if (type == tensor.scalar_type()) descr = name;
  }
  TORCH_CHECK(!descr.empty(), "write_npy: dtype ", tensor.scalar_type(), " cannot be stored");
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t size : tensor.sizes()) text += std::to_string(size) + ",";
  text += "), }";
  // numpy aligns the data to 64 bytes and ends the header with a newline.
  const std::size_t padding = 64 - (10 + text.size() + 1) % 64;
  return text + std::string(padding % 64, ' ') + "\n";
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& path) {
  std::ifstream stream = open_for_reading(path);
  return read_header(path, stream);
}

at::Tensor read_npy(const std::filesystem::path& path) {
  std::ifstream stream = open_for_reading(path);
  const NpyHeader header = read_header(path, stream);
  at::Tensor tensor = at::empty(header.shape, at::TensorOptions(header.dtype));
  stream.seekg(header.data_offset);
  stream.read(static_cast<char*>(tensor.mutable_data_ptr()),
              static_cast<std::streamsize>(tensor.nbytes()));
  if (!stream) fail(path, "cannot be read to its end");
  // Any other byte as a bool is undefined behaviour.
  if (header.dtype == at::kBool && !tensor.view(at::kByte).le(1).all().item<bool>()) {
    fail(path, "has a bool that is neither 0 nor 1");
  }
  return tensor;
}

void write_npy(const std::filesystem::path& path, const at::Tensor& tensor) {
  const at::Tensor data = tensor.detach().cpu().contiguous();
  const std::string text = header_text(data);
  std::string bytes(kMagic);
  bytes += {
      '\x01', '\x00', static_cast<char>(text.size() & 0xFFU), static_cast<char>(text.size() >> 8U)};
  bytes += text;
  bytes.append(static_cast<const char*>(data.const_data_ptr()), data.nbytes());
  write_file_atomically(path, bytes);
}

}  // namespace supn
