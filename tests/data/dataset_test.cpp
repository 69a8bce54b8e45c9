#include "supn/data/dataset.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>

#include <limits>

#include "data/small_set.hpp"
#include "supn/errors.hpp"
#include "supn/io/resize.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Dataset : public SmallSet {
 protected:
  KittiDataset dataset(const ExampleContents& contents) const {
    return KittiDataset(config_, Split::kTrain, contents);
  }
  Example example(std::int64_t index, const ExampleContents& contents) const {
    return dataset(contents).example(index, Augmentation());
  }
  std::string fault(std::int64_t index, const ExampleContents& contents) const {
    return message_of<IoError>([&] { example(index, contents); });
  }
  std::string config_fault(const ExampleContents& contents) const {
    return message_of<ConfigError>([&] { dataset(contents); });
  }
};

TEST_F(Dataset, GivesTheResizedImageIn0To1) {
  const Example read = example(2, {});

  EXPECT_EQ(read.frame, frames_[2]);
  const at::Tensor expected = resize_lanczos(stored_image(2), {kHeight, kWidth});
  EXPECT_TRUE(
      at::allclose(read.image, expected.permute({2, 0, 1}).to(at::kFloat).div(255.0F), 0, 1e-7));
  EXPECT_TRUE(at::equal(read.image, load_image(config_, frames_[2])));
  EXPECT_TRUE(read.predictions.empty());
  EXPECT_FALSE(read.depth_m.defined());
}

TEST_F(Dataset, AveragesCoarserScalesThatAreNotStored) {
  const Example read = example(1, {.scales = 4});

  ASSERT_EQ(read.predictions.size(), 4U);
  EXPECT_TRUE(at::equal(read.predictions[0], stored_maps(1)));
  for (std::int64_t s = 1; s < 4; ++s) {
    const at::Tensor expected = at::avg_pool2d(stored_maps(1), {1 << s, 1 << s});
    EXPECT_TRUE(at::allclose(read.predictions[static_cast<std::size_t>(s)], expected)) << s;
  }
}

TEST_F(Dataset, TakesStoredScalesAndAveragesThoseBelow) {
  const at::Tensor stored = at::ones({kMembers, kHeight / 2, kWidth / 2}).mul(42);
  write_maps(maps_file(1, 1), stored);

  const Example read = example(1, {.scales = 3});

  EXPECT_TRUE(at::equal(read.predictions[1], stored));
  EXPECT_TRUE(at::equal(read.predictions[2], at::ones({kMembers, 2, 4}).mul(42)));
}

TEST_F(Dataset, LoadsFloat16AndFloat64AsFloat32) {
  write_maps(maps_file(1), stored_maps(1).to(at::kHalf));
  write_maps(maps_file(2), stored_maps(2).to(at::kDouble));

  for (std::int64_t i = 1; i <= 2; ++i) {
    const Example read = example(i, {.scales = 1});
    EXPECT_EQ(read.predictions[0].scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(read.predictions[0], stored_maps(i)));
  }
}

TEST_F(Dataset, LeavesOutExcludedMembers) {
  config_.exclude_members = {1, 1};

  const KittiDataset set = dataset({.scales = 2});
  const Example read = set.example(3, Augmentation());

  EXPECT_EQ(set.stored_members(), 3);
  EXPECT_EQ(set.members(), 2);
  const at::Tensor maps = stored_maps(3);
  EXPECT_TRUE(at::equal(read.predictions[0], at::stack({maps[0], maps[2]})));
  EXPECT_EQ(read.predictions[1].size(0), 2);
}

