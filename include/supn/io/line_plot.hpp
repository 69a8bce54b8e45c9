// Curves as a drawing in SVG: axes, grid, legend, real text.
#pragma once

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
  // Of the palette of eight; beyond it the colours come again with discs, squares, diamonds on the
  // line. Negative: grey.
  std::int64_t colour = 0;
};

// Text is UTF-8.
struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotLine> lines;
  std::int64_t width = 900;  // pixels, where a browser shows it in its own size
  std::int64_t height = 520;
};

// An SVG document; the axes hold all finite values, and 0 if that is near. Values that are not
// finite leave a gap. Throws c10::Error without lines, for x and y of different lengths, or less
// than 200 × 200 pixels.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace supn
