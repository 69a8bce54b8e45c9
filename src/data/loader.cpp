#include "supn/data/loader.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "counter_random.hpp"

namespace supn {
namespace {

// Like at::stack, without the threads that ATen would start in every worker.
at::Tensor stacked(const std::vector<at::Tensor>& items) {
  std::vector<std::int64_t> shape = items.front().sizes().vec();
  shape.insert(shape.begin(), static_cast<std::int64_t>(items.size()));
  at::Tensor batch = at::empty(shape, at::kFloat);
  float* out = batch.mutable_data_ptr<float>();
  for (const at::Tensor& item : items) {
    TORCH_CHECK(item.sizes() == items.front().sizes(),
                "BatchLoader: expected examples of one size, got ",
                items.front().sizes(),
                " and ",
                item.sizes());
    out = std::copy_n(item.const_data_ptr<float>(), item.numel(), out);
  }
  return batch;
}

Batch batch_of(std::vector<Example> examples) {
  Batch batch;
  std::vector<at::Tensor> images;
  for (Example& example : examples) {
    images.push_back(std::move(example.image));
    batch.depth_m.push_back(std::move(example.depth_m));
    batch.names.push_back(example.frame.id());
  }
  batch.image = stacked(images);
  for (std::size_t scale = 0; scale < examples.front().predictions.size(); ++scale) {
    std::vector<at::Tensor> maps;
    for (Example& example : examples) maps.push_back(std::move(example.predictions[scale]));
    batch.predictions.push_back(stacked(maps));
  }
  return batch;
}

}  // namespace

std::int64_t batches_per_epoch(std::int64_t examples, const LoaderOptions& options) {
  TORCH_CHECK(options.batch_size > 0,
              "batches_per_epoch: expected a positive batch size, got ",
              options.batch_size);
  const std::int64_t full = examples / options.batch_size;
  const bool has_rest = examples % options.batch_size != 0;
  return has_rest && options.last_batch == LastBatch::kKeep ? full + 1 : full;
}

std::vector<std::int64_t> shuffled_order(std::int64_t count,
                                         std::uint64_t seed,
                                         std::int64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  CounterRandom random({seed, epoch, RandomPurpose::kShuffle}, 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    const auto chosen = static_cast<std::size_t>(random.uniform() * static_cast<double>(left));
    std::swap(order[left - 1], order[chosen]);
  }
  return order;
}

// The batches not yet handed out, in order, as tasks; threads that carry tasks out.
class BatchLoader::Worker {
 public:
  Worker(const KittiDataset& dataset, const LoaderOptions& options)
      : dataset_(dataset),
        options_(options),
        batches_(batches_per_epoch(dataset.size(), options)),
        submitted_(options.first_batch) {
    TORCH_CHECK(submitted_ >= 0 && submitted_ <= batches_,
                "BatchLoader: expected a first batch of at most ",
                batches_,
                ", got ",
                submitted_);
    const Shard& shard = options.shard;
    TORCH_CHECK(shard.index >= 0 && shard.index < shard.count &&
                    options.batch_size % shard.count == 0 &&
                    (shard.count == 1 || options.last_batch == LastBatch::kDrop),
                "BatchLoader: expected full batches that ",
                shard.count,
                " processes can share evenly, got ",
                options.batch_size,
                " images for part ",
                shard.index);
    if (options.order == Order::kShuffled) {
      order_ = shuffled_order(dataset.size(), options.seed, options.epoch);
    } else {
      order_.resize(static_cast<std::size_t>(dataset.size()));
      std::iota(order_.begin(), order_.end(), 0);
    }
    const std::int64_t workers = dataset.config().workers;
    const std::int64_t ahead = workers > 0 ? dataset.config().prefetch : 1;
    for (std::int64_t i = 0; i < ahead; ++i) submit();
    for (std::int64_t i = 0; i < std::min(workers, batches_); ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }

  ~Worker() {
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::optional<Batch> next() {
    if (pending_.empty()) return {};
    if (threads_.empty()) run_tasks();
    Batch batch = pending_.front().get();  // what it throws leaves it at the front
    pending_.pop_front();
    submit();
    return batch;
  }

 private:
  using Task = std::packaged_task<Batch()>;

  void submit() {
    if (submitted_ == batches_) return;
    Task task([this, index = submitted_++] { return load(index); });
    pending_.push_back(task.get_future().share());
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    task_added_.notify_one();
  }

  void run_tasks() {
    for (; !tasks_.empty(); tasks_.pop_front()) tasks_.front()();
  }

  void work(const std::stop_token& stop) {
    while (true) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        if (!task_added_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
        if (stop.stop_requested()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  Batch load(std::int64_t batch) const {
    const std::int64_t share = options_.batch_size / options_.shard.count;
    const std::int64_t begin = batch * options_.batch_size + options_.shard.index * share;
    const std::int64_t end = std::min(begin + share, dataset_.size());
    std::vector<Example> examples;
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t index = order_[static_cast<std::size_t>(place)];
      Augmentation augmentation;
      if (options_.augment == Augment::kRandom) {
        augmentation = draw_augmentation({options_.seed, options_.epoch, index},
                                         dataset_.config().augmentation);
      }
      examples.push_back(dataset_.example(index, augmentation));
    }
    return batch_of(std::move(examples));
  }

  const KittiDataset& dataset_;
  LoaderOptions options_;
  std::int64_t batches_;
  std::int64_t submitted_;
  std::vector<std::int64_t> order_;
  std::deque<std::shared_future<Batch>> pending_;  // of next()'s thread alone
  std::mutex mutex_;
  std::condition_variable_any task_added_;
  std::deque<Task> tasks_;             // guarded by mutex_
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

BatchLoader::BatchLoader(const KittiDataset& dataset, const LoaderOptions& options)
    : worker_(std::make_unique<Worker>(dataset, options)) {}

BatchLoader::~BatchLoader() = default;

std::optional<Batch> BatchLoader::next() { return worker_->next(); }

}  // namespace supn
