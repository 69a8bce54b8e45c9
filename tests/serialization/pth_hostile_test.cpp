// Files that are damaged or that try to do harm: each is refused with an IoError.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "serialization/pth_fixture.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/pth.hpp"

namespace supn {
namespace {

using namespace test;
using pickled::dict;
using pickled::integer;
using pickled::tensor;
using pickled::text;
using ::testing::HasSubstr;

constexpr std::int64_t kHuge = std::int64_t{1} << 60;

class HostilePth : public ::testing::Test {
 protected:
  // What the reader says; empty if it read the file.
  std::string fault(const std::string& bytes) const {
    write_bytes(folder_ / "a.pth", bytes);
    try {
      read_pth(folder_ / "a.pth");
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  }
  std::string zip_fault(const std::string& object) const {
    return fault(zip_file(object, {{"0", std::string(16, '\0')}}));
  }
  std::string tensor_fault(const pickled::Storage& storage, const pickled::Layout& layout) const {
    return zip_fault(tensor(storage, layout));
  }

  TemporaryFolder folder_;
};

std::string good_object() {
  return dict({{"a", tensor({.key = "0", .count = 4}, {0, {2, 2}, {2, 1}})},
               {"b", tensor({.key = "0", .count = 4}, {1, {2}, {2}})},
               {"height", integer(192)}});
}
StorageContents good_storages() { return {{"0", bytes_of(std::vector<float>{1, 2, 3, 4})}}; }

TEST_F(HostilePth, NamesTheGlobalThatItRefuses) {
  const std::string harm = pickled::call(pickled::global("posix", "system"), {text("touch harm")});
  EXPECT_THAT(zip_fault(harm), HasSubstr("refers to posix.system"));
  EXPECT_THAT(zip_fault(dict({{"a", harm}})), HasSubstr("nothing of it was run"));
  EXPECT_THAT(fault(legacy_file(harm, {})), HasSubstr("refers to posix.system"));
  EXPECT_THAT(zip_fault(text("builtins") + text("eval") + "\x93" + pickled::tuple({}) + "R"),
              HasSubstr("refers to builtins.eval"));
  EXPECT_THAT(zip_fault(pickled::global("torch._utils", "_rebuild_qtensor")),
              HasSubstr("torch._utils._rebuild_qtensor"));
  EXPECT_THAT(zip_fault(pickled::global("a\x1b[2J", "b")), HasSubstr("a\\x1b[2J.b"));
}

TEST_F(HostilePth, RefusesTensorsOutsideTheirStorage) {
  const pickled::Storage storage{.count = 4};
  EXPECT_EQ(tensor_fault(storage, {0, {4}, {1}}), "");
  for (const pickled::Layout& layout :
       std::vector<pickled::Layout>{{0, {5}, {1}},
                                    {1, {4}, {1}},
                                    {0, {2, 2}, {3, 1}},
                                    {4, {1}, {1}},
                                    {5, {0}, {1}},
                                    {0, {2, 2}, {std::int64_t{1} << 47, 1}}}) {
    EXPECT_THAT(tensor_fault(storage, layout), HasSubstr("outside its storage"));
  }
  EXPECT_THAT(tensor_fault(storage, {3, {4}, {-1}}), HasSubstr("negative"));
  EXPECT_THAT(tensor_fault(storage, {-1, {1}, {1}}), HasSubstr("negative"));
  EXPECT_THAT(tensor_fault(storage, {0, {-4}, {1}}), HasSubstr("negative"));
  EXPECT_THAT(tensor_fault(storage, {0, {kHuge}, {0}}), HasSubstr("impossibly large"));
  EXPECT_THAT(tensor_fault(storage, {0, {2, 2}, {1}}), HasSubstr("number of strides"));
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THAT(tensor_fault(storage, {0, {large, large, 0}, {0, 0, 0}}), HasSubstr("impossibly"));
  EXPECT_THAT(tensor_fault(storage, {0, {large}, {0}}), HasSubstr("expands to far more"));
}

TEST_F(HostilePth, RefusesStoragesThatAreNotThere) {
  EXPECT_THAT(tensor_fault({.key = "1", .count = 4}, {0, {4}, {1}}), HasSubstr("archive/data/1"));
  EXPECT_THAT(tensor_fault({.count = 5}, {0, {4}, {1}}), HasSubstr("16 bytes instead of 20"));
  EXPECT_THAT(tensor_fault({.count = kHuge}, {0, {4}, {1}}), HasSubstr("impossibly large"));
  EXPECT_THAT(tensor_fault({.key = "../x", .count = 4}, {0, {4}, {1}}), HasSubstr("no part"));
  EXPECT_THAT(fault(legacy_file(good_object(), {})), HasSubstr("is missing"));
  EXPECT_THAT(fault(legacy_file(good_object(), {{"1", ""}})), HasSubstr("no tensor has"));
}

TEST_F(HostilePth, BoundsCountsDepthAndReferences) {
  const auto counted = [](char code, std::uint32_t count) {
    return std::string(1, code) + little_endian(count);
  };
  EXPECT_THAT(zip_fault(counted('X', 0xFFFFFFFF)), HasSubstr("truncated"));
  EXPECT_THAT(zip_fault("\x8d" + little_endian(~std::uint64_t{0})), HasSubstr("truncated"));
  EXPECT_THAT(zip_fault(counted('j', 5)), HasSubstr("reference to value 5"));
  EXPECT_THAT(zip_fault("t"), HasSubstr("no beginning"));
  EXPECT_THAT(zip_fault("(\x85"), HasSubstr("without its operands"));
  EXPECT_THAT(zip_fault("}(Nu"), HasSubstr("key without a value"));
  EXPECT_THAT(zip_fault(std::string(100, ']') + std::string(99, 'a')), HasSubstr("deeper than 64"));
  EXPECT_THAT(zip_fault(std::string(3 << 20, 'N')), HasSubstr("more values"));
  EXPECT_THAT(zip_fault(std::string(5 << 20, '(')), HasSubstr("open groups"));
  EXPECT_THAT(zip_fault("N" + std::string(5 << 20, '2')), HasSubstr("pending values"));
  EXPECT_THAT(zip_fault(dict({{std::string(5000, 'k'), "N"}})), HasSubstr("too long"));
  EXPECT_THAT(zip_fault(dict({{"\xff", "N"}})), HasSubstr("no printable UTF-8"));
  EXPECT_THAT(zip_fault(dict({{"k", integer(1)}, {"k", integer(2)}})), HasSubstr("two values"));
}

TEST_F(HostilePth, SurvivesBombsOfReferences) {
  // A list that holds itself; lists, each holding the one before twice; a long name above a list
  // that is held again and again; a dict made of one long list again and again.
  EXPECT_THAT(zip_fault(std::string("]q\0h\0a", 6)), HasSubstr("deeper than 64"));
  for (const char depth : {char{10}, char{30}}) {
    std::string doubling = "]";
    for (char i = 0; i < depth; ++i) doubling += std::string("q") + i + "0](h" + i + "h" + i + "e";
    EXPECT_THAT(zip_fault(doubling), HasSubstr("a file of its size may have")) << int{depth};
  }
  const std::string items = "]q\1(" + std::string(100, 'N') + "e0](";
  std::string references;
  for (int i = 0; i < 100; ++i) references += "h\1";
  EXPECT_THAT(zip_fault(items + "N0" + references + "e"), HasSubstr("more values"));
  EXPECT_THAT(zip_fault("}" + text(std::string(4000, 'k')) + "](" + std::string(4000, 'N') + "es"),
              HasSubstr("more names"));
  std::string texts = "](" + text(std::string(4000, 't')) + std::string("q\0", 2);
  for (int i = 0; i < 100; ++i) texts += std::string("h\0", 2);
  EXPECT_THAT(zip_fault(texts + "e"), HasSubstr("more names and texts"));
  std::string pairs = "](";
  for (int i = 0; i < 100000; ++i) pairs += "NN\x86";
  pairs += std::string("eq\0", 3);
  for (int i = 0; i < 100; ++i) {
    pairs += pickled::global("collections", "OrderedDict") + std::string("h\0\x85R", 4);
  }
  EXPECT_THAT(zip_fault(pairs), HasSubstr("more values"));
}

TEST_F(HostilePth, RefusesOtherKindsOfFiles) {
  EXPECT_THAT(fault(""), HasSubstr("is empty"));
  EXPECT_THAT(fault("hello"), HasSubstr("neither a zip nor a pickle"));
  EXPECT_THAT(fault(pickled::whole(integer(5))), HasSubstr("none that torch.save wrote"));
  EXPECT_THAT(fault(zip_of({{"a/data.pkl", pickled::whole("}"), 8}})), HasSubstr("compressed"));
  EXPECT_THAT(fault(zip_of({{"a/constants.pkl", ""}})), HasSubstr("TorchScript"));
  EXPECT_THAT(fault(zip_of({{"a/b", ""}})), HasSubstr("no part /data.pkl"));
  EXPECT_THAT(fault(zip_of({{"a/b", ""}, {"a/b", ""}})), HasSubstr("twice"));
  EXPECT_THAT(fault(zip_of({{"a/data.pkl", pickled::whole("}")}, {"a/byteorder", "big"}})),
              HasSubstr("big-endian"));
  EXPECT_THROW(read_pth(folder_ / "none.pth"), IoError);
  EXPECT_THROW(read_pth(folder_.path()), IoError);
}

TEST_F(HostilePth, RefusesEveryTruncation) {
  for (const std::string& whole :
       {zip_file(good_object(), good_storages()), legacy_file(good_object(), good_storages())}) {
    ASSERT_EQ(fault(whole), "");
    for (std::size_t length = 0; length < whole.size(); length += 3) {
      EXPECT_NE(fault(whole.substr(0, length)), "") << length << " of " << whole.size();
    }
  }
}

// One to eight changes: bytes replaced, taken away, repeated.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (std::size_t changes = 1 + below(8); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size());
    const std::size_t kind = below(8);
    if (kind == 0) {
      bytes.erase(at, 1 + below(16));
    } else if (kind == 1) {
      bytes.insert(below(bytes.size()), bytes.substr(at, 1 + below(32)));
    } else if (kind == 2) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    } else {
      bytes[at] = static_cast<char>(below(256));
    }
  }
  return bytes;
}

TEST_F(HostilePth, ReadsOrRefusesAThousandMutations) {
  const std::vector<std::string> files{zip_file(good_object(), good_storages()),
                                       legacy_file(good_object(), good_storages())};
  int refused = 0;
  for (unsigned int seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const std::string bytes = mutated(files[seed % files.size()], random);
    std::string message;
    ASSERT_NO_THROW(message = fault(bytes)) << "seed " << seed;  // nothing but IoError
    if (message.empty()) continue;
    ++refused;
    EXPECT_THAT(message, HasSubstr("a.pth: ")) << "seed " << seed;
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1000);
}

}  // namespace
}  // namespace supn