TEST_F(Dataset, MirrorsImageMapsAndDepthTogether) {
  write_maps(log_scale_path(config_.samples, frames_[0]), stored_maps(7));
  const KittiDataset set =
      dataset({.scales = 2, .depth = Presence::kRequired, .log_scale = Presence::kIfPresent});

  const Example plain = set.example(0, Augmentation());
  const Example mirrored = set.example(0, {.mirror = Mirror::kHorizontal});

  EXPECT_TRUE(at::equal(plain.log_scale, stored_maps(7)));
  EXPECT_TRUE(at::equal(mirrored.image, plain.image.flip(-1)));
  EXPECT_TRUE(at::equal(mirrored.predictions[0], plain.predictions[0].flip(-1)));
  EXPECT_TRUE(at::equal(mirrored.predictions[1], plain.predictions[1].flip(-1)));
  EXPECT_TRUE(at::equal(mirrored.log_scale, plain.log_scale.flip(-1)));
  EXPECT_TRUE(at::equal(mirrored.depth_m, plain.depth_m.flip(-1)));
}

TEST_F(Dataset, ChangesColoursOfTheImageOnly) {
  const KittiDataset set = dataset({.scales = 1, .depth = Presence::kRequired});

  const Example plain = set.example(0, Augmentation());
  const Example changed = set.example(0, {.brightness = 0.8});

  EXPECT_TRUE(at::allclose(changed.image, plain.image.mul(0.8)));
  EXPECT_TRUE(at::equal(changed.predictions[0], plain.predictions[0]));
  EXPECT_TRUE(at::equal(changed.depth_m, plain.depth_m));
}

TEST_F(Dataset, GivesDepthAtItsOwnSizeFromTheFirstFolder) {
  write_depth(3, "proj_depth/groundtruth", stored_depth(30));

  EXPECT_TRUE(at::equal(example(0, {.depth = Presence::kIfPresent}).depth_m, stored_depth(0)));
  EXPECT_TRUE(at::equal(example(3, {.depth = Presence::kIfPresent}).depth_m, stored_depth(30)));
  EXPECT_FALSE(example(1, {.depth = Presence::kIfPresent}).depth_m.defined());
  config_.depth_folders = {"stereo_depth"};
  EXPECT_TRUE(at::equal(example(3, {.depth = Presence::kIfPresent}).depth_m, stored_depth(3)));
}

TEST_F(Dataset, RefusesGroundTruthOfAnotherSizeThanItsImage) {
  write_depth(3, "stereo_depth", at::ones({8, 18}));

  EXPECT_THAT(fault(3, {.depth = Presence::kIfPresent}),
              AllOf(HasSubstr("stereo_depth"),
                    HasSubstr("expected the image's size, 20x9, found "
                              "18x8; replace")));
  EXPECT_EQ(fault(3, {}), "");
}

TEST_F(Dataset, LeavesImagesOutWhereTheyAreNotAskedFor) {
  std::filesystem::remove(image_file(0));

  const Example read =
      example(0, {.scales = 1, .depth = Presence::kIfPresent, .image = Presence::kUnused});

  EXPECT_FALSE(read.image.defined());
  EXPECT_TRUE(at::equal(read.depth_m, stored_depth(0)));
  EXPECT_TRUE(at::equal(read.predictions[0], stored_maps(0)));
}

TEST_F(Dataset, DemandsDepthWhereItIsRequired) {
  EXPECT_THAT(fault(1, {.depth = Presence::kRequired}),
              AllOf(HasSubstr(frames_[1].id()), HasSubstr("stereo_depth"), HasSubstr("; name")));
}

TEST_F(Dataset, NamesFilesWithAnotherNumberOfMembers) {
  write_maps(maps_file(4), stored_maps(4).narrow(0, 0, 2));

  EXPECT_THAT(fault(4, {.scales = 1}),
              AllOf(StartsWith(maps_file(4).string() + ": "),
                    HasSubstr("expected members' maps, float16 or float32 [3, 8, 16]"),
                    HasSubstr("[2, 8, 16]"),
                    HasSubstr("run supn_ensemble again")));
}

