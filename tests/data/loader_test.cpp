#include "supn/data/loader.hpp"

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "data/small_set.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class Loader : public SmallSet {
 protected:
  KittiDataset dataset(std::int64_t workers, std::int64_t prefetch) {
    config_.workers = workers;
    config_.prefetch = prefetch;
    return KittiDataset(config_, Split::kTrain, {.scales = 2, .depth = Presence::kIfPresent});
  }
  static std::vector<Batch> all_batches(const KittiDataset& set, const LoaderOptions& options) {
    BatchLoader loader(set, options);
    std::vector<Batch> batches;
    while (std::optional<Batch> batch = loader.next()) batches.push_back(std::move(*batch));
    return batches;
  }
  static void expect_same(const Batch& a, const Batch& b) {
    EXPECT_EQ(a.names, b.names);
    EXPECT_TRUE(at::equal(a.image, b.image));
    ASSERT_EQ(a.predictions.size(), b.predictions.size());
    for (std::size_t s = 0; s < a.predictions.size(); ++s) {
      EXPECT_TRUE(at::equal(a.predictions[s], b.predictions[s]));
    }
    ASSERT_EQ(a.depth_m.size(), b.depth_m.size());
    for (std::size_t i = 0; i < a.depth_m.size(); ++i) {
      ASSERT_EQ(a.depth_m[i].defined(), b.depth_m[i].defined());
      if (!a.depth_m[i].defined()) continue;
      EXPECT_TRUE(at::equal(a.depth_m[i], b.depth_m[i]));
    }
  }
};

TEST_F(Loader, GivesExamplesAsBatchesInOrder) {
  const KittiDataset set = dataset(2, 4);

  const std::vector<Batch> batches = all_batches(set, {.batch_size = 2});

  ASSERT_EQ(batches.size(), 3U);
  std::int64_t index = 0;
  for (const Batch& batch : batches) {
    for (std::size_t b = 0; b < batch.names.size(); ++b, ++index) {
      const Example expected = set.example(index, Augmentation());
      const auto row = static_cast<std::int64_t>(b);
      EXPECT_EQ(batch.names[b], expected.frame.id());
      EXPECT_TRUE(at::equal(batch.image[row], expected.image));
      EXPECT_TRUE(at::equal(batch.predictions[0][row], expected.predictions[0]));
      EXPECT_TRUE(at::equal(batch.predictions[1][row], expected.predictions[1]));
      EXPECT_EQ(batch.depth_m[b].defined(), index == 0 || index == 3);
    }
  }
  EXPECT_EQ(index, kFrames);
  EXPECT_EQ(batches[2].image.size(0), 1);
}

TEST_F(Loader, CanDropALastBatchThatIsNotFull) {
  const LoaderOptions options{.batch_size = 2, .last_batch = LastBatch::kDrop};

  EXPECT_EQ(all_batches(dataset(1, 1), options).size(), 2U);
  EXPECT_EQ(batches_per_epoch(5, options), 2);
  EXPECT_EQ(batches_per_epoch(5, {.batch_size = 2}), 3);
  EXPECT_EQ(batches_per_epoch(4, {.batch_size = 2}), 2);
  EXPECT_EQ(all_batches(dataset(1, 1), {.batch_size = 9, .last_batch = LastBatch::kDrop}).size(),
            0U);
}

TEST_F(Loader, SharesEveryBatchBetweenProcesses) {
  const KittiDataset set = dataset(1, 2);
  LoaderOptions options{.batch_size = 4,
                        .order = Order::kShuffled,
                        .last_batch = LastBatch::kDrop,
                        .augment = Augment::kRandom,
                        .seed = 7,
                        .epoch = 3};
  const std::vector<Batch> whole = all_batches(set, options);
  std::vector<std::vector<Batch>> parts;
  for (const std::int64_t index : {0, 1}) {
    options.shard = {index, 2};
    parts.push_back(all_batches(set, options));
  }

  ASSERT_EQ(whole.size(), 1U);
  for (const std::size_t index : {0U, 1U}) {
    ASSERT_EQ(parts[index].size(), 1U);
    const Batch& part = parts[index].front();
    const auto first = static_cast<std::int64_t>(2 * index);
    EXPECT_TRUE(at::equal(part.image, whole[0].image.narrow(0, first, 2)));
    EXPECT_TRUE(at::equal(part.predictions[1], whole[0].predictions[1].narrow(0, first, 2)));
    EXPECT_THAT(part.names, ElementsAre(whole[0].names[2 * index], whole[0].names[2 * index + 1]));
  }
}

