#include <array>

#include "supn/evaluation/scores/image_scores.hpp"

namespace supn {
namespace {

struct AccuracyKeys {
  std::string_view mean;
  std::string_view best;
  double Accuracy::*value;
};

constexpr std::array<AccuracyKeys, 7> kAccuracyKeys{{
    {"abs_rel", "abs_rel_best", &Accuracy::abs_rel},
    {"sq_rel", "sq_rel_best", &Accuracy::sq_rel},
    {"rmse", "rmse_best", &Accuracy::rmse},
    {"rmse_log", "rmse_log_best", &Accuracy::rmse_log},
    {"a1", "a1_best", &Accuracy::a1},
    {"a2", "a2_best", &Accuracy::a2},
    {"a3", "a3_best", &Accuracy::a3},
}};

using Named = std::vector<NamedScore>;

struct IntervalKeys {
  double IntervalScores::*value;
  std::array<std::string_view, 3> keys;  // by DepthsOf
};

constexpr std::array<IntervalKeys, 5> kIntervalKeys{{
    {&IntervalScores::in_50, {"depth_in_50", "region_depth_in_50", "difference_depth_in_50"}},
    {&IntervalScores::in_90, {"depth_in_90", "region_depth_in_90", "difference_depth_in_90"}},
    {&IntervalScores::width, {"depth_width", "region_depth_width", "difference_depth_width"}},
    {&IntervalScores::crps, {"depth_crps", "region_depth_crps", "difference_depth_crps"}},
    {&IntervalScores::score, {"depth_score", "region_depth_score", "difference_depth_score"}},
}};

void name_intervals(DepthsOf what, const IntervalScores& scores, Named& named) {
  for (const IntervalKeys& keys : kIntervalKeys) {
    named.emplace_back(keys.keys[static_cast<std::size_t>(what)], scores.*keys.value);
  }
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSpaceKeys{
    {{"ause_sigmoid", "aurg_sigmoid"}, {"ause_logit", "aurg_logit"}, {"ause_depth", "aurg_depth"}}};

void name_spaces(const SpaceSparsification& spaces, Named& named) {
  const std::array<const Sparsification*, 3> scores{&spaces.sigmoid, &spaces.logit, &spaces.depth};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    named.emplace_back(kSpaceKeys[i].first, scores[i]->abs_rel.ause);
    named.emplace_back(kSpaceKeys[i].second, scores[i]->abs_rel.aurg);
  }
}

void name_accuracy(const ImageScores& scores, Named& named) {
  for (const AccuracyKeys& keys : kAccuracyKeys) {
    if (scores.mean) named.emplace_back(keys.mean, (*scores.mean).*keys.value);
    if (scores.best) named.emplace_back(keys.best, (*scores.best).*keys.value);
  }
  if (scores.scale_ratio) named.emplace_back("scale_ratio", *scores.scale_ratio);
}

void name_sparsification(const ImageScores& scores, Named& named) {
  if (scores.sparsification) {
    const Sparsification& areas = *scores.sparsification;
    named.insert(named.end(),
                 {{"ause_abs_rel", areas.abs_rel.ause},
                  {"aurg_abs_rel", areas.abs_rel.aurg},
                  {"ause_rmse", areas.rmse.ause},
                  {"aurg_rmse", areas.rmse.aurg},
                  {"ause_a1", areas.a1.ause},
                  {"aurg_a1", areas.a1.aurg}});
  }
  if (scores.exact_sparsification) {
    const Sparsification& areas = *scores.exact_sparsification;
    named.insert(named.end(),
                 {{"ause_abs_rel_exact", areas.abs_rel.ause},
                  {"aurg_abs_rel_exact", areas.abs_rel.aurg},
                  {"ause_rmse_exact", areas.rmse.ause},
                  {"aurg_rmse_exact", areas.rmse.aurg},
                  {"ause_a1_exact", areas.a1.ause},
                  {"aurg_a1_exact", areas.a1.aurg}});
  }
  if (scores.spaces) name_spaces(*scores.spaces, named);
}

void name_likelihood(const ImageScores& scores, Named& named) {
  if (scores.likelihood) {
    named.emplace_back("ll", scores.likelihood->nats_per_pixel);
    named.emplace_back("ll_sum", scores.likelihood->nats);
  }
  if (scores.second_likelihood) {
    named.emplace_back("ll_b", scores.second_likelihood->nats_per_pixel);
  }
  if (scores.spread) {
    named.insert(named.end(),
                 {{"ratio_p5", scores.spread->low},
                  {"ratio_median", scores.spread->median},
                  {"ratio_p95", scores.spread->high}});
  }
  named.emplace_back("logit_std", scores.logit_std);
}

void name_quality(const ImageScores& scores, Named& named) {
  if (scores.exact_spread) {
    named.insert(named.end(),
                 {{"exact_ratio_p5", scores.exact_spread->low},
                  {"exact_ratio_median", scores.exact_spread->median},
                  {"exact_ratio_p95", scores.exact_spread->high}});
  }
  if (scores.texture) {
    named.insert(named.end(),
                 {{"roughness", scores.texture->roughness},
                  {"length_rows", scores.texture->length_rows},
                  {"length_columns", scores.texture->length_columns}});
  }
  if (scores.texture && scores.member_texture) {
    const Texture& members = *scores.member_texture;
    named.insert(
        named.end(),
        {{"roughness_ratio", scores.texture->roughness / members.roughness},
         {"length_rows_ratio", scores.texture->length_rows / members.length_rows},
         {"length_columns_ratio", scores.texture->length_columns / members.length_columns}});
  }
  if (scores.coupling) {
    named.emplace_back("rho_share", scores.coupling->coupled_share);
    named.emplace_back("gain_share", scores.coupling->growing_share);
  }
}

void name_member_scores(const ImageScores& scores, Named& named) {
  if (scores.whiteness) {
    named.insert(named.end(),
                 {{"z_mean", scores.whiteness->mean},
                  {"z_variance", scores.whiteness->variance},
                  {"z_kurtosis", scores.whiteness->kurtosis},
                  {"z_autocorrelation", scores.whiteness->autocorrelation}});
  }
  if (!scores.member_scores) return;
  const MemberScores& members = *scores.member_scores;
  named.insert(named.end(),
               {{"pixel_in_50", members.pixels.in_50},
                {"pixel_in_90", members.pixels.in_90},
                {"pixel_error", members.pixels.error},
                {"region_in_90", members.regions.in_90},
                {"region_error", members.regions.error},
                {"difference_in_90", members.differences.in_90},
                {"difference_error", members.differences.error},
                {"energy", members.energy},
                {"variogram", members.variogram}});
}

void name_truth_scores(const ImageScores& scores, Named& named) {
  if (!scores.truth_scores) return;
  const TruthScores& truth = *scores.truth_scores;
  named.insert(named.end(),
               {{"truth_in_50", truth.points.in_50},
                {"truth_in_90", truth.points.in_90},
                {"truth_z_rms", truth.points.rms},
                {"truth_difference_in_90", truth.differences.in_90},
                {"truth_z_variance", truth.whitened_variance},
                {"truth_nll", truth.independent_nll},
                {"truth_joint_nll", truth.joint_nll},
                {"truth_energy", truth.energy},
                {"truth_variogram", truth.variogram}});
  name_intervals(DepthsOf::kPoints, truth.point_depths, named);
  name_intervals(DepthsOf::kDifferences, truth.difference_depths, named);
  if (!truth.regions) return;
  named.emplace_back("truth_region_in_90", truth.regions->in_90);
  name_intervals(DepthsOf::kRegions, truth.region_depths, named);
}

}  // namespace

std::vector<NamedScore> distance_scores(const ImageScores& scores) {
  Named named;
  if (!scores.spaces) return named;
  const Sparsification& distance = scores.spaces->distance;
  ImageScores all;
  all.sparsification = distance;
  if (scores.exact_sparsification) all.exact_sparsification = distance;
  all.spaces = {distance, distance, distance, distance};
  name_sparsification(all, named);
  return named;
}

std::vector<NamedScore> named_intervals(DepthsOf what, const IntervalScores& scores) {
  Named named;
  name_intervals(what, scores, named);
  return named;
}

std::vector<NamedScore> named_scores(const ImageScores& scores) {
  Named named;
  name_accuracy(scores, named);
  name_sparsification(scores, named);
  name_likelihood(scores, named);
  name_quality(scores, named);
  name_member_scores(scores, named);
  name_truth_scores(scores, named);
  if (scores.non_finite > 0) {
    named.emplace_back("non_finite", static_cast<double>(scores.non_finite));
  }
  return named;
}

}  // namespace supn
