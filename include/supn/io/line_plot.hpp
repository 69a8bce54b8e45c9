// Curves in a picture: axes, grid, legend.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supn {

enum class LineStyle { kSolid, kDashed };

struct PlotLine {
  std::string label;  // "" leaves it out of the legend
  std::vector<double> x;
  std::vector<double> y;
  LineStyle style = LineStyle::kSolid;
  // Indexes the palette of eight; beyond it the colours come again with circles, squares, diamonds
  // on the line. A negative index is grey.
  std::int64_t colour = 0;
};

// Text is ASCII (other letters show as '?').
struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotLine> lines;
  std::int64_t width = 900;
  std::int64_t height = 520;
};

// Returns uint8 RGB [height,width,3]; the axes hold all finite values, and 0 if that is near.
// Values that are not finite leave a gap. Throws c10::Error without lines, for x and y of different
// lengths, or less than 200 × 200 pixels.
at::Tensor line_plot(const LinePlot& plot);

}  // namespace supn
