#include "ensemble/run_ensemble_fixture.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(RunEnsemble, CountsSaturatedValues) {
  EnsembleConfig config;
  config.members = {
      member("a.ts", "  y = 0.5 * torch.ones_like(x[:, 0:1])\n  y[:, :, 0] = 1.0\n  return y\n")};
  config.quantity = MemberQuantity::kSigmoid;

  EXPECT_EQ(run(config).clamped, 3 * 64);
}

// Each of the quantities taken for another one.
TEST_F(RunEnsemble, StopsAfterTheFirstImageWhereTheQuantityIsWrong) {
  const auto fault_of = [&](const std::string& body, MemberQuantity quantity) {
    EnsembleConfig config;
    config.members = {member("a.ts", body)};
    config.quantity = quantity;
    const std::string text = fault<ConfigError>(config);
    EXPECT_FALSE(std::filesystem::exists(data_.samples)) << text;
    return text;
  };
  const std::string logits = "  return -2.5 - x[:, 0:1]\n";
  const std::string metres = "  return 20.0 + x[:, 0:1]\n";
  EXPECT_THAT(fault_of(kRed, MemberQuantity::kLogit),
              AllOf(HasSubstr("ensemble.quantity"), HasSubstr("as sigmoids do")));
  EXPECT_THAT(fault_of(metres, MemberQuantity::kLogit),
              HasSubstr("100 % of " + (folder_ / "a.ts").string() + "'s values"));
  EXPECT_THAT(fault_of(logits, MemberQuantity::kSigmoid), HasSubstr("what a sigmoid can be"));
  EXPECT_THAT(fault_of(metres, MemberQuantity::kDisparity), HasSubstr("what a disparity can be"));
  EXPECT_THAT(fault_of(logits, MemberQuantity::kDepth), HasSubstr("what a depth can be"));
}

TEST_F(RunEnsemble, WarnsOfMembersThatWereTrainedAtAnotherSize) {
  at::manual_seed(3);
  MemberFile file;
  file.config = {.backbone = Backbone::kCompact};
  const auto write = [&](const std::string& name, const ImageSize& size) {
    for (const auto& [tensor, shape] : member_shapes(file.config)) {
      file.tensors.insert_or_assign(tensor, 0.03 * at::randn(shape) - 0.02);
    }
    file.size = size;
    write_member(folder_ / name, file);
    return folder_ / name;
  };
  EnsembleConfig config;
  config.members = {write("same.safetensors", data_.size()),
                    write("large.safetensors", {64, 96}),
                    write("unknown.safetensors", {})};
  std::vector<std::string> warnings;

  run_ensemble(config,
               data_,
               frames_,
               at::Device(at::kCPU),
               {[](ImageOutcome, auto) {},
                [&](const std::string& warning) { warnings.push_back(warning); }});

  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("large.safetensors: was trained at 96x64 and runs at 64x32")));
}

TEST_F(RunEnsemble, NamesAMemberThatIsListedTwice) {
  EnsembleConfig config = two_members();
  std::filesystem::copy_file(folder_ / "b.ts", folder_ / "c.ts");
  config.members.push_back(folder_ / "c.ts");
  EXPECT_THAT(fault<ConfigError>(config),
              HasSubstr("b.ts and " + (folder_ / "c.ts").string() + " give the same map"));
  EXPECT_FALSE(std::filesystem::exists(data_.samples));
}

TEST_F(RunEnsemble, NamesWhatIsMissing) {
  EXPECT_THAT(fault<ConfigError>({}), HasSubstr("ensemble.members"));
  EnsembleConfig config;
  config.members = {member("a.ts", "  return x[:, 0:1, 0:16]\n")};
  EXPECT_THAT(fault<ConfigError>(config), HasSubstr("data.height"));
  config.members = {member("a.ts", kRed), member("b.ts", "  return x[:, 0:1, 0:16]\n")};
  EXPECT_THAT(fault<IoError>(config), AllOf(HasSubstr("b.ts"), HasSubstr("members must agree")));
  config.members = {member("a.ts", kRed), member("b.ts", "  return (x[:, 0:1], x[:, 0:1])\n")};
  EXPECT_THAT(fault<IoError>(config), HasSubstr("gives 2 scales, the first member 1"));
  data_.samples.clear();
  EXPECT_THAT(fault<ConfigError>(two_members()), HasSubstr("data.samples"));
}

TEST_F(RunEnsemble, NamesTheImageThatCannotBeReadAndKeepsWhatIsDone) {
  const auto image = data_.root / frames_[2].drive / "image_02" / "data" / "0000000002.png";
  std::filesystem::resize_file(image, 100);

  EXPECT_THAT(fault<IoError>(two_members()), HasSubstr("0000000002.png"));

  EXPECT_TRUE(std::filesystem::exists(file(1)));
  EXPECT_FALSE(std::filesystem::exists(file(2)));
}

}  // namespace
}  // namespace supn
