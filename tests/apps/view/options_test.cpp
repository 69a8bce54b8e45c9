#include "view/options.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/view/view_fixture.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

ViewArguments parsed(std::vector<std::string> line) {
  ViewArguments arguments;
  CLI::App app;
  declare_view_options(app, arguments);
  std::reverse(line.begin(), line.end());
  app.parse(line);
  return arguments;
}

std::string refusal_of(const std::vector<std::string>& line) {
  try {
    check_view_arguments(parsed(line));
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(ViewOptions, TakeAScaleAsTheOtherAppsDo) {
  EXPECT_EQ(parsed({}).scale, ViewScale::kAuto);
  EXPECT_EQ(parsed({"--scale", "median"}).scale, ViewScale::kMedian);
  EXPECT_EQ(parsed({"--scale", "fixed:5.4"}).scale, ViewScale::kFixed);
  EXPECT_EQ(parsed({"--scale", "5.4"}).fixed_scale, 5.4);
  EXPECT_THAT(refusal_of({"--scale", "-1"}), HasSubstr("--scale"));
}

TEST(ViewOptions, RefuseWhatContradicts) {
  EXPECT_EQ(refusal_of({"--checkpoint", "best", "--image", "a.png"}), "");
  EXPECT_EQ(refusal_of({"--gaussian", "g"}), "");
  EXPECT_THAT(refusal_of({"--checkpoint", "best"}), HasSubstr("--image"));
  EXPECT_THAT(refusal_of({"--checkpoint", "best", "--image", "a.png", "--config", "c.yaml"}),
              HasSubstr("either"));
  EXPECT_THAT(refusal_of({"--gaussian", "g", "--config", "c.yaml"}), HasSubstr("--config"));
  EXPECT_THAT(refusal_of({"--checkpoint", "best", "--config", "c.yaml", "--known", "p.csv"}),
              HasSubstr("--known"));
  EXPECT_THAT(refusal_of({"--gaussian", "g", "--scale", "median"}), HasSubstr("measured depths"));
  EXPECT_THAT(refusal_of({"--gaussian", "g", "--scale", "none", "--known", "p.csv"}),
              HasSubstr("need a scale"));
  EXPECT_THAT(refusal_of({"--gaussian", "g", "--split", "val"}), HasSubstr("no effect"));
  EXPECT_THAT(refusal_of({"--gaussian", "g", "--port", "65536"}), HasSubstr("--port"));
}

using ViewGallery = ViewTest;

TEST_F(ViewGallery, MeasuredDepthsAreOfOneImage) {
  write_png(folder_ / "images/a.png", at::full({4, 4, 3}, 9, at::kByte));
  write_png(folder_ / "images/b.png", at::full({4, 4, 3}, 9, at::kByte));
  arguments_.image = folder_ / "images";
  EXPECT_THAT(message_of<ConfigError>([&] { start(); }), HasSubstr("2 images"));
}

TEST_F(ViewGallery, AnImageThatIsMissingIsAUsersError) {
  arguments_.image = folder_ / "none.png";
  EXPECT_THAT(message_of<IoError>([&] { start(); }), HasSubstr("none.png"));
}

TEST_F(ViewGallery, AGaussianNeedsNoImage) {
  arguments_.image = "";
  start();
  const Reply reply = answer("open", {{"index", 0}});
  EXPECT_EQ(facts(reply)["image_width"], kWidth);
}

}  // namespace
}  // namespace supn
