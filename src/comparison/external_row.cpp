#include "supn/comparison/external_row.hpp"

#include <c10/util/StringUtil.h>

#include "supn/errors.hpp"

namespace supn {

ImageScores ExternalRow::score(const SplitFrame& frame,
                               const GroundTruth& truth,
                               const EvaluationConfig& config,
                               const std::function<void(const std::string&)>& warn) {
  const PredictedMaps maps = maps_.read(frame, truth.size, config);
  if (!warned_ && looks_cropped(maps.disparity, truth.size)) {
    warned_ = true;
    warn(c10::str(name(),
                  ": the map of ",
                  frame.frame.id(),
                  " has ",
                  maps.disparity.size(1),
                  "x",
                  maps.disparity.size(0),
                  " pixels, its ground truth ",
                  truth.size.width,
                  "x",
                  truth.size.height,
                  ": it is stretched to the whole image; if it was cropped, write maps of whole "
                  "images"));
  }
  const std::int64_t samples = maps.samples.defined() ? maps.samples.size(0) : 0;
  const Ranking ranking = maps.uncertainty.defined() ? Ranking::kOwn
                          : samples > 1              ? Ranking::kSamples
                                                     : Ranking::kNone;
  // The columns of a row are means over the same images.
  if (scored_ && (samples != samples_ || ranking != ranking_)) {
    throw ConfigError(name() + ": " + frame.frame.id() + " has " + std::to_string(samples) +
                      " samples and " + (maps.uncertainty.defined() ? "an" : "no") +
                      " uncertainty, unlike the images before it; write the same files, with as "
                      "many samples, for every image of the split");
  }
  scored_ = true;
  samples_ = samples;
  ranking_ = ranking;
  return score_maps(maps, truth, config);
}

std::string ExternalRow::facts() const {
  const std::string best = samples_ > 0 ? "best of its " + std::to_string(samples_) + " samples"
                                        : "no samples, so no best of samples";
  const std::string ranking = ranking_ == Ranking::kOwn ? "ranked by its own uncertainty"
                              : ranking_ == Ranking::kSamples
                                  ? "ranked by the std of its samples' disparities"
                                  : "no uncertainty, so no sparsification";
  return "maps of another program: accuracy; " + best + "; " + ranking +
         "; likelihood, spread and calibration need a Gaussian";
}

}  // namespace supn
