// SmallSet as a test split, and what a comparison on it tells.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/small_set.hpp"
#include "supn/comparison/observer.hpp"

namespace supn {

class SplitSet : public SmallSet {
 protected:
  void SetUp() override {
    SmallSet::SetUp();
    config_.test_split = config_.train_split;
    evaluation_.protocol = AccuracyProtocol::kEigenBenchmark;
    evaluation_.samples = 4;
    evaluation_.std_samples = 3;
  }

  EvaluationConfig evaluation_;
  std::vector<std::string> warnings_;
  std::vector<std::pair<std::int64_t, std::int64_t>> images_;  // done, of all
  ComparisonObserver observer_{
      .on_image = [this](std::int64_t done, std::int64_t of) { images_.emplace_back(done, of); },
      .on_warning = [this](const std::string& text) { warnings_.push_back(text); }};
};

}  // namespace supn
