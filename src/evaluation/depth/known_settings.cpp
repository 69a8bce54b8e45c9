#include "supn/evaluation/depth/known_settings.hpp"

namespace supn {
namespace {

std::string points_name(std::int64_t count) { return std::to_string(count) + " points"; }

void add_random(std::int64_t count,
                const KnownRequest& request,
                std::vector<KnownSetting>& settings) {
  const std::string plain = points_name(count);
  const KnownSetting same{.name = plain, .count = count, .rivals_of = plain};
  settings.push_back(same);
  if (request.scale_std) {
    KnownSetting& scale = settings.emplace_back(same);
    scale.name = plain + ", unknown scale";
    scale.has_unknown_scale = true;
    scale.besides = {plain};
  }
  if (request.outliers == 0.0) return;
  KnownSetting& gated = settings.emplace_back(same);
  gated.name = plain + ", gated";
  gated.is_gated = true;
  gated.besides = {plain};
  KnownSetting wrong = same;
  wrong.name = wrong.rivals_of = plain + ", outliers";
  wrong.has_outliers = true;
  wrong.besides = {plain};
  settings.push_back(wrong);
  KnownSetting found = wrong;
  found.name = found.rivals_of = wrong.name + ", gated";
  found.is_gated = true;
  found.besides = {wrong.name, plain};
  settings.push_back(found);
}

}  // namespace

std::vector<KnownSetting> known_settings(const KnownRequest& request) {
  std::vector<KnownSetting> settings;
  for (const std::int64_t count : request.counts) {
    add_random(count, request, settings);
    if (!request.active) continue;
    const std::string name = std::to_string(count) + " active points";
    settings.push_back({.name = name,
                        .choice = PointChoice::kActive,
                        .count = count,
                        .rivals_of = name,
                        .besides = {points_name(count)}});
  }
  for (const std::int64_t count : request.beams) {
    const std::string name = count == 1 ? "1 beam" : std::to_string(count) + " beams";
    settings.push_back(
        {.name = name, .choice = PointChoice::kBeams, .count = count, .rivals_of = name});
  }
  return settings;
}

std::string known_row_name(const std::string& model, const std::string& setting) {
  return model + ", " + setting;
}

std::string rival_row_name(const std::string& model, const std::string& setting, Rival rival) {
  return known_row_name(model, setting) + ": " + std::string(option_name(rival));
}

std::vector<std::string> known_rows(const std::string& model,
                                    const KnownRequest& request,
                                    const std::optional<IsotropicField>& isotropic) {
  std::vector<std::string> rows;
  for (const KnownSetting& setting : known_settings(request)) {
    rows.push_back(known_row_name(model, setting.name));
    if (!setting.has_rivals()) continue;
    for (const Rival rival : rivals_of(isotropic)) {
      rows.push_back(rival_row_name(model, setting.name, rival));
    }
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> compared_rows(
    const std::string& model,
    const KnownSetting& setting,
    const std::optional<IsotropicField>& isotropic) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string& other : setting.besides) {
    rows.emplace_back(known_row_name(model, other), other);
  }
  for (const Rival rival : rivals_of(isotropic)) {
    rows.emplace_back(rival_row_name(model, setting.rivals_of, rival), option_name(rival));
  }
  return rows;
}

}  // namespace supn
