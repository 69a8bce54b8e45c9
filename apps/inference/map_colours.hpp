// Maps have these colours in every picture and film: depth on a logarithmic bar whose range comes
// from what lies below 80 m (the sky would leave the road black), everything else on a linear one;
// a depth's uncertainty as a share of the depth beside metres, as metres alone show the far end.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "inference/quantity.hpp"
#include "supn/io/contact_sheet.hpp"

namespace supn {

// Returns the bar of a map [h,w] of the quantity.
ColourBar value_bar(const at::Tensor& map, const OutputQuantity& output);

// Returns the bar of a standard deviation [h,w] in the quantity's unit. mean: the map that it
// belongs to.
ColourBar spread_bar(const at::Tensor& std, const at::Tensor& mean, const OutputQuantity& output);

// std or deviations [..,h,w] of depth as shares of the depth `mean`; as they are for another
// quantity.
at::Tensor relative_to_depth(const at::Tensor& values,
                             const at::Tensor& mean,
                             const OutputQuantity& output);
// "m" or the like; "of the depth" for depth.
std::string relative_unit(const OutputQuantity& output);
// Returns the bar of what relative_to_depth gives for a standard deviation.
ColourBar relative_spread_bar(const at::Tensor& relative, const OutputQuantity& output);

// Makes `bar` hold what `other` holds too, so that colours mean the same in several pictures.
void widen(ColourBar& bar, const ColourBar& other);

}  // namespace supn
