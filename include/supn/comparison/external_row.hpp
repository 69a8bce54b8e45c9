// The maps of another program get a row of the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "supn/comparison/external_maps.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/scores/accuracy.hpp"
#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {

class ExternalRow {
 public:
  // Throws as ExternalMaps.
  ExternalRow(const std::filesystem::path& source, std::int64_t frames, double baseline)
      : maps_(source, frames, baseline) {}

  const std::string& name() const { return maps_.name(); }
  // Scores one frame's maps. Warns, once, of a map that looks cropped. Throws as
  // ExternalMaps::read, and ConfigError for another number of samples, or an uncertainty there or
  // not, than the frames before had.
  ImageScores score(const SplitFrame& frame,
                    const GroundTruth& truth,
                    const EvaluationConfig& config,
                    const std::function<void(const std::string&)>& warn);
  // Says for the caption what the row's columns come from, and which stay empty.
  std::string facts() const;

 private:
  enum class Ranking { kNone, kOwn, kSamples };

  ExternalMaps maps_;
  Ranking ranking_ = Ranking::kNone;
  std::int64_t samples_ = 0;
  bool scored_ = false;
  bool warned_ = false;
};

}  // namespace supn
