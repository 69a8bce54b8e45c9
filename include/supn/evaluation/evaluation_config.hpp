// Options of evaluation (section `evaluation` of a configuration file): docs/method.md
// "Evaluation".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "supn/option_fields.hpp"

namespace supn {

// The protocol says which ground-truth pixels count: eigen = 1e-3 < depth < 80 m inside the Garg
// crop; eigen_benchmark = every pixel with a depth, no crop.
enum class AccuracyProtocol { kEigen, kEigenBenchmark };

template <>
struct OptionNames<AccuracyProtocol> {
  static constexpr std::array<std::pair<std::string_view, AccuracyProtocol>, 2> values{
      {{"eigen", AccuracyProtocol::kEigen},
       {"eigen_benchmark", AccuracyProtocol::kEigenBenchmark}}};
};

// depth = scale / disparity: the ratio of medians of each image and map, or one number.
enum class DepthScaleMode { kMedian, kFixed };

template <>
struct OptionNames<DepthScaleMode> {
  static constexpr std::array<std::pair<std::string_view, DepthScaleMode>, 2> values{
      {{"median", DepthScaleMode::kMedian}, {"fixed", DepthScaleMode::kFixed}}};
};

// The space whose standard deviation ranks the pixels for AUSE and AURG.
enum class UncertaintySpace { kSigmoid, kLogit, kDepth };

template <>
struct OptionNames<UncertaintySpace> {
  static constexpr std::array<std::pair<std::string_view, UncertaintySpace>, 3> values{
      {{"sigmoid", UncertaintySpace::kSigmoid},
       {"logit", UncertaintySpace::kLogit},
       {"depth", UncertaintySpace::kDepth}}};
};

// Ensemble uncertainty from the members' sigmoids (unbiased variance v) and log-scales u, as found
// in published code: v; v + Σu; v + Σeᵘ; v + Σe²ᵘ; and as published: v + mean(e²ᵘ).
enum class EnsembleUncertainty { kEmpirical, kRelease2020, kRelease2021a, kRelease2021b, kPaper };

template <>
struct OptionNames<EnsembleUncertainty> {
  static constexpr std::array<std::pair<std::string_view, EnsembleUncertainty>, 5> values{
      {{"empirical", EnsembleUncertainty::kEmpirical},
       {"release2020", EnsembleUncertainty::kRelease2020},
       {"release2021a", EnsembleUncertainty::kRelease2021a},
       {"release2021b", EnsembleUncertainty::kRelease2021b},
       {"paper", EnsembleUncertainty::kPaper}}};
};

struct EvaluationConfig {
  AccuracyProtocol protocol = AccuracyProtocol::kEigen;
  DepthScaleMode scale = DepthScaleMode::kFixed;
  double fixed_scale = 5.4;
  double min_depth = 0.1;
  double max_depth = 100.0;
  std::int64_t samples = 40;
  std::int64_t std_samples = 10;
  std::int64_t seed = 0;
  UncertaintySpace uncertainty_space = UncertaintySpace::kSigmoid;
  EnsembleUncertainty ensemble_uncertainty = EnsembleUncertainty::kPaper;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("protocol",
                 self.protocol,
                 "eigen (1e-3..80 m, Garg crop) or eigen_benchmark (all depths, no crop)"));
    visit(option("scale",
                 self.scale,
                 "depth = scale / disparity: fixed (stereo-trained members) or median (monocular: "
                 "ratio of medians per image)"));
    visit(option("fixed_scale", self.fixed_scale, "the scale where it is fixed; 5.4 for KITTI")
              .range(1e-6, 1e6));
    visit(option("min_depth", self.min_depth, "depth before scaling where sigmoid = 1")
              .range(1e-6, 1e6));
    visit(option("max_depth", self.max_depth, "depth before scaling where sigmoid = 0")
              .range(1e-6, 1e6));
    visit(option("samples", self.samples, "exact samples per image, for best-of and std ratio")
              .range(2, 1e5));
    visit(option("std_samples",
                 self.std_samples,
                 "the first of these samples whose standard deviation is the uncertainty")
              .range(2, 1e5));
    visit(
        option("seed", self.seed, "of the samples, together with the image's name").range(0, 9e15));
    visit(option("uncertainty_space",
                 self.uncertainty_space,
                 "where the standard deviation is taken for AUSE and AURG"));
    visit(option("ensemble_uncertainty",
                 self.ensemble_uncertainty,
                 "of the ensemble's row; all but empirical need the members' log-scales"));
  }
};

}  // namespace supn
