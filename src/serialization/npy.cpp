#include "supn/serialization/npy.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "npy_header.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

void swap_bytes(std::string& bytes, std::int64_t item) {
  for (auto place = bytes.begin(); place != bytes.end(); place += item) {
    std::reverse(place, place + item);
  }
}

// Reads unsigned numbers, one after the other, as wider signed ones.
template <class Stored, class Wider>
void widen(const std::filesystem::path& path, const std::string& bytes, Wider* out) {
  for (std::size_t place = 0; place < bytes.size(); place += sizeof(Stored)) {
    Stored value{};
    std::memcpy(&value, bytes.data() + place, sizeof value);
    if (!std::in_range<Wider>(value)) {
      throw IoError(path,
                    "holds " + std::to_string(value) +
                        ", which is beyond 64 bits with a sign; convert it: numpy.save(FILE, "
                        "numpy.load(FILE).astype('float64'))");
    }
    *out++ = static_cast<Wider>(value);
  }
}

// The file's bytes, in the machine's order, as the dtype that they are read as.
void convert(const std::filesystem::path& path,
             const StoredType& type,
             const std::string& bytes,
             at::Tensor& tensor) {
  if (bytes.empty()) return;  // an empty tensor has a null pointer
  if (type.name == "u2") return widen<std::uint16_t>(path, bytes, tensor.mutable_data_ptr<int>());
  if (type.name == "u4") {
    return widen<std::uint32_t>(path, bytes, tensor.mutable_data_ptr<std::int64_t>());
  }
  if (type.name == "u8") {
    return widen<std::uint64_t>(path, bytes, tensor.mutable_data_ptr<std::int64_t>());
  }
  std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
}

std::vector<std::int64_t> reversed_axes(const at::Tensor& tensor) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(tensor.dim()));
  std::iota(axes.rbegin(), axes.rend(), std::int64_t{0});
  return axes;
}

bool is_as_stored(const NpyLayout& layout) {
  const bool is_wide_unsigned = layout.type.name.front() == 'u' && layout.type.bytes > 1;
  return layout.byte_order == ByteOrder::kLittle && !is_wide_unsigned;
}

std::string header_text(const at::Tensor& tensor) {
  std::string descr;
  for (const StoredType& type : kStoredTypes) {
    if (!descr.empty() || type.dtype != tensor.scalar_type()) continue;
    descr = (type.bytes == 1 ? "|" : "<") + std::string(type.name);
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
  std::ifstream stream = open_npy(path);
  return read_npy_layout(path, stream).header;
}

at::Tensor read_npy(const std::filesystem::path& path) {
  std::ifstream stream = open_npy(path);
  const NpyLayout layout = read_npy_layout(path, stream);
  const NpyHeader& header = layout.header;
  std::vector<std::int64_t> shape = header.shape;
  if (layout.axis_order == AxisOrder::kFortran) std::reverse(shape.begin(), shape.end());
  at::Tensor tensor = at::empty(shape, at::TensorOptions(header.dtype));
  stream.seekg(header.data_offset);
  if (is_as_stored(layout)) {
    stream.read(static_cast<char*>(tensor.mutable_data_ptr()),
                static_cast<std::streamsize>(tensor.nbytes()));
  } else {
    std::string bytes(static_cast<std::size_t>(tensor.numel() * layout.type.bytes), '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (layout.byte_order == ByteOrder::kBig) swap_bytes(bytes, layout.type.bytes);
    convert(path, layout.type, bytes, tensor);
  }
  if (!stream) refuse_npy(path, "cannot be read to its end");
  if (layout.axis_order == AxisOrder::kFortran)
    tensor = tensor.permute(reversed_axes(tensor)).contiguous();
  // Any other byte as a bool is undefined behaviour.
  if (header.dtype == at::kBool && !tensor.view(at::kByte).le(1).all().item<bool>()) {
    refuse_npy(path, "has a bool that is neither 0 nor 1");
  }
  return tensor;
}

void write_npy(const std::filesystem::path& path, const at::Tensor& tensor) {
  const at::Tensor data = tensor.detach().cpu().contiguous();
  const std::string text = header_text(data);
  std::string bytes(kNpyMagic);
  bytes += {
      '\x01', '\x00', static_cast<char>(text.size() & 0xFFU), static_cast<char>(text.size() >> 8U)};
  bytes += text;
  bytes.append(static_cast<const char*>(data.const_data_ptr()), data.nbytes());
  write_file_atomically(path, bytes);
}

}  // namespace supn
