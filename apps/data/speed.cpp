#include "data/speed.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>

#include "common/memory_reuse.hpp"
#include "common/progress.hpp"
#include "supn/data/loader.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

struct Speed {
  std::int64_t images = 0;
  double seconds = 0.0;
  double processor_seconds = 0.0;  // of all threads
};

// Loads as training does, epoch after epoch, and does nothing with it.
Speed measure(const KittiDataset& train, const Config& config, std::int64_t images) {
  Speed speed;
  Progress progress("load", images);
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  for (std::int64_t epoch = 0; speed.images < images; ++epoch) {
    BatchLoader loader(train,
                       {.batch_size = std::min(config.training.batch_size, train.size()),
                        .order = Order::kShuffled,
                        .last_batch = LastBatch::kDrop,
                        .augment = Augment::kRandom,
                        .epoch = epoch});
    while (speed.images < images) {
      const std::optional<Batch> batch = loader.next();
      if (!batch) break;
      speed.images += batch->image.size(0);
      progress.advance(std::min(batch->image.size(0), images));
    }
  }
  speed.processor_seconds = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  speed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return speed;
}

}  // namespace

void declare_speed(CLI::App& options, SpeedArguments& arguments) {
  declare_config_options(options, arguments.config);
  options.add_option("--images", arguments.images, "to load for each number of workers")
      ->check(CLI::Range(1, 10000000));
  options.add_option("--scales", arguments.scales, "of the members' maps, as the network has")
      ->check(CLI::Range(0, 8));
  options.add_option("--workers", arguments.workers, "numbers of loading threads to try")
      ->check(CLI::Range(0, 256));
}

int loading_speed(const SpeedArguments& arguments) {
  const std::optional<Config> config = load_app_config(arguments.config);
  if (!config) return 0;
  keep_freed_memory();  // as supn_train does
  for (const std::int64_t workers : arguments.workers) {
    DataConfig data = config->data;
    data.workers = workers;
    const KittiDataset train(data, Split::kTrain, {.scales = arguments.scales});
    const Speed speed = measure(train, *config, arguments.images);
    const auto images = static_cast<double>(speed.images);
    std::cout << fmt::format(
                     "{} workers: {:.1f} images/s; {:.1f} ms of processor time an image, so that "
                     "one core loads at most {:.1f} images/s",
                     workers,
                     images / speed.seconds,
                     1e3 * speed.processor_seconds / images,
                     images / speed.processor_seconds)
              << std::endl;
  }
  return 0;
}

}  // namespace supn
