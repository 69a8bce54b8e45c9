// Trainings of supn_train that take seconds: a small network on a few synthetic scenes of 64x32.
#pragma once

#include <ATen/ops/equal.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/app_process.hpp"
#include "apps/app_runner.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {

class TinyTraining : public AppTest {
 protected:
  void SetUp() override {
    AppTest::SetUp();
    ASSERT_NO_FATAL_FAILURE(synthesise("64x32", 12, 2, 0));
    write("tiny.yaml", kConfig);
  }

  // Two threads are not faster here, and leave the machine to others.
  static std::vector<std::string> arguments(const std::string& output,
                                            const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--config",
                                 "tiny.yaml",
                                 "--device",
                                 "cpu",
                                 "--threads",
                                 "1",
                                 "--set",
                                 "training.output=" + output};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  AppRun train(const std::string& output, const std::vector<std::string>& more = {}) const {
    return run_app_program("supn_train", arguments(output, more));
  }

  // Lines that a process has written whole so far.
  std::int64_t logged_lines(const std::string& output) const {
    std::ifstream stream(folder_ / output / "metrics.jsonl");
    return std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
  }

  std::string bytes_of(const std::filesystem::path& file) const {
    std::ifstream stream(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::map<std::string, std::string> bytes_below(const std::string& directory) const {
    std::map<std::string, std::string> all;
    for (const std::string& name : files()) {
      if (name.starts_with(directory + "/") && std::filesystem::is_regular_file(folder_ / name)) {
        all[name] = bytes_of(name);
      }
    }
    return all;
  }

  // Metrics without what a clock says.
  std::vector<nlohmann::json> metrics(const std::string& output) const {
    std::ifstream stream(folder_ / output / "metrics.jsonl");
    std::vector<nlohmann::json> lines;
    for (std::string text; std::getline(stream, text);) {
      nlohmann::json line = nlohmann::json::parse(text);
      for (const char* key : {"seconds", "images_per_second", "waiting"}) line.erase(key);
      lines.push_back(line);
    }
    return lines;
  }

  // Every tensor of weights and optimizer, bit by bit, the progress and the metrics.
  void expect_same_run(const std::string& run, const std::string& expected) const {
    for (const std::string checkpoint : {"/last/", "/best/"}) {
      for (const char* part : {"model.safetensors", "optimizer.safetensors"}) {
        const auto found = read_safetensors(folder_ / (run + checkpoint + part)).tensors;
        const auto wanted = read_safetensors(folder_ / (expected + checkpoint + part)).tensors;
        ASSERT_EQ(found.size(), wanted.size());
        ASSERT_GT(wanted.size(), 10U);
        for (const auto& [name, tensor] : wanted) {
          EXPECT_TRUE(at::equal(found.at(name), tensor)) << checkpoint << part << ": " << name;
        }
      }
      EXPECT_EQ(bytes_of(run + checkpoint + "progress.json"),
                bytes_of(expected + checkpoint + "progress.json"));
    }
    EXPECT_EQ(metrics(run), metrics(expected));
  }

  // 6 steps an epoch.
  static constexpr const char* kConfig =
      "data:\n"
      "  root: road\n"
      "  samples: road/samples\n"
      "  train_split: road/splits/train_files.txt\n"
      "  val_split: road/splits/val_files.txt\n"
      "  height: 32\n"
      "  width: 64\n"
      "  workers: 1\n"
      "network:\n"
      "  backbone: compact\n"
      "  off_diagonal: factored\n"
      "training:\n"
      "  epochs: 2\n"
      "  batch_size: 2\n"
      "  warm_up:\n"
      "    epochs: 1\n"
      "  losses:\n"
      "    target_noise: 0.01\n"
      "    std_match: 0.3\n"
      "  optimizer:\n"
      "    learning_rate: 1e-3\n";
};

}  // namespace supn
