#include <gmock/gmock.h>

#include "apps/view/view_fixture.hpp"
#include "view/session.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

struct BadBody {
  std::string route;
  std::string body;
  int status;
  std::string says;
};

class ViewRefuses : public ViewTest, public testing::WithParamInterface<BadBody> {};

TEST_P(ViewRefuses, ButSaysWhatIsWrong) {
  const Reply reply = session_->answer({.route = GetParam().route, .body = GetParam().body});
  EXPECT_EQ(reply.status, GetParam().status) << reply.body;
  EXPECT_THAT(error(reply), HasSubstr(GetParam().says));
  EXPECT_EQ(answer("open", {{"index", 0}}).status, 200);
}

const std::string kRest = R"(,"noise_metres":0,"noise_relative":0.02})";

INSTANTIATE_TEST_SUITE_P(
    All,
    ViewRefuses,
    testing::Values(
        BadBody{"", "{}", 404, "nothing is called"},
        BadBody{"nonsense", "{}", 404, "nonsense"},
        BadBody{"open", "", 400, "no JSON"},
        BadBody{"open", "{", 400, "no JSON"},
        BadBody{"open", std::string(200000, '['), 400, "no JSON"},
        BadBody{"open", R"({"index":0} {})", 400, "no JSON"},
        BadBody{"open", R"({"index":0,"index":0})", 400, "\"index\" is there twice"},
        BadBody{"open", "{\"index\":\"\xFF\"}", 400, "UTF-8"},
        BadBody{"open", "[0]", 400, "expected an object"},
        BadBody{"open", R"({"index":1})", 400, "index: expected a whole number in 0 ... 0"},
        BadBody{"open", R"({"index":-1})", 400, "found -1"},
        BadBody{"open", R"({"index":0.5})", 400, "found 0.5"},
        BadBody{"open", R"({"index":18446744073709551615})", 400, "index"},
        BadBody{"open", R"({"index":0,"indx":0})", 400, "indx is not known"},
        BadBody{"field", R"({"quantity":"height","points":[])" + kRest, 400, "height"},
        BadBody{"field", R"({"quantity":7,"points":[])" + kRest, 400, "expected a text"},
        BadBody{"field", R"({"quantity":"depth"})", 400, "points is missing"},
        BadBody{"field", R"({"quantity":"depth","points":{})" + kRest, 400, "objects, found {}"},
        BadBody{"field", R"({"quantity":"depth","points":[3])" + kRest, 400, "points[0]"},
        BadBody{"field",
                R"({"quantity":"depth","points":[{"x":16,"y":0,"depth":1}])" + kRest,
                400,
                "points[0].x"},
        BadBody{"field",
                R"({"quantity":"depth","points":[{"x":0,"y":0,"depth":-1}])" + kRest,
                400,
                "points[0].depth"},
        BadBody{"field",
                R"({"quantity":"depth","points":[{"x":0,"y":0,"depth":1e999}])" + kRest,
                400,
                "no JSON"},
        BadBody{"field",
                R"({"quantity":"depth","points":[{"x":0,"y":0,"depth":NaN}])" + kRest,
                400,
                "no JSON"},
        BadBody{"field",
                R"({"quantity":"depth","points":[{"x":0,"y":0,"depth":1e6}])" + kRest,
                422,
                "0.54 to 540 m"},
        BadBody{
            "field",
            R"({"quantity":"depth","points":[{"x":1,"y":0,"depth":2},{"x":1,"y":0,"depth":3}])" +
                kRest,
            400,
            "1,0 is given twice"},
        BadBody{"field",
                R"({"quantity":"depth","points":[],"noise_metres":-1,"noise_relative":0})",
                400,
                "noise_metres"},
        BadBody{"samples", R"({"first":0,"count":0,"points":[])" + kRest, 400, "count"},
        BadBody{"samples", R"({"first":0,"count":65,"points":[])" + kRest, 400, "1 ... 64"},
        BadBody{"correlation", R"({"x":0,"y":12,"points":[])" + kRest, 400, "y: expected"},
        BadBody{"regions", R"({"regions":[],"points":[])" + kRest, 400, "at least one"},
        BadBody{"regions",
                R"({"regions":[{"x":10,"y":0,"width":7,"height":1}],"points":[])" + kRest,
                400,
                "1 ... 6"},
        BadBody{"next", R"({"count":101,"points":[])" + kRest, 400, "1 ... 100"},
        BadBody{"open", std::string(kLargestRequest + 1, ' '), 413, "bytes"}));

}  // namespace
}  // namespace supn
