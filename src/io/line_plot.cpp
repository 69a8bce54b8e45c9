#include "supn/io/line_plot.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>

namespace supn {
namespace {

constexpr double kLeft = 70;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 48;
constexpr double kLegendRow = 18;
constexpr double kLetter = 6.6;  // a letter's width on average; the legend gets so much room
constexpr int kTicks = 5;
constexpr double kMarkDistance = 45;

// Okabe and Ito's palette, told apart by colour-blind readers too.
constexpr std::array<const char*, 8> kPalette{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#beaf00"};
constexpr const char* kGrey = "#828282";

struct Axis {
  double low = 0.0;
  double high = 1.0;
  double step = 0.2;
};

// 1, 2 or 5 times a power of ten.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * 1.001) return factor * power;
  }
  return 10.0 * power;
}

Axis axis_of(const std::vector<PlotLine>& lines, std::vector<double> PlotLine::*values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const PlotLine& line : lines) {
    for (const double value : line.*values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return {};
  if (low > 0.0 && low < 0.5 * high) low = 0.0;
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {
    const double margin = high == 0.0 ? 1.0 : 0.1 * std::abs(high);
    low -= margin;
    high += margin;
  }
  const double step = round_step((high - low) / kTicks);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

std::string tick_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text.data();
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

const char* colour_of(const PlotLine& line) {
  return line.colour < 0 ? kGrey
                         : kPalette[static_cast<std::size_t>(line.colour) % kPalette.size()];
}

// Beside the curves, which it must not hide; at most half the picture.
double legend_width(const LinePlot& plot) {
  std::size_t longest = 0;
  for (const PlotLine& line : plot.lines) longest = std::max(longest, line.label.size());
  return longest == 0 ? 0.0
                      : std::min(static_cast<double>(longest) * kLetter + 40.0,
                                 static_cast<double>(plot.width) / 2.0);
}

struct Point {
  double x;
  double y;
};

// The area of the curves, and where values fall in it.
class Drawing {
 public:
  explicit Drawing(const LinePlot& plot)
      : plot_(plot),
        x_(axis_of(plot.lines, &PlotLine::x)),
        y_(axis_of(plot.lines, &PlotLine::y)),
        width_(static_cast<double>(plot.width) - kLeft - kRight - legend_width(plot)),
        height_(static_cast<double>(plot.height) - kTop - kBottom) {}

  std::string svg();

 private:
  double column(double x) const { return kLeft + (x - x_.low) / (x_.high - x_.low) * width_; }
  double row(double y) const { return kTop + (y_.high - y) / (y_.high - y_.low) * height_; }
  void text(const Point& place, const char* anchor, const std::string& words);
  void stroke(const std::string& points, const PlotLine& line);
  void mark(const Point& place, const PlotLine& line);
  void draw_grid();
  void draw_line(const PlotLine& line);
  void draw_legend();
  void draw_labels();

  const LinePlot& plot_;
  Axis x_;
  Axis y_;
  double width_;
  double height_;
  std::string out_;
};

void Drawing::text(const Point& place, const char* anchor, const std::string& words) {
  out_ += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", place.x, place.y, anchor) +
          escaped(words) + "</text>\n";
}

void Drawing::stroke(const std::string& points, const PlotLine& line) {
  const bool is_solid = line.style == LineStyle::kSolid;
  out_ += std::string("<polyline fill=\"none\" stroke=\"") + colour_of(line) + "\" " +
          (is_solid ? "stroke-width=\"2\"" : "stroke-dasharray=\"6 4\"") + " points=\"" + points +
          "\"/>\n";
}

// Tells lines of one colour apart; nothing for the palette's first use and for dashed lines.
void Drawing::mark(const Point& place, const PlotLine& line) {
  const std::int64_t kind = line.colour / static_cast<std::int64_t>(kPalette.size());
  if (kind < 1 || line.style != LineStyle::kSolid) return;
  const char* const shape = kind == 1   ? "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0"
                            : kind == 2 ? "M-4-4h8v8h-8z"
                                        : "M0-5l5 5l-5 5l-5-5z";
  out_ += format("<path transform=\"translate(%.1f %.1f)\" fill=\"%s\" d=\"%s\"/>\n",
                 place.x,
                 place.y,
                 colour_of(line),
                 shape);
}

void Drawing::draw_grid() {
  const char* const faint = "<path stroke=\"#e1e1e1\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n";
  for (double x = x_.low; x <= x_.high + 0.5 * x_.step; x += x_.step) {
    out_ += format(faint, column(x), kTop, column(x), kTop + height_);
    text({column(x), kTop + height_ + 16}, "middle", tick_text(x));
  }
  for (double y = y_.low; y <= y_.high + 0.5 * y_.step; y += y_.step) {
    out_ += format(faint, kLeft, row(y), kLeft + width_, row(y));
    text({kLeft - 6, row(y) + 4}, "end", tick_text(y));
  }
  out_ += format(
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
      "stroke=\"%s\"/>\n",
      kLeft,
      kTop,
      width_,
      height_,
      kGrey);
}

void Drawing::draw_line(const PlotLine& line) {
  std::string points;
  std::vector<Point> marks;
  double next_mark = kLeft + static_cast<double>(line.colour * 11 % 45);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) {
      if (!points.empty()) stroke(points, line);
      points.clear();
      continue;
    }
    const Point place{column(line.x[i]), row(line.y[i])};
    points += format("%.1f,%.1f ", place.x, place.y);
    if (place.x < next_mark) continue;
    marks.push_back(place);
    next_mark = place.x + kMarkDistance;
  }
  if (!points.empty()) stroke(points, line);
  for (const Point& place : marks) mark(place, line);
}

void Drawing::draw_legend() {
  const double left = kLeft + width_ + 10;
  double base = kTop + kLegendRow;
  for (const PlotLine& line : plot_.lines) {
    if (line.label.empty()) continue;
    stroke(format("%.1f,%.1f %.1f,%.1f", left, base - 4, left + 22, base - 4), line);
    mark({left + 11, base - 4}, line);
    text({left + 28, base}, "start", line.label);
    base += kLegendRow;
  }
}

void Drawing::draw_labels() {
  const auto bottom = static_cast<double>(plot_.height) - 10;
  text({kLeft, 22}, "start", plot_.title);
  text({kLeft + width_ / 2, bottom}, "middle", plot_.x_label);
  out_ += format("<g transform=\"translate(16 %.1f) rotate(-90)\">", kTop + height_ / 2);
  text({0, 0}, "middle", plot_.y_label);
  out_ += "</g>\n";
}

std::string Drawing::svg() {
  const auto width = static_cast<double>(plot_.width), height = static_cast<double>(plot_.height);
  out_ = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
      "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\" "
      "fill=\"#191919\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
      width,
      height,
      width,
      height);
  draw_grid();
  for (const PlotLine& line : plot_.lines) draw_line(line);
  draw_legend();
  draw_labels();
  return out_ + "</svg>\n";
}

void check(const LinePlot& plot) {
  TORCH_CHECK(!plot.lines.empty(), "line_plot_svg: expected at least one line, got none");
  TORCH_CHECK(plot.width >= 200 && plot.height >= 200,
              "line_plot_svg: expected at least 200x200 pixels, got ",
              plot.width,
              "x",
              plot.height);
  for (const PlotLine& line : plot.lines) {
    TORCH_CHECK(line.x.size() == line.y.size(),
                "line_plot_svg: expected as many x as y of line '",
                line.label,
                "', got ",
                line.x.size(),
                " and ",
                line.y.size());
  }
}

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
  check(plot);
  return Drawing(plot).svg();
}

}  // namespace supn
