#include "supn/serialization/safetensors.hpp"

#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

using test::read_bytes;
using test::TemporaryFolder;
using test::write_bytes;

std::string with_header(const std::string& json, const std::string& data) {
  const std::uint64_t length = json.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + json + data;
}

TEST(Safetensors, KeepsTensorsAndMetadata) {
  const TemporaryFolder folder;
  SafetensorsFile file;
  for (const at::ScalarType dtype : {at::kDouble,
                                     at::kFloat,
                                     at::kHalf,
                                     at::kBFloat16,
                                     at::kLong,
                                     at::kInt,
                                     at::kShort,
                                     at::kChar,
                                     at::kByte,
                                     at::kBool}) {
    file.tensors[std::string("t.") + c10::toString(dtype)] = at::arange(6).view({2, 3}).to(dtype);
  }
  file.tensors["scalar"] = at::zeros({});
  file.tensors["empty"] = at::zeros({0, 3});
  file.tensors["strided"] = at::randn({4, 5}).t();
  file.metadata = {{"radius", "2"}, {"quantity", "logit \"of\" disparity"}};

  write_safetensors(folder / "a.safetensors", file);
  const SafetensorsFile read = read_safetensors(folder / "a.safetensors");

  EXPECT_EQ(read.metadata, file.metadata);
  ASSERT_EQ(read.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(read.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(read.tensors.at(name).equal(tensor)) << name;
  }
}

// Other readers view a tensor in place, which needs its start to be a multiple of its element size.
TEST(Safetensors, AlignsEveryTensorToItsElements) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a.safetensors",
                    {{{"a", at::zeros({3}, at::kByte)},
                      {"b", at::zeros({1}, at::kFloat)},
                      {"c", at::zeros({3}, at::kHalf)},
                      {"d", at::zeros({}, at::kLong)}},
                     {}});
  const std::string bytes = read_bytes(folder / "a.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  const Json header = parse_json(bytes.substr(8, static_cast<std::size_t>(length)));

  const std::map<std::string, std::int64_t> sizes{{"a", 1}, {"b", 4}, {"c", 2}, {"d", 8}};
  ASSERT_EQ(header.size(), sizes.size());
  EXPECT_EQ((length + 8) % 8, 0U);
  for (const auto& [name, size] : sizes) {
    EXPECT_EQ(header.at(name).at("data_offsets").at(0).get<std::int64_t>() % size, 0) << name;
  }
}

TEST(Safetensors, RefusesToWriteTheReservedName) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_safetensors(folder / "a", {{{"__metadata__", at::zeros({1})}}, {}}),
               c10::Error);
}

std::string entry(const std::string& shape, const std::string& offsets) {
  return R"("a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string ones(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "1,";
  return text;
}

TEST(Safetensors, RefusesWhatDoesNotAddUp) {
  const TemporaryFolder folder;
  const std::string data(8, 'x');
  const std::vector<std::string> cases{
      "",
      "short",
      with_header("{}", data),                                // bytes of no tensor
      with_header("{" + entry("[2]", "[0,8]"), data),         // JSON without an end
      with_header("{" + entry("[3]", "[0,8]") + "}", data),   // shape against bytes
      with_header("{" + entry("[2]", "[4,12]") + "}", data),  // outside
      with_header("{" + entry("[2]", "[8,0]") + "}", data),   // backwards
      with_header("{" + entry("[-2]", "[0,8]") + "}", data),
      with_header("{" + entry("[4611686018427387904,8]", "[0,8]") + "}", data),
      with_header("{" + entry("[1]", "[4,8]") + "}", data),  // a gap
      with_header("{" + entry("[2]", "[0,8]") + "," + entry("[2]", "[0,8]") + "}",
                  data),  // duplicate
      with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                  R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                  data),  // overlap
      with_header(R"({"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", data),
      // No bytes, but strides that overflow.
      with_header("{" + entry("[0,4611686018427387904,4611686018427387904]", "[0,0]") + "}", ""),
      with_header("{" + entry("[" + ones(10'000) + "2]", "[0,8]") + "}", data),
      with_header(R"({"a":{"dtype":"BOOL","shape":[8],"data_offsets":[0,8]}})", data),
      with_header(R"({"__metadata__":{"a":1}})", ""),
      with_header(R"({"__metadata__":["a"]})", ""),
      with_header("[]", ""),
      with_header("{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4.0]}}", "1234"),
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)};
  for (const std::string& bytes : cases) {
    write_bytes(folder / "a.safetensors", bytes);
    EXPECT_THROW(read_safetensors(folder / "a.safetensors"), IoError) << bytes;
  }
  EXPECT_THROW(read_safetensors(folder / "absent"), IoError);
}

// Both ways the time must not grow by the square of the number of tensors, by which this would
// take minutes.
TEST(Safetensors, HoldsManyTensors) {
  const TemporaryFolder folder;
  SafetensorsFile file;
  for (int i = 0; i < 30'000; ++i) {
    file.tensors["decoder.block." + std::to_string(i) + ".weight"] = at::full({}, i, at::kInt);
  }
  write_safetensors(folder / "a", file);
  const SafetensorsFile read = read_safetensors(folder / "a");
  ASSERT_EQ(read.tensors.size(), 30'000U);
  for (const auto& [name, tensor] : read.tensors) {
    ASSERT_EQ(tensor.item<int>(), file.tensors.at(name).item<int>()) << name;
  }
}

TEST(Safetensors, NamesFileAndTensor) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.safetensors",
              with_header("{" + entry("[3]", "[0,8]") + "}", std::string(8, 'x')));
  try {
    read_safetensors(folder / "a.safetensors");
    FAIL() << "accepted";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("a.safetensors"), std::string::npos);
    EXPECT_NE(
        std::string(error.what()).find("tensor \"a\" has 8 bytes, its shape and dtype need 12"),
        std::string::npos)
        << error.what();
  }
}

TEST(Safetensors, SurvivesMutatedFiles) {
  const TemporaryFolder folder;
  write_safetensors(folder / "good",
                    {{{"weight", at::zeros({3, 4})}, {"bias", at::zeros({3})}}, {{"k", "v"}}});
  const std::string good = read_bytes(folder / "good");
  std::mt19937 engine(1);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 2; ++k) bytes[engine() % 160] = static_cast<char>(engine());
    if (i % 5 == 0) bytes.resize(engine() % bytes.size());
    write_bytes(folder / "bad", bytes);
    try {
      read_safetensors(folder / "bad");
    } catch (const IoError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 700);
}

}  // namespace
}  // namespace supn
