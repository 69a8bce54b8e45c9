// The epochs of metrics.jsonl are also a table of comma-separated values.
#pragma once

#include <string>

#include "supn/serialization/json.hpp"

namespace supn {

// One line each, with its end.
std::string metrics_table_header();
// epoch: a line of kind "epoch". What it does not hold, and what is not finite, is an empty field.
std::string metrics_table_row(const Json& epoch);

}  // namespace supn
