// The one entry of EXIF that changes what an image shows: its orientation.
#pragma once

#include <string_view>

namespace supn {

// 1 … 8 as EXIF counts them: 1 = as stored, 3 = half a turn, 6 = a quarter clockwise, 8 = a quarter
// anticlockwise, 2, 4, 5, 7 mirrored; 5 to 8 swap height and width. tiff: what follows "Exif\0\0"
// in a JPEG, or PNG's eXIf chunk; 1 for bytes that are no TIFF or do not name an orientation.
int exif_orientation(std::string_view tiff);

inline bool swaps_sides(int orientation) { return orientation >= 5; }

}  // namespace supn
