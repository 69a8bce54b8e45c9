// Verdicts are the sentences below the overview, one for each row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/evaluated_models.hpp"
#include "eval/known_settings.hpp"
#include "supn/evaluation/tables/score_sheet.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {

// "<model>, depth itself".
std::string distance_row_name(const std::string& model);

// What the spread is like and whether the uncertainty knows more than chance and than distance; of
// rows given known points, the paired differences from what they are compared with (known_settings.hpp).
void add_verdicts(const ScoreSheet& sheet,
                  const std::vector<CheckpointModel>& models,
                  const KnownRequest& known,
                  const std::optional<std::string>& truth,
                  Table& table);

}  // namespace supn
