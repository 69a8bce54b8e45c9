#include "supn/serialization/npy.hpp"

#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using test::read_bytes;
using test::TemporaryFolder;
using test::write_bytes;

std::string header(const std::string& dictionary) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFFU);
  bytes += static_cast<char>(dictionary.size() >> 8U);
  return bytes + dictionary;
}

TEST(Npy, KeepsEveryDtypeAndShape) {
  const TemporaryFolder folder;
  const at::Tensor values = at::arange(24).view({2, 3, 4});
  for (const at::ScalarType dtype : {at::kHalf,
                                     at::kFloat,
                                     at::kDouble,
                                     at::kChar,
                                     at::kShort,
                                     at::kInt,
                                     at::kLong,
                                     at::kByte,
                                     at::kBool}) {
    write_npy(folder / "a.npy", values.to(dtype));
    EXPECT_TRUE(read_npy(folder / "a.npy").equal(values.to(dtype))) << dtype;
    EXPECT_EQ(read_npy_header(folder / "a.npy").dtype, dtype);
  }
  for (const auto& shape : {std::vector<std::int64_t>{}, {0}, {5}, {1, 0, 3}, {1, 1, 1, 1}}) {
    write_npy(folder / "a.npy", at::zeros(shape));
    EXPECT_EQ(read_npy(folder / "a.npy").sizes(), at::IntArrayRef(shape));
  }
}

TEST(Npy, StoresStridedTensorsInOrder) {
  const TemporaryFolder folder;
  const at::Tensor transposed = at::randn({3, 5}).t();
  write_npy(folder / "a.npy", transposed);
  EXPECT_TRUE(read_npy(folder / "a.npy").equal(transposed));
}

TEST(Npy, AlignsTheDataAsNumpyDoes) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", at::zeros({7, 9}));
  EXPECT_EQ(read_npy_header(folder / "a.npy").data_offset % 64, 0);
}

TEST(Npy, ReadsEveryFormatVersion) {
  const TemporaryFolder folder;
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n";
  const at::Tensor values = at::arange(2, at::kFloat).view({2, 1});
  const std::string data(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  const char length = static_cast<char>(dictionary.size());
  for (const char version : {'\x02', '\x03'}) {
    const std::string start =
        std::string("\x93NUMPY") + version + std::string({'\0', length, '\0', '\0', '\0'});
    write_bytes(folder / "a.npy", start + dictionary + data);
    EXPECT_TRUE(read_npy(folder / "a.npy").equal(values)) << static_cast<int>(version);
  }
}

TEST(Npy, NamesExpectedAndFoundBytesOfATruncatedFile) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", at::zeros({10}));
  write_bytes(folder / "a.npy", read_bytes(folder / "a.npy").substr(0, 128 + 13));
  try {
    read_npy(folder / "a.npy");
    FAIL() << "accepted";
  } catch (const IoError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a.npy"), std::string::npos) << text;
    EXPECT_NE(text.find("40 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("has 13"), std::string::npos) << text;
  }
}

TEST(Npy, RefusesOtherFormats) {
  const TemporaryFolder folder;
  for (const std::string& bytes :
       {std::string(),
        std::string("PK"),
        std::string("\x93NUMPY\x09\x00zz", 10),
        header("{'descr': '?f4', 'fortran_order': False, 'shape': (1,), }") + "abcd",
        header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }") + "abcd",
        header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + "abcd",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }") + "abcd",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, "
               "4611686018427387904), }"),
        // No bytes, but strides that overflow.
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904, "
               "4611686018427387904), }"),
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (1 1), }") + "abcd",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (,1), }") + "abcd",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,,1), }") + "abcd",
        header("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }") + "\x02",
        header("{'descr': '<f4', 'fortran_order': False}"),
        header("")}) {
    write_bytes(folder / "a.npy", bytes);
    EXPECT_THROW(read_npy(folder / "a.npy"), IoError) << bytes;
  }
  EXPECT_THROW(read_npy(folder / "absent.npy"), IoError);
  EXPECT_THROW(read_npy(folder.path()), IoError);
}

// 'big' or 'little' endian bytes of whole numbers, `width` each.
std::string numbers(const std::vector<std::uint64_t>& values, int width, bool big) {
  std::string bytes;
  for (const std::uint64_t value : values) {
    for (int i = 0; i < width; ++i) {
      bytes += static_cast<char>(value >> 8 * (big ? width - 1 - i : i) & 0xFFU);
    }
  }
  return bytes;
}

at::Tensor read_as(const std::string& type, const std::string& data, const char* fortran) {
  const TemporaryFolder folder;
  write_bytes(
      folder / "a.npy",
      header("{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (2, 3), }") +
          data);
  const at::Tensor values = read_npy(folder / "a.npy");
  EXPECT_EQ(read_npy_header(folder / "a.npy").dtype, values.scalar_type());
  EXPECT_TRUE(values.is_contiguous());
  return values;
}

TEST(Npy, ReadsEitherByteOrderAndFortranOrder) {
  const std::vector<std::uint64_t> values = {1, 2, 3, 4, 5, 60000};
  const at::Tensor rows = at::tensor({1, 2, 3, 4, 5, 60000}, at::kLong).view({2, 3});
  const at::Tensor columns = at::tensor({1, 3, 5, 2, 4, 60000}, at::kLong).view({2, 3});
  for (const auto& [type, width] : {std::pair{"u2", 2}, {"u4", 4}, {"i4", 4}, {"u8", 8}}) {
    EXPECT_TRUE(read_as(std::string("<") + type, numbers(values, width, false), "False")
                    .to(at::kLong)
                    .equal(rows))
        << type;
    EXPECT_TRUE(read_as(std::string(">") + type, numbers(values, width, true), "False")
                    .to(at::kLong)
                    .equal(rows))
        << type;
    EXPECT_TRUE(read_as(std::string("<") + type, numbers(values, width, false), "True")
                    .to(at::kLong)
                    .equal(columns))
        << type;
  }
  const std::vector<std::uint64_t> floats = {0x3F800000, 0, 0xC0000000, 0, 0, 0x3F000000};
  EXPECT_TRUE(read_as(">f4", numbers(floats, 4, true), "True")
                  .equal(at::tensor({1.0F, -2.0F, 0.0F, 0.0F, 0.0F, 0.5F}).view({2, 3})));
}

TEST(Npy, NamesTheCallThatConvertsWhatItCannotRead) {
  const auto fault = [](const std::string& type, const std::string& data) -> std::string {
    try {
      read_as(type, data, "False");
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(fault("<c8", "").find("numpy.load(FILE).astype('float32')"), std::string::npos);
  EXPECT_NE(fault("<u8", numbers({0, 0, 0, 0, 0, 1ULL << 63U}, 8, false)).find("beyond 64 bits"),
            std::string::npos);
}

TEST(Npy, SurvivesMutatedFiles) {
  const TemporaryFolder folder;
  write_npy(folder / "good.npy", at::zeros({3, 4}));
  const std::string good = read_bytes(folder / "good.npy");
  std::mt19937 engine(1);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) bytes[engine() % 100] = static_cast<char>(engine());
    if (i % 5 == 0) bytes.resize(engine() % bytes.size());
    write_bytes(folder / "bad.npy", bytes);
    try {
      read_npy(folder / "bad.npy");
    } catch (const IoError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 250);
}

}  // namespace
}  // namespace supn
