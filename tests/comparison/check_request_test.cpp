#include "supn/comparison/check_request.hpp"

#include <gmock/gmock.h>

#include "message_of.hpp"
#include "serialization/temporary_folder.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CheckRequest, NamesTheMembersThatModelsImitate) {
  DataConfig data;
  data.exclude_members = {1, 3};
  EXPECT_THAT(imitated_members({}, data, 5), ElementsAre(0, 2, 4));
  EXPECT_TRUE(imitated_members({}, data, 0).empty());
}

TEST(CheckRequest, RefusesMembersThatAreNotEnough) {
  const auto refusal = [](const EvaluationRequest& request,
                          const std::vector<std::int64_t>& excluded,
                          std::int64_t stored) {
    DataConfig data;
    data.exclude_members = excluded;
    return message_of<ConfigError>([&] { imitated_members(request, data, stored); });
  };
  EXPECT_THAT(refusal({}, {2}, 2), HasSubstr("no member 2; the sample files hold members 0 to 1"));
  EXPECT_THAT(refusal({}, {0, 1}, 2), HasSubstr("excludes all members"));
  EXPECT_THAT(refusal({.ensemble = true}, {}, 1), HasSubstr("hold 1 member, an ensemble needs"));
  EXPECT_THAT(refusal({.baselines = true}, {0}, 4),
              HasSubstr("the baselines' rows: 3 members are left"));
}

TEST(CheckRequest, RefusesWhatIsNotConfigured) {
  const auto refusal = [](const EvaluationRequest& request) {
    return message_of<ConfigError>([&] { check_request(request, {}); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("nothing to evaluate"));
  EXPECT_THAT(refusal({.baselines = true}),
              HasSubstr("the baselines' rows: data.samples is not set"));
  EXPECT_THAT(refusal({.truth = true}), HasSubstr("the truth's row: data.truth is not set"));
}

TEST(CheckRequest, RefusesAPlaceThatCannotBeWrittenTo) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "file", "x");
  DataConfig data;
  data.truth = "truth";
  const auto refusal = [&](const std::string& out) {
    return message_of<IoError>([&] { check_request({.truth = true, .out = folder / out}, data); });
  };
  EXPECT_THAT(refusal("file/below"), HasSubstr("a part of the path is a file"));
  EXPECT_NO_THROW(check_request({.truth = true, .out = folder / "new/deep"}, data));
  EXPECT_FALSE(std::filesystem::exists(folder / "new")) << "a check makes no folder";
}

TEST(CheckRequest, ReadsOfAnImageWhatRowsNeed) {
  DataConfig data;
  EXPECT_EQ(contents_of({.checkpoints = {"run"}}, data).image, Presence::kRequired);
  EXPECT_EQ(contents_of({.truth = true}, data).image, Presence::kUnused);
  EXPECT_EQ(contents_of({.truth = true}, data).scales, 0);
  data.samples = "samples";
  EXPECT_EQ(contents_of({.ensemble = true}, data).scales, 1);
  EXPECT_EQ(contents_of({.ensemble = true}, data).log_scale, Presence::kIfPresent);
}

}  // namespace
}  // namespace supn
