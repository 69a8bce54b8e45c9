#include "ensemble/run_ensemble_fixture.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(RunEnsemble, WritesTheMembersOfAnImageIntoOneFile) {
  const EnsembleReport report = run(two_members());

  EXPECT_EQ(report.written, 3);
  EXPECT_EQ(report.kept, 0);
  EXPECT_EQ(report.values, 3 * 2 * 32 * 64);
  for (std::size_t i = 0; i < 3; ++i) {
    const at::Tensor expected = red(static_cast<std::int64_t>(i));
    EXPECT_TRUE(read_npy(file(i)).equal(at::cat({expected, -expected}))) << i;
  }
}

TEST_F(RunEnsemble, SettlesALayoutThatHoldsForBatches) {
  // For one image, channels last can be viewed so as well; for two it can not.
  EnsembleConfig config;
  config.members = {member("a.ts",
                           "  y = torch.conv2d(x, 0.1 * torch.ones([2, 3, 1, 1]))\n"
                           "  return y.view([2 * x.size(0), 1, 32, 64])[0:x.size(0)] - 2.0\n")};
  config.batch_size = 2;

  EXPECT_EQ(run(config).written, 3);
}

TEST_F(RunEnsemble, WritesEveryScaleAndTheLogScale) {
  EnsembleConfig config;
  config.members = {
      member("a.ts", "  r = -x[:, 0:1]\n  return (r, r[:, :, 0:16, 0:32], -r - 9.0)\n")};
  config.output_keys = {"0", "1"};
  config.log_scale_key = "2";

  run(config);

  EXPECT_EQ(read_npy(file(1, "logit_1.npy")).sizes(), at::IntArrayRef({1, 16, 32}));
  EXPECT_TRUE(read_npy(file(1, "log_scale_0.npy")).equal(red(1) - 9.0));
}

TEST_F(RunEnsemble, MirrorsBackWhatMembersSeeInTheMirroredImage) {
  // The left neighbour's value: on the mirrored image that is the right neighbour's.
  EnsembleConfig config;
  config.members = {member("a.ts", "  return torch.roll(x[:, 0:1], [1], [3])\n"),
                    member("b.ts", kNegative)};
  config.horizontal_flip = true;

  run(config);

  const at::Tensor expected =
      at::cat({red(0).roll({1}, {2}), -red(0), red(0).roll({-1}, {2}), -red(0)});
  EXPECT_TRUE(read_npy(file(0)).equal(expected));
}

TEST_F(RunEnsemble, GivesTheSameForEveryBatchSize) {
  EnsembleConfig config = two_members();
  run(config);
  const at::Tensor one_by_one = read_npy(file(2));
  std::filesystem::remove_all(data_.samples);
  config.batch_size = 2;

  EXPECT_EQ(run(config).written, 3);

  EXPECT_TRUE(read_npy(file(2)).equal(one_by_one));
}

TEST_F(RunEnsemble, StoresHalfPrecisionOnRequest) {
  EnsembleConfig config = two_members();
  config.dtype = SampleDtype::kFloat16;

  run(config);

  const at::Tensor stored = read_npy(file(0));
  EXPECT_EQ(stored.scalar_type(), at::kHalf);
  EXPECT_TRUE(stored.equal(at::cat({red(0), -red(0)}).to(at::kHalf)));
}

TEST_F(RunEnsemble, KeepsCompleteFilesAndRedoesCutOffOnes) {
  const EnsembleConfig config = two_members();
  run(config);
  const auto time_kept = std::filesystem::last_write_time(file(0));
  const at::Tensor before = read_npy(file(1));
  std::filesystem::resize_file(file(1), 1000);
  std::filesystem::remove(file(2));

  const EnsembleReport report = run(config);

  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(report.written, 2);
  EXPECT_EQ(std::filesystem::last_write_time(file(0)), time_kept);
  EXPECT_TRUE(read_npy(file(1)).equal(before));
  EXPECT_TRUE(std::filesystem::exists(file(2)));
}

TEST_F(RunEnsemble, CountsFramesThatOccurTwiceOnce) {
  frames_.push_back(frames_.front());
  EXPECT_EQ(run(two_members()).written, 3);
}

TEST_F(RunEnsemble, TellsItsProgress) {
  const EnsembleConfig config = two_members();
  run(config);
  std::filesystem::remove(file(2));
  std::int64_t kept = 0;
  std::int64_t written = 0;

  run_ensemble(
      config, data_, frames_, at::Device(at::kCPU), {[&](ImageOutcome outcome, auto count) {
        (outcome == ImageOutcome::kKept ? kept : written) += count;
      }});

  EXPECT_EQ(kept, 2);
  EXPECT_EQ(written, 1);
}

TEST_F(RunEnsemble, RefusesToMixTwoEnsembles) {
  EnsembleConfig config = two_members();
  run(config);
  config.members = {member("a.ts", kNegative), folder_ / "b.ts"};
  EXPECT_THAT(fault<ConfigError>(config),
              AllOf(HasSubstr("ensemble.json"), HasSubstr("members differ")));

  write_npy(file(0), red(0));
  EXPECT_THAT(fault<ConfigError>(two_members()),
              AllOf(HasSubstr("logit_0.npy: holds Float [1, 32, 64]"), HasSubstr("[2, 32, 64]")));
}

TEST_F(RunEnsemble, RefusesAManifestThatIsNone) {
  std::filesystem::create_directories(data_.samples);
  for (const auto& [text, reason] : {std::pair{"{", "line 1"}, std::pair{"[1]", "an object"}}) {
    std::ofstream(data_.samples / "ensemble.json") << text;
    EXPECT_THAT(fault<IoError>(two_members()),
                AllOf(HasSubstr("is not the manifest"), HasSubstr(reason), HasSubstr("remove it")));
  }
}

TEST_F(RunEnsemble, LeavesMapsAloneThatNobodySaysAreItsOwn) {
  std::filesystem::create_directories(file(1).parent_path());
  std::ofstream(file(1)) << "mine";
  EXPECT_THAT(fault<IoError>(two_members()),
              AllOf(HasSubstr("logit_0.npy: is there already"), HasSubstr("ensemble.json")));
  EXPECT_EQ(std::filesystem::file_size(file(1)), 4U);
  EXPECT_FALSE(std::filesystem::exists(data_.samples / "ensemble.json"));
}

}  // namespace
}  // namespace supn
