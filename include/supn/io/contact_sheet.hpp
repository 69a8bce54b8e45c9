// A contact sheet shows pictures side by side with titles and colour bars.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "supn/image_size.hpp"
#include "supn/io/colour_map.hpp"

namespace supn {

// Drawn below its picture: the colours from low to high, both ends and the middle as numbers.
struct ColourBar {
  ColourRange range;
  ColourMap colours = ColourMap::kMagma;
  std::string unit;  // behind the highest number; "" for none
};

// Text is ASCII (the font has no other letters; others show as '?').
struct Panel {
  std::string title;
  at::Tensor rgb;  // uint8 [H,W,3]
  std::optional<ColourBar> bar;
};

// Returns a map [H,W] in the bar's colours, with the bar. Throws c10::Error as colourise.
Panel map_panel(const std::string& title, const at::Tensor& map, const ColourBar& bar);

// Draws panels in rows of `columns`, filled from the left, as uint8 RGB [H,W,3] on white. All cells
// have the size of the largest panel; pictures narrower than kMinPanelWidth are enlarged by whole
// factors; titles wider than their cell are shortened. A row without any bar (or title) leaves no
// place for it. Throws c10::Error for no panels, columns < 1 or a picture of another shape or
// dtype.
at::Tensor contact_sheet(const std::vector<Panel>& panels, std::int64_t columns);

inline constexpr std::int64_t kMinPanelWidth = 240;

}  // namespace supn
