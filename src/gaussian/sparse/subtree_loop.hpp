// Walks over the fronts of a dissection with threads: subtrees that do not depend on each other on
// whichever thread is free, the few large fronts above them one by one, with threads inside.
#pragma once

#include <cstdint>
#include <functional>

#include "gaussian/sparse/nested_dissection.hpp"

namespace supn {

// Fronts [first, end), to be done in ascending (upwards) or descending order (downwards).
using FrontRange = std::function<void(std::int64_t first, std::int64_t end)>;

// Visits children before parents.
void upwards(const Dissection& dissection, const FrontRange& work);
// Visits parents before children.
void downwards(const Dissection& dissection, const FrontRange& work);

}  // namespace supn
