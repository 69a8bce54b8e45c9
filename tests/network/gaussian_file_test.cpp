#include "supn/network/gaussian_file.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "gaussian/gaussian_fixture.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn::test {
namespace {

using GaussianFileTest = testing::TestWithParam<Neighbourhood>;

TEST_P(GaussianFileTest, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const StructuredGaussian g = random_gaussian(GetParam()).to(dtype);
    write_gaussian(folder / "g.safetensors", {g, "height [m]", {{"frame", "17"}}}, dtype);
    const GaussianFile read = read_gaussian(folder / "g.safetensors");
    EXPECT_TRUE(read.gaussian.mean().equal(g.mean()));
    EXPECT_TRUE(read.gaussian.log_diagonal().equal(g.log_diagonal()));
    EXPECT_TRUE(read.gaussian.off_diagonal().equal(g.off_diagonal()));
    EXPECT_EQ(read.gaussian.neighbourhood(), GetParam());
    EXPECT_EQ(read.quantity, "height [m]");
    EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"frame", "17"}}));
  }
}

INSTANTIATE_TEST_SUITE_P(Orders,
                         GaussianFileTest,
                         testing::Values(Neighbourhood(0),
                                         Neighbourhood(1),
                                         Neighbourhood(2),
                                         Neighbourhood(3),
                                         Neighbourhood(CoarseToFine{}),
                                         Neighbourhood(CoarseToFine{
                                             .classes = 3, .neighbours = 20, .levels = 2})));

TEST(GaussianFile, OfFloat16IsReadAsFloat32Rounded) {
  const TemporaryFolder folder;
  const StructuredGaussian g = random_gaussian(2);
  write_gaussian(folder / "g.safetensors", {g, kLogitOfDisparity, {}}, at::kHalf);
  const StructuredGaussian read = read_gaussian(folder / "g.safetensors").gaussian;
  EXPECT_EQ(read.mean().scalar_type(), at::kFloat);
  EXPECT_TRUE(read.off_diagonal().equal(g.off_diagonal().to(at::kHalf).to(at::kFloat)));
  EXPECT_LT(largest_difference(read.mean(), g.mean()), 1e-3 * largest(g.mean()));
}

TEST(GaussianFile, RefusesAValueThatOverflowsFloat16) {
  const TemporaryFolder folder;
  const StructuredGaussian g = random_gaussian(1);
  const StructuredGaussian large(
      g.mean(), g.log_diagonal(), g.off_diagonal().mul(1e6), g.neighbourhood());
  const GaussianFile file{large, kLogitOfDisparity, {}};
  EXPECT_THROW(write_gaussian(folder / "g.safetensors", file, at::kHalf), IoError);
  EXPECT_FALSE(std::filesystem::exists(folder / "g.safetensors"));
  EXPECT_NO_THROW(write_gaussian(folder / "g.safetensors", file, at::kFloat));
}

TEST(GaussianFile, RefusesOtherDtypesAndReservedNames) {
  const TemporaryFolder folder;
  const StructuredGaussian g = random_gaussian(1);
  EXPECT_THROW(write_gaussian(folder / "g", {g, "q", {}}, at::kLong), c10::Error);
  EXPECT_THROW(write_gaussian(folder / "g", {g, "q", {{"radius", "9"}}}, at::kFloat), c10::Error);
}

// A good file, spoiled by `spoil`, must be refused with a message that holds `part`.
void expect_refused(const std::function<void(SafetensorsFile&)>& spoil,
                    const std::string& part,
                    const Neighbourhood& order = Neighbourhood(1)) {
  const TemporaryFolder folder;
  const auto path = folder / "g.safetensors";
  write_gaussian(path, {random_gaussian(order), "q", {}}, at::kFloat);
  SafetensorsFile file = read_safetensors(path);
  spoil(file);
  write_safetensors(path, file);
  try {
    read_gaussian(path);
    ADD_FAILURE() << "no error that says: " << part;
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(path.string()));
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(GaussianFile, NamesWhatIsWrongWithIt) {
  const auto without = [](const char* name) {
    return [name](SafetensorsFile& f) { f.tensors.erase(name); };
  };
  expect_refused(without("mean"), "has no tensor \"mean\"");
  expect_refused(without("off_diagonal"), "has no tensor \"off_diagonal\"");
  expect_refused([](SafetensorsFile& f) { f.metadata.erase("format"); }, "no metadata entry");
  expect_refused([](SafetensorsFile& f) { f.metadata["format"] = "pt"; }, "format = \"pt\"");
  expect_refused([](SafetensorsFile& f) { f.metadata["format_version"] = "3"; }, "expected \"1\"");
  expect_refused([](SafetensorsFile& f) { f.metadata["format_version"] = "2"; }, "\"order\"");
  expect_refused([](SafetensorsFile& f) { f.metadata["radius"] = "2x"; }, "radius = \"2x\"");
  expect_refused([](SafetensorsFile& f) { f.metadata["radius"] = "99"; }, "radius = \"99\"");
  expect_refused([](SafetensorsFile& f) { f.metadata["radius"] = "2"; }, "expected [2, 12, 6, 8]");
  expect_refused([](SafetensorsFile& f) { f.metadata.erase("quantity"); }, "\"quantity\"");
  expect_refused([](SafetensorsFile& f) { f.tensors["extra"] = f.tensors["mean"]; },
                 "unknown tensor \"extra\"");
  expect_refused([](SafetensorsFile& f) { f.tensors["mean"] = f.tensors["mean"].to(at::kLong); },
                 "expected F16, F32 or F64");
  expect_refused([](SafetensorsFile& f) { f.tensors["mean"] = f.tensors["mean"].to(at::kDouble); },
                 "log_diagonal as Float but mean as Double");
  expect_refused([](SafetensorsFile& f) { f.tensors["mean"] = f.tensors["mean"].squeeze(1); },
                 "expected [B,1,H,W]");
  expect_refused(
      [](SafetensorsFile& f) { f.tensors["log_diagonal"] = f.tensors["log_diagonal"].mul(NAN); },
      "not finite");
}

TEST(GaussianFile, NamesWhatIsWrongWithItsOrder) {
  const auto refused = [](const char* name, const char* value, const char* part) {
    expect_refused(
        [&](SafetensorsFile& f) { f.metadata[name] = value; }, part, Neighbourhood(CoarseToFine{}));
  };
  refused("order", "spiral", "order = \"spiral\"");
  refused("classes", "4", "expected 3 or 12");
  refused("classes", "twelve", "expected an integer in 3");
  refused("neighbours", "11", "expected an integer in 12");
  refused("neighbours", "20", "expected [2, 20, 6, 8]");
  refused("levels", "99", "levels = \"99\"");
  refused("format_version", "1", "\"radius\"");
}

TEST(GaussianFile, SaysThatAFileIsMissing) {
  EXPECT_THROW(read_gaussian("no_such_file.safetensors"), IoError);
}

}  // namespace
}  // namespace supn::test
