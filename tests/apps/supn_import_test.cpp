#include <ATen/ops/arange.h>

#include <nlohmann/json.hpp>

#include "apps/app_runner.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/json.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

using ::testing::HasSubstr;

class SupnImport : public AppTest {
 protected:
  AppRun run(const std::vector<std::string>& arguments) const {
    return run_app_program("supn_import", arguments);
  }
};

TEST_F(SupnImport, ShowsNamesTypesAndShapes) {
  write_safetensors(folder_ / "a.safetensors",
                    {{{"w", at::arange(6).view({2, 3})}}, {{"who", "supn"}}});

  const AppRun text = run({"a.safetensors"});
  const AppRun json = run({"--json", "a.safetensors"});

  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("1 tensors, 6 numbers"));
  EXPECT_THAT(text.out, HasSubstr("w  long      [2,3]"));
  const Json file = parse_json(json.out).at(0);
  EXPECT_EQ(file.at("tensors").at(0).at("name"), "w");
  EXPECT_EQ(file.at("values").at("who"), "supn");
}

TEST_F(SupnImport, RefusesBadCallsInALine) {
  write("bad.pth", "PK nothing");
  std::filesystem::create_directories(folder_ / "empty");
  write("half/encoder.pth", "x");
  expect_user_error(run({}), "give files to show");
  expect_user_error(run({"none.pth"}), "none.pth: there is no such file");
  expect_user_error(run({"bad.pth"}), "bad.pth: is a zip file without its end");
  expect_user_error(run({"bad.pth", "--out", "members"}), "is no folder");
  expect_user_error(run({"empty", "--out", "members"}), "holds no depth network");
  expect_user_error(run({"half", "--out", "members"}), "holds no depth network");
  expect_user_error(run({"--encoder", "bad.pth", "--out", "members"}), "give both");
  expect_user_error(run({"empty", "--out", "members", "--dropout", "1"}), "--dropout");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "members"));
}

using SupnExport = AppTest;

TEST_F(SupnExport, WritesACheckedArchiveOrNothing) {
  save_checkpoint(
      folder_ / "model",
      {SupnNetwork(NetworkConfig{.backbone = Backbone::kCompact}), {32, 96}, {}, "", ""});

  const AppRun good =
      run_app_program("supn_export", {"--checkpoint", "model", "--out", "out/supn.pt"});

  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("largest difference from the network"));
  EXPECT_GT(std::filesystem::file_size(folder_ / "out/supn.pt"), 1'000'000U);
  expect_user_error(run_app_program("supn_export", {"--checkpoint", "none", "--out", "x.pt"}),
                    "none");
  expect_user_error(run_app_program("supn_export", {"--checkpoint", "model"}), "--out");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.pt"));
}

}  // namespace
}  // namespace supn
