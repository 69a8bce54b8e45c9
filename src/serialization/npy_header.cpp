#include "npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {
namespace {

constexpr std::size_t kLongestNpyHeader = 1U << 16U;
constexpr std::size_t kMostNpyDimensions = 32;

// The text between `key` and the end of its value in the header's Python dict literal.
std::string_view header_value(const std::filesystem::path& path,
                              std::string_view header,
                              std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) refuse_npy(path, "the .npy header has no " + std::string(key));
  std::string_view rest = header.substr(at + key.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) refuse_npy(path, "the .npy header is damaged");
  rest.remove_prefix(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

// Parses '<f4', '>u2', '|b1': byte order, kind, bytes.
void parse_type(const std::filesystem::path& path, std::string_view header, NpyLayout& layout) {
  const std::string_view text = header_value(path, header, "'descr'");
  const bool is_quoted = text.size() > 4 && text[0] == '\'' && text[4] == '\'';
  for (const StoredType& type : kStoredTypes) {
    if (!is_quoted || text.substr(2, 2) != type.name) continue;
    const char order = text[1];
    if (order != '<' && order != '>' && order != '|') continue;
    layout.type = type;
    layout.byte_order = order == '>' ? ByteOrder::kBig : ByteOrder::kLittle;
    layout.header.dtype = type.dtype;
    return;
  }
  throw IoError(path,
                "holds " + excerpt(text.substr(0, text.find(','))) +
                    ", which are no real numbers of up to 64 bits; convert it: "
                    "numpy.save(FILE, numpy.load(FILE).astype('float32'))");
}

void parse_order(const std::filesystem::path& path, std::string_view header, NpyLayout& layout) {
  const std::string_view text = header_value(path, header, "'fortran_order'");
  if (text.starts_with("True")) {
    layout.axis_order = AxisOrder::kFortran;
  } else if (!text.starts_with("False")) {
    refuse_npy(path, "the .npy header is damaged");
  }
}

// Parses a Python tuple of sizes: "()", "(3,)", "(2, 3)".
std::vector<std::int64_t> parse_shape(const std::filesystem::path& path, std::string_view header) {
  std::string_view text = header_value(path, header, "'shape'");
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) {
    refuse_npy(path, "the shape in the .npy header is damaged");
  }
  text = text.substr(1, close - 1);
  const auto skip_spaces = [&text] {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  };
  std::vector<std::int64_t> shape;
  for (skip_spaces(); !text.empty(); skip_spaces()) {
    std::int64_t size = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || shape.size() == kMostNpyDimensions) {
      refuse_npy(path, "the shape in the .npy header is damaged");
    }
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    skip_spaces();
    if (text.empty()) break;
    if (text.front() != ',') refuse_npy(path, "the shape in the .npy header is damaged");
    text.remove_prefix(1);
  }
  return shape;
}

std::int64_t checked_bytes(const std::filesystem::path& path, const NpyLayout& layout) {
  // Strides must not overflow either, and those count an empty dimension as one.
  constexpr std::int64_t kWidest = 8;
  std::int64_t elements = 1;
  bool empty = false;
  for (const std::int64_t size : layout.header.shape) {
    const std::int64_t factor = std::max<std::int64_t>(size, 1);
    if (elements > std::numeric_limits<std::int64_t>::max() / kWidest / factor) {
      refuse_npy(path, "the shape in the .npy header is impossibly large");
    }
    elements *= factor;
    empty = empty || size == 0;
  }
  return empty ? 0 : elements * layout.type.bytes;
}

std::string read_header_text(const std::filesystem::path& path,
                             std::ifstream& stream,
                             std::int64_t& offset) {
  std::array<char, 12> start{};
  stream.read(start.data(), 10);
  if (!stream || std::string_view(start.data(), 6) != kNpyMagic)
    refuse_npy(path, "is not a .npy file");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    refuse_npy(path, "has .npy format version " + std::to_string(version) + " (known: 1 to 3)");
  std::size_t length = byte(8) | byte(9) << 8U;
  offset = 10;
  if (version >= 2) {
    stream.read(start.data() + 10, 2);
    length |= byte(10) << 16U | byte(11) << 24U;
    offset = 12;
  }
  if (!stream || length > kLongestNpyHeader)
    refuse_npy(path, "the .npy header is damaged or truncated");
  std::string text(length, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(length));
  if (!stream) refuse_npy(path, "the .npy header is truncated");
  offset += static_cast<std::int64_t>(length);
  return text;
}

}  // namespace

void refuse_npy(const std::filesystem::path& path, const std::string& what) {
  throw IoError(path, what + "; write it again, for example with numpy.save");
}

std::ifstream open_npy(const std::filesystem::path& path) {
  require_file(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw IoError(path, "cannot be read; check its permissions");
  return stream;
}

NpyLayout read_npy_layout(const std::filesystem::path& path, std::ifstream& stream) {
  NpyLayout layout;
  NpyHeader& header = layout.header;
  const std::string text = read_header_text(path, stream, header.data_offset);
  parse_order(path, text, layout);
  parse_type(path, text, layout);
  header.shape = parse_shape(path, text);
  const std::int64_t expected = checked_bytes(path, layout);
  const std::int64_t found =
      static_cast<std::int64_t>(std::filesystem::file_size(path)) - header.data_offset;
  if (found != expected) {
    refuse_npy(path,
               "is truncated or damaged: the header promises " + std::to_string(expected) +
                   " bytes of data, the file has " + std::to_string(found));
  }
  return layout;
}

}  // namespace supn
