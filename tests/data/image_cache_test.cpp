#include "supn/data/image_cache.hpp"

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "data/small_set.hpp"
#include "supn/data/loader.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CachedSet : public SmallSet {
 protected:
  void SetUp() override {
    SmallSet::SetUp();
    cached_ = config_;
    cached_.cache = folder_ / "cache";
  }

  void build() const {
    build_image_cache(cached_, frames_, 2, [] {});
  }
  CacheNeed need() const { return image_cache_need(cached_, frames_); }
  KittiDataset dataset(const DataConfig& config) const {
    return KittiDataset(config, Split::kTrain, {.scales = 2});
  }
  // What opening the set says.
  std::string refusal() const {
    try {
      dataset(cached_);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  }

  std::string index() const {
    std::ifstream stream(cached_.cache / "index.txt", std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void write_index(const std::string& text) const {
    std::ofstream(cached_.cache / "index.txt", std::ios::binary) << text;
  }
  std::uintmax_t images_size() const {
    return std::filesystem::file_size(cached_.cache / "images.rgb");
  }

  static constexpr std::uintmax_t kImageBytes = 3 * kHeight * kWidth;
  DataConfig cached_;
};

// Training sees nothing of an image but this tensor: with the cache it takes the very same steps.
TEST_F(CachedSet, GivesTheSameBits) {
  build();
  const KittiDataset originals = dataset(config_);
  const KittiDataset cached = dataset(cached_);

  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    const LoaderOptions options{.batch_size = 2,
                                .order = Order::kShuffled,
                                .augment = Augment::kRandom,
                                .seed = 7,
                                .epoch = epoch};
    BatchLoader expected(originals, options);
    BatchLoader read(cached, options);
    while (const std::optional<Batch> batch = expected.next()) {
      const std::optional<Batch> other = read.next();
      ASSERT_TRUE(other.has_value());
      EXPECT_EQ(other->names, batch->names);
      EXPECT_TRUE(at::equal(other->image, batch->image));
      EXPECT_TRUE(at::equal(other->predictions[0], batch->predictions[0]));
    }
  }
}

TEST_F(CachedSet, ReadsTheCacheAlone) {
  build();
  const KittiDataset cached = dataset(cached_);
  const at::Tensor expected = dataset(config_).example(3, Augmentation()).image;
  std::filesystem::remove(image_file(3));

  EXPECT_TRUE(at::equal(cached.example(3, Augmentation()).image, expected));
}

TEST_F(CachedSet, SaysWhatItNeedsAndTakesNoMore) {
  EXPECT_EQ(need().missing, kFrames);
  EXPECT_EQ(need().bytes, kFrames * kImageBytes);
  frames_.push_back(frames_.front());
  EXPECT_EQ(need().missing, kFrames);

  build();

  EXPECT_EQ(need().present, kFrames);
  EXPECT_EQ(need().missing, 0);
  EXPECT_EQ(need().bytes, 0U);
  EXPECT_EQ(images_size(), kFrames * kImageBytes);
}

TEST_F(CachedSet, LeavesASplitThatWasNeverCachedAlone) {
  EXPECT_TRUE(at::equal(dataset(cached_).example(1, Augmentation()).image,
                        dataset(config_).example(1, Augmentation()).image));
}

TEST_F(CachedSet, RefusesAnOriginalThatHasChanged) {
  build();
  const auto time = std::filesystem::last_write_time(image_file(1));
  std::filesystem::last_write_time(image_file(1), time + std::chrono::seconds(1));

  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("image_02/data/0000000001.png is not as it was"),
                    HasSubstr("run supn_data cache")));
  EXPECT_EQ(need().missing, 1);
  EXPECT_EQ(need().bytes, 0U);  // in its old place
  write_image(image_file(1), stored_image(4));
  build();

  EXPECT_EQ(images_size(), kFrames * kImageBytes);
  EXPECT_TRUE(at::equal(dataset(cached_).example(1, Augmentation()).image,
                        dataset(config_).example(1, Augmentation()).image));
}

TEST_F(CachedSet, RefusesAnotherSize) {
  build();
  cached_.width = 2 * kWidth;

  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("the cached images are 16x8"),
                    HasSubstr("data.width x data.height is 32x8"),
                    HasSubstr("remove " + cached_.cache.string())));
  EXPECT_THROW(build(), IoError);
}

TEST_F(CachedSet, GoesOnAfterAnInterruption) {
  std::int64_t made = 0;
  EXPECT_THROW(build_image_cache(cached_,
                                 frames_,
                                 1,
                                 [&] {
                                   if (++made == 2) throw std::runtime_error("interrupted");
                                 }),
               std::runtime_error);
  const CacheNeed left = need();
  EXPECT_GE(left.present, 2);
  EXPECT_THAT(left.missing > 0 ? refusal() : "lacks", HasSubstr("lacks"));

  build();

  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(images_size(), kFrames * kImageBytes);
}

TEST_F(CachedSet, LeavesOutALineThatIsCutOff) {
  build();
  const std::string whole = index();
  write_index(whole.substr(0, whole.size() - 4));
  EXPECT_EQ(need().missing, 1);
  EXPECT_THAT(refusal(), HasSubstr("lacks 1 of the split's 5 images"));

  build();

  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(need().present, kFrames);
}

TEST_F(CachedSet, LeavesOutImagesThatAreCutOff) {
  build();
  const KittiDataset opened = dataset(cached_);
  std::filesystem::resize_file(cached_.cache / "images.rgb", 2 * kImageBytes + 5);

  EXPECT_EQ(need().present, 2);
  EXPECT_THAT(refusal(), HasSubstr("lacks 3"));
  std::int64_t faults = 0;
  for (std::int64_t i = 0; i < kFrames; ++i) {
    try {
      opened.example(i, Augmentation());
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("is cut off"));
      ++faults;
    }
  }
  EXPECT_EQ(faults, 3);
}

// The images after them bring the file back to its length, not their content.
TEST_F(CachedSet, ForgetsLostImagesBeforeItGrows) {
  build();
  std::filesystem::resize_file(cached_.cache / "images.rgb", 2 * kImageBytes);
  const std::vector<Frame> others = {frames_[4], frames_[3]};
  build_image_cache(cached_, others, 1, [] {});
  build_image_cache(cached_, std::vector<Frame>{frames_[2]}, 1, [] {});

  EXPECT_EQ(images_size(), kFrames * kImageBytes);
  for (std::int64_t i = 0; i < kFrames; ++i) {
    EXPECT_TRUE(at::equal(dataset(cached_).example(i, Augmentation()).image,
                          dataset(config_).example(i, Augmentation()).image))
        << i;
  }
}

TEST_F(CachedSet, RefusesWhatIsNoIndex) {
  build();
  const std::string whole = index();
  write_index("P6 640 192\n" + whole);
  EXPECT_THAT(refusal(), HasSubstr("is no index of an image cache"));
  for (const char* line : {"1 2 x\n", "-1 2 3 a.png\n", "99999999999999 2 3 a.png\n", "1 2 3\n"}) {
    write_index(whole + line);
    EXPECT_THAT(refusal(), HasSubstr("index.txt:7: expected `slot bytes time path`")) << line;
  }
}

TEST_F(CachedSet, NamesAnImageThatCannotBeRead) {
  std::filesystem::resize_file(image_file(2), 30);
  try {
    build();
    ADD_FAILURE() << "a damaged image was cached";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr(image_file(2).string()));
  }
}

}  // namespace
}  // namespace supn
