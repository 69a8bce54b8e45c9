#include "supn/ensemble/run_ensemble.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "ensemble/ensemble_fixture.hpp"
#include "supn/errors.hpp"
#include "supn/io/image.hpp"
#include "supn/network/member_network.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRed = "  return x[:, 0:1]\n";
const std::string kNegative = "  return -x[:, 0:1]\n";

// A set of three images of 32×64 in the KITTI layout.
class RunEnsemble : public EnsembleFiles {
 protected:
  void SetUp() override {
    EnsembleFiles::SetUp();
    data_.root = folder_ / "kitti";
    data_.samples = folder_ / "samples";
    data_.height = 32;
    data_.width = 64;
    std::ofstream split(folder_ / "split.txt");
    for (int i = 0; i < 3; ++i) {
      split << "2011_09_26/2011_09_26_drive_0001_sync " << i << " l\n";
    }
    split.close();
    frames_ = read_split(folder_ / "split.txt");
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const auto folder = data_.root / frames_[i].drive / "image_02" / "data";
      std::filesystem::create_directories(folder);
      const std::string name = "000000000" + std::to_string(i) + ".png";
      write_png(folder / name, pixels(static_cast<std::int64_t>(i)));
    }
  }

  static at::Tensor pixels(std::int64_t image) {
    return (at::arange(32 * 64 * 3).view({32, 64, 3}) * (image + 3)).remainder(251).to(at::kByte);
  }
  // What a member sees of the first channel: [1,32,64].
  static at::Tensor red(std::int64_t image) {
    return pixels(image).select(2, 0).to(at::kFloat).div(255.0).unsqueeze(0);
  }

  EnsembleConfig two_members() const {
    EnsembleConfig config;
    config.members = {member("a.ts", kRed), member("b.ts", kNegative)};
    return config;
  }
  EnsembleReport run(const EnsembleConfig& config) const {
    return run_ensemble(config, data_, frames_, at::Device(at::kCPU), {[](ImageOutcome, auto) {}});
  }
  std::filesystem::path file(std::size_t frame, const std::string& name = "logit_0.npy") const {
    return data_.samples / frames_[frame].id() / name;
  }
  template <class Error>
  std::string fault(const EnsembleConfig& config) const {
    return message_of<Error>([&] { run(config); });
  }

  DataConfig data_;
  std::vector<Frame> frames_;
};

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

TEST_F(RunEnsemble, LeavesMapsAloneThatNobodySaysAreItsOwn) {
  std::filesystem::create_directories(file(1).parent_path());
  std::ofstream(file(1)) << "mine";
  EXPECT_THAT(fault<IoError>(two_members()),
              AllOf(HasSubstr("logit_0.npy: is there already"), HasSubstr("ensemble.json")));
  EXPECT_EQ(std::filesystem::file_size(file(1)), 4U);
  EXPECT_FALSE(std::filesystem::exists(data_.samples / "ensemble.json"));
}

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
