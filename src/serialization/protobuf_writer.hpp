// This writes a message in Protocol Buffers' wire format, field by field, in the order of the
// calls. Fields that hold their default (0, "") are written as well: readers take them as such.
// Source: protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace supn {

class ProtobufWriter {
 public:
  ProtobufWriter& integer(std::uint32_t field, std::int64_t value);    // int32, int64, enum
  ProtobufWriter& real(std::uint32_t field, double value);             // double
  ProtobufWriter& single(std::uint32_t field, float value);            // float
  ProtobufWriter& bytes(std::uint32_t field, std::string_view value);  // string, bytes, message
  ProtobufWriter& reals(std::uint32_t field, std::span<const double> values);  // packed doubles

  const std::string& message() const { return message_; }

 private:
  void varint(std::uint64_t value);
  void key(std::uint32_t field, std::uint32_t wire_type);
  template <class T>
  void little_endian(T value);

  std::string message_;
};

}  // namespace supn
