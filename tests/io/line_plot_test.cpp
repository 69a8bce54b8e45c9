#include "supn/io/line_plot.hpp"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <cmath>

namespace supn {
namespace {

bool holds_colour(const at::Tensor& rgb, int red, int green, int blue) {
  return (rgb.select(2, 0).eq(red) & rgb.select(2, 1).eq(green) & rgb.select(2, 2).eq(blue))
      .any()
      .item<bool>();
}

LinePlot rising() {
  return {.title = "t", .x_label = "x", .y_label = "y", .lines = {{"", {0, 1, 2}, {0, 1, 2}}}};
}

TEST(LinePlot, DrawsEachLineInItsColour) {
  LinePlot plot = rising();
  EXPECT_TRUE(holds_colour(line_plot(plot), 0, 114, 178));
  EXPECT_FALSE(holds_colour(line_plot(plot), 213, 94, 0));
  plot.lines.push_back({.label = "other", .x = {0, 2}, .y = {2, 0}, .colour = 1});
  EXPECT_TRUE(holds_colour(line_plot(plot), 213, 94, 0));
  EXPECT_EQ(line_plot(plot).sizes(), (at::IntArrayRef{520, 900, 3}));
}

TEST(LinePlot, PutsLargeValuesAbove) {
  const at::Tensor rgb = line_plot(rising());
  const at::Tensor line = rgb.select(2, 0).eq(0) & rgb.select(2, 2).eq(178);
  const at::Tensor left = line.narrow(1, 80, 200).nonzero().select(1, 0);
  const at::Tensor right = line.narrow(1, 540, 200).nonzero().select(1, 0);
  ASSERT_GT(left.numel(), 0);
  EXPECT_GT(left.min().item<std::int64_t>(), right.max().item<std::int64_t>());
}

TEST(LinePlot, MarksLinesWhoseColourComesAgain) {
  std::vector<at::Tensor> pictures;
  for (const std::int64_t colour : {0, 8, 16, 24}) {
    LinePlot plot = rising();
    plot.lines[0].x = {0.0, 0.5, 1.0, 1.5, 2.0};
    plot.lines[0].y = plot.lines[0].x;
    plot.lines[0].colour = colour;
    pictures.push_back(line_plot(plot));
    EXPECT_TRUE(holds_colour(pictures.back(), 0, 114, 178));
    for (std::size_t i = 0; i + 1 < pictures.size(); ++i) {
      EXPECT_FALSE(pictures[i].equal(pictures.back())) << i << " and colour " << colour;
    }
  }
}

TEST(LinePlot, LeavesGapsForWhatIsNotFinite) {
  LinePlot plot = rising();
  plot.lines[0].y[1] = std::nan("");
  EXPECT_FALSE(holds_colour(line_plot(plot), 0, 114, 178));
  plot.lines[0].y = {3.0, 3.0, 3.0};  // no range
  EXPECT_TRUE(holds_colour(line_plot(plot), 0, 114, 178));
}

TEST(LinePlot, RejectsWhatItCannotDraw) {
  EXPECT_THROW(line_plot({}), c10::Error);
  LinePlot plot = rising();
  plot.lines[0].y.pop_back();
  EXPECT_THROW(line_plot(plot), c10::Error);
}

}  // namespace
}  // namespace supn
