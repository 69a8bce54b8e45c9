// Verdicts are the sentences below the overview, one for each row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supn/evaluation/depth/known_settings.hpp"
#include "supn/evaluation/tables/score_sheet.hpp"
#include "supn/evaluation/tables/table.hpp"
#include "supn/gaussian/isotropic_field.hpp"

namespace supn {

struct JudgedModel {
  std::string name;                         // of its row
  std::optional<IsotropicField> isotropic;  // one more rival (conditioning_rivals.hpp)
};

// "<model>, depth itself".
std::string distance_row_name(const std::string& model);

// Says what the spread is like and whether the uncertainty knows more than chance and than
// distance; for rows given known points, the paired differences from what they are compared with
// (known_settings.hpp), or that no image has enough of them. truth: the name of the true Gaussians' row, where there is one.
void add_verdicts(const ScoreSheet& sheet,
                  const std::vector<JudgedModel>& models,
                  const KnownRequest& known,
                  const std::optional<std::string>& truth,
                  Table& table);

}  // namespace supn
