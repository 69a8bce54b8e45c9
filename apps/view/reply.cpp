#include "view/reply.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace supn {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kAlignment = 4;

}  // namespace

Reply error_reply(int status, const std::string& message) {
  return {status, "application/json", json_text({{"error", message}})};
}

void Bundle::add(const std::string& name, const at::Tensor& tensor) {
  if (!tensor.defined()) return;
  at::Tensor values = tensor.contiguous();
  std::string dtype = "uint8";
  if (values.is_floating_point()) {
    values = values.to(at::kFloat);
    dtype = "float32";
  } else if (values.scalar_type() == at::kLong) {
    values = values.to(at::kInt);
    dtype = "int32";
  }
  arrays_.push_back({{"name", name}, {"dtype", dtype}, {"shape", values.sizes().vec()}});
  bytes_.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  bytes_.append((kAlignment - bytes_.size() % kAlignment) % kAlignment, '\0');
}

Reply Bundle::reply() const {
  Json head = facts_;
  head["arrays"] = arrays_;
  std::string text = json_text(head);
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string body(sizeof(length), '\0');
  std::memcpy(body.data(), &length, sizeof(length));
  body.reserve(body.size() + text.size() + bytes_.size());
  return {200, "application/octet-stream", body.append(text).append(bytes_)};
}

}  // namespace supn
