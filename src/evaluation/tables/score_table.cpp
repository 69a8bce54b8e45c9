#include "supn/evaluation/tables/score_table.hpp"

#include <cstddef>
#include <optional>

namespace supn {
namespace {

constexpr const char* kMean = "Accuracy of the mean";
constexpr const char* kBest = "Best of samples (ensemble: of members), per image and metric";
constexpr const char* kSparsification = "Sparsification";
constexpr const char* kExact = "Sparsification by the exact marginals";
constexpr const char* kSpaces =
    "AbsRel sparsification by space (exact marginals; members), and depth";
constexpr const char* kIntervals = "Intervals of depth on ground-truth points, shares of the depth";
constexpr const char* kLikelihood = "Likelihood of the members, and spread";
constexpr const char* kQuality = "Samples against the members, and the factor";
constexpr const char* kLevels =
    "Mean z^2 of the whitened members by level, the finest first, the coarsest grid last";
constexpr const char* kMembers = "Calibration on the members";
constexpr const char* kTruth = "Calibration on ground-truth points";
constexpr const char* kKnown = "Known depths: gate, scale, and what is left of the variance";
constexpr const char* kDistance = "Distance to the true Gaussians";

using Value = std::optional<double>;
using Get = Value (*)(const ImageScores&);

template <class T>
Value value_at(const T& number) {
  return Value(static_cast<double>(number));
}

// The value at the end of a path of members, empty where an optional on the way is.
template <class T, class Member, class... Members>
Value value_at(const T& scores, Member member, Members... members) {
  const auto& next = scores.*member;
  if constexpr (requires { next.has_value(); }) {
    return next ? value_at(*next, members...) : std::nullopt;
  } else {
    return value_at(next, members...);
  }
}

// The scores below a member of ImageScores.
template <auto... Root>
struct Below {
  template <auto... Path>
  static Value at(const ImageScores& scores) {
    return value_at(scores, Root..., Path...);
  }
};
using All = Below<>;
using Mean = Below<&ImageScores::mean>;
using Best = Below<&ImageScores::best>;
using Ranked = Below<&ImageScores::sparsification>;
using Exact = Below<&ImageScores::exact_sparsification>;
using Members = Below<&ImageScores::member_scores>;
using Truth = Below<&ImageScores::truth_scores>;
using Depths = Below<&ImageScores::intervals>;

template <auto Space, auto Area>
Value space(const ImageScores& scores) {
  return value_at(scores, &ImageScores::spaces, Space, &Sparsification::abs_rel, Area);
}

constexpr auto kAuse = &SparsificationScore::ause;
constexpr auto kAurg = &SparsificationScore::aurg;
constexpr auto kNatsPerPixel = &MemberLikelihood::nats_per_pixel;

template <auto Of>
Value texture_ratio(const ImageScores& scores) {
  if (!scores.texture || !scores.member_texture) return std::nullopt;
  return (*scores.texture).*Of / (*scores.member_texture).*Of;
}

template <std::size_t Level>
Value level(const ImageScores& scores) {
  return Level < scores.level_variances.size() ? Value(scores.level_variances[Level])
                                               : std::nullopt;
}

Value non_finite(const ImageScores& scores) {
  return scores.non_finite > 0 ? value_at(scores.non_finite) : std::nullopt;
}

struct Row {
  const char* key;
  const char* label;
  const char* group;
  int digits;
  Get get;  // null: not a score of one image's maps alone, whoever measures it names it
};

// A row is a line.
// clang-format off
constexpr Row kRows[] = {
    {"abs_rel", "AbsRel", kMean, 4, Mean::at<&Accuracy::abs_rel>},
    {"sq_rel", "SqRel", kMean, 4, Mean::at<&Accuracy::sq_rel>},
    {"rmse", "RMSE", kMean, 4, Mean::at<&Accuracy::rmse>},
    {"rmse_log", "RMSElog", kMean, 4, Mean::at<&Accuracy::rmse_log>},
    {"a1", "A1", kMean, 4, Mean::at<&Accuracy::a1>},
    {"a2", "A2", kMean, 4, Mean::at<&Accuracy::a2>},
    {"a3", "A3", kMean, 4, Mean::at<&Accuracy::a3>},
    {"scale_ratio", "scale ratio", kMean, 3, All::at<&ImageScores::scale_ratio>},
    {"abs_rel_best", "AbsRel", kBest, 4, Best::at<&Accuracy::abs_rel>},
    {"sq_rel_best", "SqRel", kBest, 4, Best::at<&Accuracy::sq_rel>},
    {"rmse_best", "RMSE", kBest, 4, Best::at<&Accuracy::rmse>},
    {"rmse_log_best", "RMSElog", kBest, 4, Best::at<&Accuracy::rmse_log>},
    {"a1_best", "A1", kBest, 4, Best::at<&Accuracy::a1>},
    {"a2_best", "A2", kBest, 4, Best::at<&Accuracy::a2>},
    {"a3_best", "A3", kBest, 4, Best::at<&Accuracy::a3>},
    {"ause_abs_rel", "AbsRel AUSE", kSparsification, 4, Ranked::at<&Sparsification::abs_rel, kAuse>},
    {"aurg_abs_rel", "AbsRel AURG", kSparsification, 4, Ranked::at<&Sparsification::abs_rel, kAurg>},
    {"ause_rmse", "RMSE AUSE", kSparsification, 4, Ranked::at<&Sparsification::rmse, kAuse>},
    {"aurg_rmse", "RMSE AURG", kSparsification, 4, Ranked::at<&Sparsification::rmse, kAurg>},
    {"ause_a1", "A1 AUSE", kSparsification, 4, Ranked::at<&Sparsification::a1, kAuse>},
    {"aurg_a1", "A1 AURG", kSparsification, 4, Ranked::at<&Sparsification::a1, kAurg>},
    {"ause_abs_rel_exact", "AbsRel AUSE", kExact, 4, Exact::at<&Sparsification::abs_rel, kAuse>},
    {"aurg_abs_rel_exact", "AbsRel AURG", kExact, 4, Exact::at<&Sparsification::abs_rel, kAurg>},
    {"ause_rmse_exact", "RMSE AUSE", kExact, 4, Exact::at<&Sparsification::rmse, kAuse>},
    {"aurg_rmse_exact", "RMSE AURG", kExact, 4, Exact::at<&Sparsification::rmse, kAurg>},
    {"ause_a1_exact", "A1 AUSE", kExact, 4, Exact::at<&Sparsification::a1, kAuse>},
    {"aurg_a1_exact", "A1 AURG", kExact, 4, Exact::at<&Sparsification::a1, kAurg>},
    {"ause_sigmoid", "sigmoid AUSE", kSpaces, 4, space<&SpaceSparsification::sigmoid, kAuse>},
    {"aurg_sigmoid", "sigmoid AURG", kSpaces, 4, space<&SpaceSparsification::sigmoid, kAurg>},
    {"ause_logit", "logit AUSE", kSpaces, 4, space<&SpaceSparsification::logit, kAuse>},
    {"aurg_logit", "logit AURG", kSpaces, 4, space<&SpaceSparsification::logit, kAurg>},
    {"ause_depth", "depth AUSE", kSpaces, 4, space<&SpaceSparsification::depth, kAuse>},
    {"aurg_depth", "depth AURG", kSpaces, 4, space<&SpaceSparsification::depth, kAurg>},
    {"ll", "LL", kLikelihood, 3, All::at<&ImageScores::likelihood, kNatsPerPixel>},
    {"ll_sum", "LL sum", kLikelihood, -4, All::at<&ImageScores::likelihood, &MemberLikelihood::nats>},
    {"ll_b", "LL B", kLikelihood, 3, All::at<&ImageScores::second_likelihood, kNatsPerPixel>},
    {"ll_gap", "truth's LL - LL", kLikelihood, 3, nullptr},
    {"ratio_median", "std ratio", kLikelihood, 3, All::at<&ImageScores::spread, &SpreadRatio::median>},
    {"ratio_p5", "5 %", kLikelihood, 3, All::at<&ImageScores::spread, &SpreadRatio::low>},
    {"ratio_p95", "95 %", kLikelihood, 3, All::at<&ImageScores::spread, &SpreadRatio::high>},
    {"logit_std", "std", kLikelihood, 4, All::at<&ImageScores::logit_std>},
    {"non_finite", "not finite", kLikelihood, 0, non_finite},
    {"exact_ratio_median", "std ratio", kQuality, 3, All::at<&ImageScores::exact_spread, &SpreadRatio::median>},
    {"exact_ratio_p5", "5 %", kQuality, 3, All::at<&ImageScores::exact_spread, &SpreadRatio::low>},
    {"exact_ratio_p95", "95 %", kQuality, 3, All::at<&ImageScores::exact_spread, &SpreadRatio::high>},
    {"mean_ratio_median", "about the mean", kQuality, 3, All::at<&ImageScores::spread_about_mean, &SpreadRatio::median>},
    {"mean_ratio_p5", "5 %", kQuality, 3, All::at<&ImageScores::spread_about_mean, &SpreadRatio::low>},
    {"mean_ratio_p95", "95 %", kQuality, 3, All::at<&ImageScores::spread_about_mean, &SpreadRatio::high>},
    {"roughness", "roughness", kQuality, 3, All::at<&ImageScores::texture, &Texture::roughness>},
    {"roughness_ratio", "ratio", kQuality, 3, texture_ratio<&Texture::roughness>},
    {"length_rows", "length, rows", kQuality, 1, All::at<&ImageScores::texture, &Texture::length_rows>},
    {"length_rows_ratio", "ratio", kQuality, 3, texture_ratio<&Texture::length_rows>},
    {"length_columns", "length, columns", kQuality, 1, All::at<&ImageScores::texture, &Texture::length_columns>},
    {"length_columns_ratio", "ratio", kQuality, 3, texture_ratio<&Texture::length_columns>},
    {"rho_share", "rho > 1", kQuality, 3, All::at<&ImageScores::coupling, &Coupling::coupled_share>},
    {"gain_share", "gain > 1", kQuality, 3, All::at<&ImageScores::coupling, &Coupling::growing_share>},
    {"jacobi_residual", "Jacobi residual", kQuality, -2, nullptr},
    {"z_variance_level_1", "level 1", kLevels, 2, level<0>},
    {"z_variance_level_2", "level 2", kLevels, 2, level<1>},
    {"z_variance_level_3", "level 3", kLevels, 2, level<2>},
    {"z_variance_level_4", "level 4", kLevels, 2, level<3>},
    {"z_variance_level_5", "level 5", kLevels, 2, level<4>},
    {"z_variance_level_6", "level 6", kLevels, 2, level<5>},
    {"z_variance_level_7", "level 7", kLevels, 2, level<6>},
    {"z_variance_level_8", "level 8", kLevels, 2, level<7>},
    {"z_mean", "mean z", kMembers, 3, All::at<&ImageScores::whiteness, &Whiteness::mean>},
    {"z_variance", "mean z^2", kMembers, 3, All::at<&ImageScores::whiteness, &Whiteness::variance>},
    {"z_kurtosis", "kurtosis", kMembers, 2, All::at<&ImageScores::whiteness, &Whiteness::kurtosis>},
    {"z_autocorrelation", "autocorr.", kMembers, 3, All::at<&ImageScores::whiteness, &Whiteness::autocorrelation>},
    {"pixel_in_50", "pixels in 50 %", kMembers, 3, Members::at<&MemberScores::pixels, &Calibration::in_50>},
    {"pixel_in_90", "in 90 %", kMembers, 3, Members::at<&MemberScores::pixels, &Calibration::in_90>},
    {"pixel_error", "error", kMembers, 3, Members::at<&MemberScores::pixels, &Calibration::error>},
    {"region_in_90", "regions in 90 %", kMembers, 3, Members::at<&MemberScores::regions, &Calibration::in_90>},
    {"region_error", "error", kMembers, 3, Members::at<&MemberScores::regions, &Calibration::error>},
    {"difference_in_90", "differences in 90 %", kMembers, 3, Members::at<&MemberScores::differences, &Calibration::in_90>},
    {"difference_error", "error", kMembers, 3, Members::at<&MemberScores::differences, &Calibration::error>},
    {"energy", "energy", kMembers, 4, Members::at<&MemberScores::energy>},
    {"variogram", "variogram", kMembers, 5, Members::at<&MemberScores::variogram>},
    {"truth_in_50", "points in 50 %", kTruth, 3, Truth::at<&TruthScores::points, &Calibration::in_50>},
    {"truth_in_90", "in 90 %", kTruth, 3, Truth::at<&TruthScores::points, &Calibration::in_90>},
    {"truth_z_rms", "rms z", kTruth, 2, Truth::at<&TruthScores::points, &Calibration::rms>},
    {"truth_region_in_90", "regions in 90 %", kTruth, 3, Truth::at<&TruthScores::regions, &Calibration::in_90>},
    {"truth_difference_in_90", "differences in 90 %", kTruth, 3, Truth::at<&TruthScores::differences, &Calibration::in_90>},
    {"truth_z_variance", "whitened mean z^2", kTruth, 2, Truth::at<&TruthScores::whitened_variance>},
    {"truth_nll", "NLL, independent", kTruth, 3, Truth::at<&TruthScores::independent_nll>},
    {"truth_joint_nll", "NLL, joint", kTruth, 3, Truth::at<&TruthScores::joint_nll>},
    {"truth_energy", "energy", kTruth, 4, Truth::at<&TruthScores::energy>},
    {"truth_variogram", "variogram", kTruth, 5, Truth::at<&TruthScores::variogram>},
    {"depth_in_50", "points in 50 %", kIntervals, 3, Depths::at<&DepthIntervals::points, &IntervalScores::in_50>},
    {"depth_in_90", "in 90 %", kIntervals, 3, Depths::at<&DepthIntervals::points, &IntervalScores::in_90>},
    {"depth_width", "width", kIntervals, 3, Depths::at<&DepthIntervals::points, &IntervalScores::width>},
    {"depth_crps", "CRPS", kIntervals, 4, Depths::at<&DepthIntervals::points, &IntervalScores::crps>},
    {"depth_score", "score", kIntervals, 3, Depths::at<&DepthIntervals::points, &IntervalScores::score>},
    {"region_depth_in_50", "regions in 50 %", kIntervals, 3, Depths::at<&DepthIntervals::regions, &IntervalScores::in_50>},
    {"region_depth_in_90", "in 90 %", kIntervals, 3, Depths::at<&DepthIntervals::regions, &IntervalScores::in_90>},
    {"region_depth_width", "width", kIntervals, 3, Depths::at<&DepthIntervals::regions, &IntervalScores::width>},
    {"region_depth_crps", "CRPS", kIntervals, 4, Depths::at<&DepthIntervals::regions, &IntervalScores::crps>},
    {"region_depth_score", "score", kIntervals, 3, Depths::at<&DepthIntervals::regions, &IntervalScores::score>},
    {"difference_depth_in_50", "differences in 50 %", kIntervals, 3, Depths::at<&DepthIntervals::differences, &IntervalScores::in_50>},
    {"difference_depth_in_90", "in 90 %", kIntervals, 3, Depths::at<&DepthIntervals::differences, &IntervalScores::in_90>},
    {"difference_depth_width", "width", kIntervals, 3, Depths::at<&DepthIntervals::differences, &IntervalScores::width>},
    {"difference_depth_crps", "CRPS", kIntervals, 4, Depths::at<&DepthIntervals::differences, &IntervalScores::crps>},
    {"difference_depth_score", "score", kIntervals, 3, Depths::at<&DepthIntervals::differences, &IntervalScores::score>},
    {"gate_recall", "recall", kKnown, 3, nullptr},
    {"gate_precision", "precision", kKnown, 3, nullptr},
    {"gate_dropped", "dropped", kKnown, 2, nullptr},
    {"log_scale", "log scale", kKnown, 4, nullptr},
    {"std_of_log_scale", "its std", kKnown, 4, nullptr},
    {"variance_left", "var. left", kKnown, 4, nullptr},
    {"kl", "KL(true || model)", kDistance, 4, nullptr},
    {"std_error", "rms log std", kDistance, 4, nullptr},
    {"covariance_error", "covariance rows", kDistance, 4, nullptr},
};
// clang-format on

std::vector<NamedScore> named(const ImageScores& scores, bool (*is_wanted)(const Row&)) {
  std::vector<NamedScore> result;
  for (const Row& row : kRows) {
    if (!row.get || !is_wanted(row)) continue;
    if (const Value value = row.get(scores)) result.emplace_back(row.key, *value);
  }
  return result;
}

bool ranks(const Row& row) {
  return row.group == kSparsification || row.group == kExact || row.group == kSpaces;
}

}  // namespace

std::vector<TableColumn> score_columns() {
  std::vector<TableColumn> columns;
  for (const Row& row : kRows) columns.push_back({row.key, row.label, row.group, row.digits});
  return columns;
}

std::vector<NamedScore> named_scores(const ImageScores& scores) {
  return named(scores, [](const Row&) { return true; });
}

std::vector<NamedScore> distance_scores(const ImageScores& scores) {
  if (!scores.spaces) return {};
  const Sparsification& distance = scores.spaces->distance;
  ImageScores all;
  all.sparsification = distance;
  if (scores.exact_sparsification) all.exact_sparsification = distance;
  all.spaces = {distance, distance, distance, distance};
  return named(all, ranks);
}

}  // namespace supn
