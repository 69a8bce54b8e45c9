#include "eval/external_row.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace supn {

ImageScores ExternalRow::score(const SplitFrame& frame,
                               const GroundTruth& truth,
                               const EvaluationConfig& config) {
  const PredictedMaps maps = maps_.read(frame, truth.size, config);
  if (!warned_ && looks_cropped(maps.disparity, truth.size)) {
    warned_ = true;
    spdlog::warn(
        "{}: the map of {} has {}x{} pixels, its ground truth {}x{}: it is stretched to the whole "
        "image; if it was cropped, write maps of whole images",
        name(),
        frame.frame.id(),
        maps.disparity.size(1),
        maps.disparity.size(0),
        truth.size.width,
        truth.size.height);
  }
  samples_ = maps.samples.defined() ? maps.samples.size(0) : 0;
  ranking_ = maps.uncertainty.defined() ? Ranking::kOwn
             : samples_ > 1             ? Ranking::kSamples
                                        : Ranking::kNone;
  return score_maps(maps, truth, config);
}

std::string ExternalRow::facts() const {
  const std::string best = samples_ > 0 ? fmt::format("best of its {} samples", samples_)
                                        : "no samples, so no best of samples";
  const std::string ranking = ranking_ == Ranking::kOwn ? "ranked by its own uncertainty"
                              : ranking_ == Ranking::kSamples
                                  ? "ranked by the std of its samples' disparities"
                                  : "no uncertainty, so no sparsification";
  return "maps of another program: accuracy; " + best + "; " + ranking +
         "; likelihood, spread and calibration need a Gaussian";
}

}  // namespace supn
