#include "supn/comparison/read_truth.hpp"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "data/small_set.hpp"
#include "message_of.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

class ReadTruth : public SmallSet {
 protected:
  void SetUp() override {
    SmallSet::SetUp();
    config_.truth = folder_ / "truth";
  }
  void write_truth(const std::map<std::string, at::Tensor>& tensors,
                   const std::map<std::string, std::string>& metadata = {}) const {
    const auto path = truth_path(config_.truth, frames_[0]);
    std::filesystem::create_directories(path.parent_path());
    write_safetensors(path, {tensors, metadata});
  }
  std::string refusal() const {
    return message_of<IoError>([&] { read_truth(config_, frames_[0]); });
  }
  static at::Tensor maps(std::int64_t count) { return at::full({count, kHeight, kWidth}, 0.5); }
};

TEST_F(ReadTruth, ReadsAFactorOfAnyRadius) {
  write_truth({{"mean", maps(1)}, {"log_diagonal", maps(1)}, {"off_diagonal", maps(12)}});
  const TrueGaussian truth = read_truth(config_, frames_[0]);
  EXPECT_EQ(std::get<StructuredGaussian>(truth).neighbourhood().radius(), 2);
}

TEST_F(ReadTruth, RefusesMapsThatAreNoFactor) {
  write_truth({{"mean", maps(1)}, {"log_diagonal", maps(1)}, {"off_diagonal", maps(5)}});
  EXPECT_THAT(refusal(), HasSubstr("has 5 maps, which is not 2r(r+1)"));
  write_truth({{"mean", maps(1)}});
  EXPECT_THAT(refusal(), HasSubstr("no tensor \"off_diagonal\""));
  config_.height = 16;
  write_truth({{"off_diagonal", maps(4)}});
  EXPECT_THAT(refusal(), HasSubstr("is not of the size 16x16"));
}

TEST_F(ReadTruth, ReadsSmoothedNoise) {
  const std::map<std::string, at::Tensor> tensors{
      {"mean", maps(1)}, {"std", maps(1)}, {"range", maps(1)}, {"feature", maps(1)}};
  write_truth(tensors, {{"nugget", "0.1"}});
  const TrueGaussian truth = read_truth(config_, frames_[0]);
  EXPECT_NEAR(std::get<std::unique_ptr<ConvolvedField>>(truth)->variance()[0][0].item<double>(),
              0.25,
              1e-12);
  write_truth(tensors, {{"nugget", "1.5"}});
  EXPECT_THAT(refusal(), HasSubstr("\"nugget\" is not a number within (0, 1)"));
}

}  // namespace
}  // namespace supn
