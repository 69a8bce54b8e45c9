// One training step of ours, timed: forward, loss, backward, Adam on a made-up batch. Written for
// training_pairs.py, which runs it and PyTorch's eager twin in turns.
//
//   supn_bench_step --out DIR [--save] [--steps 5] [--images 2] [--members 8] [--threads 2]
//
// --save writes model.safetensors, image.npy and logit_<scale>.npy to DIR for the twin. Prints one
// JSON object: losses and seconds of each step, and of the loss alone (forward and backward),
// processor seconds, the highest resident memory in MiB.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <CLI/App.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/memory_reuse.hpp"
#include "made_up_batch.hpp"
#include "supn/network/supn_network.hpp"
#include "supn/training/losses.hpp"
#include "supn/training/trainer.hpp"

namespace supn::bench {
namespace {

struct Options {
  std::filesystem::path out = ".";
  bool save = false;
  std::int64_t steps = 5;
  BatchShape batch;
  int threads = 2;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Forward and backward of the likelihood down to the network's outputs.
double loss_seconds(SupnNetwork& network, const Batch& batch) {
  std::vector<StructuredGaussian> leaves;
  for (const StructuredGaussian& gaussian : network->forward(batch.image)) {
    const auto leaf = [](const at::Tensor& map) { return map.detach().set_requires_grad(true); };
    leaves.emplace_back(leaf(gaussian.mean()),
                        leaf(gaussian.log_diagonal()),
                        leaf(gaussian.off_diagonal()),
                        gaussian.neighbourhood());
  }
  const Clock::time_point begin = Clock::now();
  ensemble_nll(leaves, batch.predictions).total.backward();
  return seconds_since(begin);
}

int run(const Options& options) {
  at::set_num_threads(options.threads);
  at::manual_seed(0);
  SupnNetwork network{NetworkConfig{}};
  const Batch batch = made_up_batch(options.batch, network->scales());
  if (options.save) save_for_twin(options.out, network, batch);
  TrainingConfig config;
  config.optimizer.clip_norm = 0.0;
  Trainer trainer(network, config, 1000);
  nlohmann::json result{{"losses", nlohmann::json::array()}, {"seconds", nlohmann::json::array()}};
  for (std::int64_t step = 0; step < options.steps; ++step) {
    const Clock::time_point begin = Clock::now();
    const std::clock_t processor = std::clock();
    const double loss = trainer.step(batch).loss;
    result["seconds"].push_back(seconds_since(begin));
    result["processor_seconds"].push_back(static_cast<double>(std::clock() - processor) /
                                          CLOCKS_PER_SEC);
    result["losses"].push_back(loss);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result["peak_mib"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  for (int i = 0; i < 3; ++i) result["loss_seconds"].push_back(loss_seconds(network, batch));
  std::printf("%s\n", result.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace supn::bench

int main(int argc, char** argv) {
  supn::keep_freed_memory();  // as supn_train does
  supn::bench::Options options;
  CLI::App app("Times training steps.", "supn_bench_step");
  app.add_option("--out", options.out, "folder of what the twin reads");
  app.add_flag("--save", options.save, "write it");
  app.add_option("--steps", options.steps)->check(CLI::Range(1, 1000000));
  app.add_option("--images", options.batch.images, "per step")->check(CLI::Range(1, 4096));
  app.add_option("--members", options.batch.members)->check(CLI::Range(1, 4096));
  app.add_option("--height", options.batch.height)->check(CLI::Range(64, 4096));
  app.add_option("--width", options.batch.width)->check(CLI::Range(64, 4096));
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 1024));
  CLI11_PARSE(app, argc, argv);
  return supn::bench::run(options);
}
