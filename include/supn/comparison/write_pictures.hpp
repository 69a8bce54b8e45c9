// Curves of an evaluation are drawn as pictures.
#pragma once

#include <filesystem>

#include "supn/evaluation/tables/curve_sheet.hpp"

namespace supn {

// <folder>/<curve>.svg for every curve; an oracle's and the exact marginals' sparsification are in
// the picture of their metric. Pictures of other curves, from an earlier evaluation, are removed.
// Throws IoError for what cannot be written.
void write_pictures(const CurveSheet& curves, const std::filesystem::path& folder);

}  // namespace supn
