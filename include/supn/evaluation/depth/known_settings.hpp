// Which depths models are given, and how they are taken: a row of the table each, beside rows of what
// others make of the same points (conditioning_rivals.hpp).
//
//   "25 points"                    random ones
//   "25 points, unknown scale"     the same, the scale solved with the field (unknown_scale.hpp)
//   "25 points, gated"             less what the gate drops: what a gate costs where all is right
//   "25 points, outliers"          the same with gross errors (gross_errors.hpp), all believed
//   "25 points, outliers, gated"   less what the gate drops
//   "25 active points"             chosen by the Gaussian (active_points.hpp)
//   "4 beams"                      all that few beams of the laser scanner measured (lidar_beams.hpp)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/evaluation/depth/conditioning_rivals.hpp"
#include "supn/gaussian/isotropic_field.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class QuantileRule { kGaussian, kTailed };

template <>
struct OptionNames<QuantileRule> {
  static constexpr std::array<std::pair<std::string_view, QuantileRule>, 2> values{
      {{"gaussian", QuantileRule::kGaussian}, {"tailed", QuantileRule::kTailed}}};
};

struct KnownRequest {
  std::vector<std::int64_t> counts = {};  // of points, ascending
  double relative_noise = 0.02;           // std of a known depth, relative to it
  std::vector<std::int64_t> beams = {};   // ascending
  double outliers = 0.0;                  // share of gross errors; 0: no rows for them
  double gate = 4.0;                      // standard deviations
  bool active = false;                    // rows for chosen points, and what variance is left
  std::optional<double> scale_std = std::nullopt;  // of the log of the scale; none: no rows for it
  QuantileRule quantiles = QuantileRule::kGaussian;  // of intervals given points

  bool empty() const { return counts.empty() && beams.empty(); }
};

enum class PointChoice { kRandom, kActive, kBeams };

struct KnownSetting {
  std::string name;
  PointChoice choice = PointChoice::kRandom;
  std::int64_t count = 0;  // of points, or of beams
  bool has_outliers = false;
  bool is_gated = false;
  bool has_unknown_scale = false;
  // Whose rivals have the same points; its own name if they are in the table by it.
  std::string rivals_of = {};
  std::vector<std::string> besides = {};  // other settings to compare it with

  bool has_rivals() const { return rivals_of == name; }
};

std::vector<KnownSetting> known_settings(const KnownRequest& request);

// "<model>, 25 points" and "<model>, 25 points: <rival>".
std::string known_row_name(const std::string& model, const std::string& setting);
std::string rival_row_name(const std::string& model, const std::string& setting, Rival rival);

// All of a model's rows, in the order of printing.
std::vector<std::string> known_rows(const std::string& model,
                                    const KnownRequest& request,
                                    const std::optional<IsotropicField>& isotropic);

// What a setting's row is compared with: rows, and how they are called.
std::vector<std::pair<std::string, std::string>> compared_rows(
    const std::string& model,
    const KnownSetting& setting,
    const std::optional<IsotropicField>& isotropic);

}  // namespace supn
