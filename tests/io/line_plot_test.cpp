#include "supn/io/line_plot.hpp"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <string>

namespace supn {
namespace {

using testing::HasSubstr;
using testing::Not;

LinePlot rising() {
  return {.title = "t", .x_label = "x", .y_label = "y", .lines = {{"", {0, 1, 2}, {0, 1, 2}}}};
}

// The ends "x,y x,y …" of every polyline of a colour.
std::vector<std::string> strokes(const std::string& svg, const std::string& colour) {
  const std::regex pattern("<polyline[^>]*stroke=\"" + colour + "\"[^>]*points=\"([^\"]*)\"");
  std::vector<std::string> found;
  for (std::sregex_iterator i(svg.begin(), svg.end(), pattern), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(LinePlot, PlacesValuesOnItsAxes) {
  // 900 × 520 less the margins 70, 16 and 34, 48: 814 × 438, and 0 … 2 fill them.
  EXPECT_THAT(strokes(line_plot_svg(rising()), "#0072b2"),
              testing::ElementsAre("70.0,472.0 477.0,253.0 884.0,34.0 "));
}

TEST(LinePlot, DrawsEachLineInItsColourAndNamesIt) {
  LinePlot plot = rising();
  plot.lines.push_back({.label = "a & b < \u00e9", .x = {0, 2}, .y = {2, 0}, .colour = 1});
  const std::string svg = line_plot_svg(plot);
  EXPECT_EQ(strokes(svg, "#d55e00").size(), 2U);  // the line and the legend's
  EXPECT_THAT(svg, HasSubstr(">a &amp; b &lt; \u00e9</text>"));
  EXPECT_THAT(line_plot_svg(rising()), Not(HasSubstr("#d55e00")));
}

TEST(LinePlot, DashesWhatIsAReference) {
  LinePlot plot = rising();
  EXPECT_THAT(line_plot_svg(plot), Not(HasSubstr("stroke-dasharray")));
  plot.lines[0].style = LineStyle::kDashed;
  EXPECT_THAT(line_plot_svg(plot), HasSubstr("stroke-dasharray"));
}

TEST(LinePlot, MarksLinesWhoseColourComesAgain) {
  LinePlot plot = rising();
  EXPECT_EQ(count(line_plot_svg(plot), "translate("), 1U);  // of the label on its side
  plot.lines[0].colour = 8;
  const std::string discs = line_plot_svg(plot);
  EXPECT_EQ(strokes(discs, "#0072b2").size(), 1U);
  EXPECT_GT(count(discs, "translate("), 1U);
  plot.lines[0].colour = 16;
  EXPECT_NE(line_plot_svg(plot), discs);
}

TEST(LinePlot, LeavesGapsForWhatIsNotFinite) {
  LinePlot plot = rising();
  plot.lines[0].x = {0, 1, 2, 3, 4};
  plot.lines[0].y = {0, 1, std::numeric_limits<double>::quiet_NaN(), 3, 4};
  const std::string svg = line_plot_svg(plot);
  EXPECT_EQ(strokes(svg, "#0072b2").size(), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  plot.lines[0].y.assign(5, std::numeric_limits<double>::infinity());
  EXPECT_THAT(line_plot_svg(plot), Not(HasSubstr("inf")));
}

TEST(LinePlot, RejectsWhatItCannotDraw) {
  EXPECT_THROW(line_plot_svg({}), c10::Error);
  LinePlot plot = rising();
  plot.lines[0].y.pop_back();
  EXPECT_THROW(line_plot_svg(plot), c10::Error);
  plot = rising();
  plot.width = 100;
  EXPECT_THROW(line_plot_svg(plot), c10::Error);
}

}  // namespace
}  // namespace supn