TEST_F(Dataset, NamesFilesOfAnotherSizeOrType) {
  write_maps(maps_file(3), at::ones({3, 8, 8}));
  write_maps(maps_file(4, 1), at::ones({3, 8, 16}));
  write_maps(maps_file(2), at::ones({3, 8, 16}, at::kLong));
  write_maps(maps_file(1), at::ones({8, 16}));

  EXPECT_THAT(fault(3, {.scales = 1}), HasSubstr("[3, 8, 8]"));
  EXPECT_THAT(fault(4, {.scales = 2}),
              AllOf(StartsWith(maps_file(4, 1).string()), HasSubstr("[3, 4, 8], found")));
  EXPECT_THAT(fault(2, {.scales = 1}), HasSubstr("Long [3, 8, 16]"));
  EXPECT_THAT(fault(1, {.scales = 1}), HasSubstr("[8, 16]"));
}

TEST_F(Dataset, NamesFilesThatAreCutOffOrMissing) {
  const std::string whole = bytes_of(maps_file(3));
  put(maps_file(3), whole.substr(0, whole.size() - 1));
  std::filesystem::remove(maps_file(4));

  EXPECT_THAT(fault(3, {.scales = 1}), StartsWith(maps_file(3).string() + ": "));
  EXPECT_THAT(fault(4, {.scales = 1}),
              AllOf(StartsWith(maps_file(4).string() + ": "), HasSubstr("run supn_ensemble")));
}

TEST_F(Dataset, NamesFilesWithValuesThatAreNotFinite) {
  at::Tensor maps = stored_maps(3);
  maps[1][2][3] = std::numeric_limits<float>::quiet_NaN();
  maps[2][0][0] = std::numeric_limits<float>::infinity();
  write_maps(maps_file(3), maps);

  EXPECT_THAT(fault(3, {.scales = 1}),
              AllOf(StartsWith(maps_file(3).string()), HasSubstr("found 2 of 384")));
}

TEST_F(Dataset, NamesDamagedImages) {
  put(image_file(4), bytes_of(image_file(4)).substr(0, 60));

  EXPECT_THAT(fault(4, {}), AllOf(StartsWith(image_file(4).string()), HasSubstr("cut off")));
}

TEST_F(Dataset, RefusesWhatTheConfigurationCannotMean) {
  config_.exclude_members = {3};
  EXPECT_THAT(config_fault({.scales = 1}),
              AllOf(HasSubstr("data.exclude_members"), HasSubstr("0 to 2"), HasSubstr("found 3")));
  config_.exclude_members = {0, 1, 2};
  EXPECT_THAT(config_fault({.scales = 1}), HasSubstr("all 3 members"));
  config_.exclude_members.clear();
  EXPECT_THAT(config_fault({.scales = 5}), HasSubstr("multiples of 16"));
  config_.samples.clear();
  EXPECT_THAT(config_fault({.scales = 1}), HasSubstr("--set data.samples=DIR"));
  EXPECT_EQ(config_fault({}), "");
  config_.train_split.clear();
  EXPECT_THAT(config_fault({}), HasSubstr("--set data.train_split=FILE"));
  config_.root.clear();
  EXPECT_THAT(config_fault({}), HasSubstr("data.root"));
}

TEST_F(Dataset, ReadsTheRealSet) {
  const std::filesystem::path root = SUPN_SHARED_DIR "/data/kitti_mini";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << root << " is not there";
  config_ = DataConfig();
  config_.root = root;
  config_.train_split = root / "splits/train_files.txt";

  const KittiDataset set = dataset({.depth = Presence::kIfPresent});
  std::int64_t with_depth = 0;
  for (const Frame& frame : set.frames()) {
    EXPECT_TRUE(std::filesystem::exists(image_path(root, frame)));
    if (depth_path(root, frame, config_.depth_folders)) ++with_depth;
  }
  const Example read = set.example(0, Augmentation());

  EXPECT_EQ(set.size(), 156);
  EXPECT_EQ(with_depth, 130);
  EXPECT_EQ(read.image.sizes(), (at::IntArrayRef{3, 192, 640}));
  EXPECT_EQ(read.depth_m.sizes(), (at::IntArrayRef{375, 1242}));
  EXPECT_GT(read.depth_m.max().item<float>(), 20.0F);
  EXPECT_LT(read.depth_m.max().item<float>(), 100.0F);
}

}  // namespace
}  // namespace supn
