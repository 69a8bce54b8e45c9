// Worker threads load examples of a dataset ahead, as batches.
//
//   BatchLoader loader(train, {.batch_size = 4, .order = Order::kShuffled, .seed = 1, .epoch = 3});
//   while (std::optional<Batch> batch = loader.next()) step(*batch);
//
// One loader is one epoch. The batches are a function of dataset and options only: the same for any
// number of workers (data.workers; 0 = loading in next() itself) and any prefetch (data.prefetch,
// the most batches that are ready or in the making). An error of a worker is thrown by next() in
// the place of its batch, after the batches before it, and again by each later call: the epoch is
// over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "supn/data/batch.hpp"
#include "supn/data/dataset.hpp"

namespace supn {

enum class Order { kSequential, kShuffled };
enum class LastBatch { kKeep, kDrop };  // of a last batch that is not full
enum class Augment { kNone, kRandom };  // random: draw_augmentation with data.augmentation

// The part of every batch that one of several processes loads: `index`-th of `count` equal parts.
// All parts of a batch, one after the other, are the batch.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

struct LoaderOptions {
  std::int64_t batch_size = 1;
  Order order = Order::kSequential;
  LastBatch last_batch = LastBatch::kKeep;
  Augment augment = Augment::kNone;
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t first_batch = 0;  // start in the middle of the epoch, as if the ones before were had
  Shard shard = {};              // more than one only of batches that are all full
};

// Returns the number of batches of a whole epoch.
std::int64_t batches_per_epoch(std::int64_t examples, const LoaderOptions& options);

// A permutation of 0 … count − 1 that is a function of (count, seed, epoch).
std::vector<std::int64_t> shuffled_order(std::int64_t count,
                                         std::uint64_t seed,
                                         std::int64_t epoch);

class BatchLoader {
 public:
  // The dataset must outlive the loader. Throws c10::Error for a batch size below 1, a first batch
  // beyond the epoch, or batches that cannot be shared evenly.
  BatchLoader(const KittiDataset& dataset, const LoaderOptions& options);
  // Waits for the examples in the making, drops the rest.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // The next batch, or nothing at the epoch's end. Throws what loading it threw.
  std::optional<Batch> next();

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace supn