TEST_F(Loader, RefusesBatchesThatCannotBeShared) {
  const KittiDataset set = dataset(0, 1);
  const auto made = [&](const LoaderOptions& options) { const BatchLoader loader(set, options); };

  EXPECT_THROW(made({.batch_size = 3, .last_batch = LastBatch::kDrop, .shard = {0, 2}}),
               c10::Error);
  EXPECT_THROW(made({.batch_size = 4, .last_batch = LastBatch::kDrop, .shard = {2, 2}}),
               c10::Error);
  EXPECT_THROW(made({.batch_size = 4, .shard = {0, 2}}), c10::Error);
}

TEST_F(Loader, GivesTheSameForAnyNumberOfWorkersAndPrefetch) {
  const LoaderOptions options{.batch_size = 2,
                              .order = Order::kShuffled,
                              .augment = Augment::kRandom,
                              .seed = 5,
                              .epoch = 2};
  const std::vector<Batch> expected = all_batches(dataset(0, 1), options);
  ASSERT_EQ(expected.size(), 3U);

  for (const std::int64_t workers : {1, 2, 7}) {
    for (const std::int64_t prefetch : {1, 2, 50}) {
      const std::vector<Batch> batches = all_batches(dataset(workers, prefetch), options);
      ASSERT_EQ(batches.size(), expected.size());
      for (std::size_t i = 0; i < batches.size(); ++i) expect_same(batches[i], expected[i]);
    }
  }
}

TEST_F(Loader, StartsInTheMiddleAsIfItHadBegunAtTheStart) {
  LoaderOptions options{
      .batch_size = 2, .order = Order::kShuffled, .augment = Augment::kRandom, .seed = 5};
  const KittiDataset set = dataset(2, 2);
  const std::vector<Batch> whole = all_batches(set, options);
  options.first_batch = 1;

  const std::vector<Batch> rest = all_batches(set, options);

  ASSERT_EQ(rest.size(), 2U);
  expect_same(rest[0], whole[1]);
  expect_same(rest[1], whole[2]);
  options.first_batch = 3;
  EXPECT_TRUE(all_batches(set, options).empty());
  options.first_batch = 4;
  EXPECT_THROW(all_batches(set, options), c10::Error);
}

TEST_F(Loader, DrawsAnewEachEpoch) {
  const KittiDataset set = dataset(0, 1);

  const auto first = all_batches(set, {.batch_size = 5, .augment = Augment::kRandom, .epoch = 0});
  const auto second = all_batches(set, {.batch_size = 5, .augment = Augment::kRandom, .epoch = 1});

  EXPECT_EQ(first[0].names, second[0].names);
  EXPECT_FALSE(at::equal(first[0].image, second[0].image));
}

TEST_F(Loader, ThrowsAWorkersErrorInItsPlaceAndThenAlways) {
  put(image_file(2), "no image");
  for (const std::int64_t workers : {0, 1, 3}) {
    const KittiDataset set = dataset(workers, 4);
    BatchLoader loader(set, {.batch_size = 1});

    EXPECT_TRUE(loader.next().has_value());
    EXPECT_TRUE(loader.next().has_value());
    for (int again = 0; again < 3; ++again) {
      EXPECT_THAT(message_of<IoError>([&] { loader.next(); }),
                  StartsWith(image_file(2).string() + ": "))
          << workers;
    }
  }
}

TEST_F(Loader, EndsCleanlyInTheMiddleOfAnEpoch) {
  for (int round = 0; round < 20; ++round) {
    const KittiDataset set = dataset(3, 4);
    BatchLoader untouched(set, {.batch_size = 1});
    BatchLoader begun(set, {.batch_size = 1});
    EXPECT_TRUE(begun.next().has_value());
  }
}

TEST_F(Loader, GivesNothingAfterTheEnd) {
  const KittiDataset set = dataset(2, 4);
  BatchLoader loader(set, {.batch_size = 5});

  EXPECT_TRUE(loader.next().has_value());
  EXPECT_FALSE(loader.next().has_value());
  EXPECT_FALSE(loader.next().has_value());
}

TEST(ShuffledOrder, IsAPermutationOfSeedAndEpoch) {
  const std::vector<std::int64_t> order = shuffled_order(100, 3, 1);
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());

  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(order, shuffled_order(100, 3, 1));
  EXPECT_NE(order, shuffled_order(100, 3, 2));
  EXPECT_NE(order, shuffled_order(100, 4, 1));
  EXPECT_THAT(shuffled_order(1, 3, 1), ElementsAre(0));
  EXPECT_TRUE(shuffled_order(0, 3, 1).empty());
}

TEST(ShuffledOrder, IsFair) {
  constexpr int kEpochs = 6000;
  std::vector<int> counts(9, 0);
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<std::int64_t> order = shuffled_order(3, 11, epoch);
    for (std::size_t place = 0; place < 3; ++place) {
      ++counts[place * 3 + static_cast<std::size_t>(order[place])];
    }
  }
  for (const int count : counts) EXPECT_NEAR(count, kEpochs / 3, 5 * 37);  // 5 standard deviations
}

}  // namespace
}  // namespace supn
