#include "supn/serialization/pth.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serialization/pth_fixture.hpp"
#include "serialization/temporary_folder.hpp"

namespace supn {
namespace {

using namespace test;
using pickled::dict;
using pickled::integer;
using pickled::list;
using pickled::tensor;
using pickled::text;
using ::testing::ElementsAre;
using ::testing::Key;

std::string floats(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return bytes_of(values);
}

at::Tensor ramp(std::int64_t count) { return at::arange(count).to(at::kFloat); }

PthFile read_bytes_as_pth(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.pth", bytes);
  return read_pth(folder / "a.pth");
}

class PthFormats : public ::testing::TestWithParam<bool> {
 protected:
  static PthFile read(const std::string& object, const StorageContents& storages) {
    return read_bytes_as_pth(GetParam() ? zip_file(object, storages)
                                        : legacy_file(object, storages));
  }
};

INSTANTIATE_TEST_SUITE_P(Pth, PthFormats, ::testing::Values(true, false), [](const auto& format) {
  return format.param ? "Zip" : "Legacy";
});

TEST_P(PthFormats, ReadsTensorsAndWhatLiesBeside) {
  const PthFile file =
      read(dict({{"conv.weight",
                  tensor({.key = "7", .location = "cuda:0", .count = 6}, {0, {2, 3}, {3, 1}})},
                 {"height", integer(192)},
                 {"use_stereo", "\x88"},
                 {"rate", std::string("G\x3f\xe0\0\0\0\0\0\0", 9)},
                 {"name", text("größe")},
                 {"nothing", "N"},
                 {"raw", std::string("C\x02\0\1", 4)}}),
           {{"7", floats(6)}});

  EXPECT_THAT(file.tensors, ElementsAre(Key("conv.weight")));
  EXPECT_TRUE(file.tensors.at("conv.weight").equal(ramp(6).view({2, 3})));
  EXPECT_EQ(file.values.at("height"), PthValue(std::int64_t{192}));
  EXPECT_EQ(file.values.at("use_stereo"), PthValue(true));
  EXPECT_EQ(file.values.at("rate"), PthValue(0.5));
  EXPECT_EQ(file.values.at("name"), PthValue(std::string("größe")));
  EXPECT_THAT(file.omitted, ElementsAre("nothing", "raw"));
}

TEST_P(PthFormats, ReadsViewsOfOneStorage) {
  const pickled::Storage storage{.count = 12};
  const PthFile file = read(dict({{"transposed", tensor(storage, {0, {4, 3}, {1, 4}})},
                                  {"column", tensor(storage, {1, {3}, {4}})},
                                  {"expanded", tensor(storage, {2, {2, 3}, {0, 0}})},
                                  {"scalar", tensor(storage, {11, {}, {}})},
                                  {"empty", tensor(storage, {12, {0, 5}, {5, 1}})}}),
                            {{"0", floats(12)}});

  const at::Tensor base = ramp(12).view({3, 4});
  EXPECT_TRUE(file.tensors.at("transposed").equal(base.t()));
  EXPECT_TRUE(file.tensors.at("transposed").is_contiguous());
  EXPECT_TRUE(file.tensors.at("column").equal(base.select(1, 1)));
  EXPECT_TRUE(file.tensors.at("expanded").equal(2 * at::ones({2, 3})));
  EXPECT_EQ(file.tensors.at("scalar").item<float>(), 11.0F);
  EXPECT_EQ(file.tensors.at("empty").sizes(), at::IntArrayRef({0, 5}));
}

TEST_P(PthFormats, NamesWhatIsNested) {
  const std::string weight = tensor({.count = 2}, {0, {2}, {1}});
  const PthFile file = read(
      dict({{"state_dict", dict({{"w", weight}})},
            {"sizes", list({integer(3), pickled::integers({4})})},
            {"shape", pickled::call(pickled::global("torch", "Size"), {pickled::integers({5, 6})})},
            {"dtype", pickled::global("torch", "float16")}}),
      {{"0", floats(2)}});

  EXPECT_THAT(file.tensors, ElementsAre(Key("state_dict.w")));
  EXPECT_THAT(
      file.values,
      ElementsAre(Key("dtype"), Key("shape.0"), Key("shape.1"), Key("sizes.0"), Key("sizes.1.0")));
  EXPECT_EQ(file.values.at("sizes.1.0"), PthValue(std::int64_t{4}));
  EXPECT_EQ(file.values.at("dtype"), PthValue(std::string("torch.float16")));
}

TEST_P(PthFormats, UnwrapsParametersAndIgnoresMetadata) {
  const std::string parameter =
      pickled::call(pickled::global("torch._utils", "_rebuild_parameter"),
                    {tensor({.count = 2}, {0, {2}, {1}}), "\x88", pickled::ordered_dict()});
  const PthFile file =
      read(dict({{"w", parameter}}) + dict({{"_metadata", dict({{"version", integer(1)}})}}) + "b",
           {{"0", floats(2)}});

  EXPECT_TRUE(file.tensors.at("w").equal(ramp(2)));
  EXPECT_TRUE(file.values.empty());
}

TEST_P(PthFormats, ReadsATensorAlone) {
  const PthFile file = read(tensor({.count = 3}, {0, {3}, {1}}), {{"0", floats(3)}});
  EXPECT_TRUE(file.tensors.at("tensor").equal(ramp(3)));
}

TEST(Pth, ReadsEveryType) {
  const std::vector<std::pair<std::string, at::ScalarType>> types{
      {"DoubleStorage", at::kDouble},
      {"FloatStorage", at::kFloat},
      {"HalfStorage", at::kHalf},
      {"BFloat16Storage", at::kBFloat16},
      {"LongStorage", at::kLong},
      {"IntStorage", at::kInt},
      {"ShortStorage", at::kShort},
      {"CharStorage", at::kChar},
      {"ByteStorage", at::kByte},
      {"BoolStorage", at::kBool}};
  for (const auto& [name, type] : types) {
    const at::Tensor values = at::arange(-2, 3).to(type);
    const std::string content(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
    const std::string object = tensor({.type = name, .count = 5}, {0, {5}, {1}});

    const PthFile zip = read_bytes_as_pth(zip_file(object, {{"0", content}}));
    const PthFile legacy = read_bytes_as_pth(
        legacy_file(object, {{"0", content}}, static_cast<std::size_t>(values.element_size())));

    EXPECT_EQ(zip.tensors.at("tensor").scalar_type(), type);
    EXPECT_TRUE(zip.tensors.at("tensor").equal(values)) << name;
    EXPECT_TRUE(legacy.tensors.at("tensor").equal(values)) << name;
  }
}

// Part of a larger storage, as PyTorch before 0.4 wrote it.
TEST(Pth, ReadsLegacyPartsOfStorages) {
  using pickled::tuple;
  const std::string storage = tuple({text("storage"),
                                     pickled::global("torch", "FloatStorage"),
                                     text("0"),
                                     text("cpu"),
                                     integer(6),
                                     tuple({text("part"), integer(2), integer(3)})}) +
                              "Q";
  const std::string object =
      pickled::call(pickled::global("torch._utils", "_rebuild_tensor"),
                    {storage, integer(1), pickled::integers({2}), pickled::integers({1})});

  const PthFile file = read_bytes_as_pth(legacy_file(object, {{"0", floats(6)}}));

  EXPECT_TRUE(file.tensors.at("tensor").equal(ramp(6).narrow(0, 3, 2)));
}

}  // namespace
}  // namespace supn
