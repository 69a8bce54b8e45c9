#include "protobuf_writer.hpp"

#include <bit>

namespace supn {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

}  // namespace

ProtobufWriter& ProtobufWriter::integer(std::uint32_t field, std::int64_t value) {
  key(field, kVarint);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::real(std::uint32_t field, double value) {
  key(field, kFixed64);
  little_endian(std::bit_cast<std::uint64_t>(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::single(std::uint32_t field, float value) {
  key(field, kFixed32);
  little_endian(std::bit_cast<std::uint32_t>(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::bytes(std::uint32_t field, std::string_view value) {
  key(field, kLengthDelimited);
  varint(value.size());
  message_ += value;
  return *this;
}

ProtobufWriter& ProtobufWriter::reals(std::uint32_t field, std::span<const double> values) {
  key(field, kLengthDelimited);
  varint(values.size() * sizeof(double));
  for (const double value : values) little_endian(std::bit_cast<std::uint64_t>(value));
  return *this;
}

void ProtobufWriter::varint(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) message_ += static_cast<char>(value | 0x80U);
  message_ += static_cast<char>(value);
}

void ProtobufWriter::key(std::uint32_t field, std::uint32_t wire_type) {
  varint(field << 3U | wire_type);
}

template <class T>
void ProtobufWriter::little_endian(T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i, value >>= 8U) {
    message_ += static_cast<char>(value & 0xFFU);
  }
}

}  // namespace supn
