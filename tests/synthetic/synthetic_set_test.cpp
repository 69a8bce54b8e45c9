#include "supn/synthetic/synthetic_set.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "io/temporary_folder.hpp"
#include "supn/data/dataset.hpp"
#include "supn/evaluation/fields/convolved_field.hpp"
#include "supn/evaluation/scores/image_scores.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class WriteSyntheticSet : public TemporaryFolder {
 protected:
  static SyntheticSetOptions small() {
    return {.seed = 9, .train = 2, .val = 1, .test = 1, .size = {32, 96}, .members = 3};
  }
  static std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      files[fs::relative(entry.path(), folder).string()] = bytes_of(entry.path());
    }
    return files;
  }
};

TEST_F(WriteSyntheticSet, IsReadAsADataset) {
  write_synthetic_set(folder_, small(), [] {});

  const KittiDataset train(synthetic_data_config(folder_, {32, 96}),
                           Split::kTrain,
                           {.scales = 3, .depth = Presence::kRequired});
  const Example example = train.example(1, Augmentation());

  EXPECT_EQ(train.size(), 2);
  EXPECT_EQ(train.members(), 3);
  EXPECT_EQ(example.image.sizes(), at::IntArrayRef({3, 32, 96}));
  EXPECT_EQ(example.predictions[0].sizes(), at::IntArrayRef({3, 32, 96}));
  EXPECT_EQ(example.predictions[2].sizes(), at::IntArrayRef({3, 8, 24}));
  EXPECT_EQ(example.depth_m.sizes(), at::IntArrayRef({32, 96}));
}

// A loop that is compiled without OpenMP would be serial, without a word.
TEST_F(WriteSyntheticSet, SharesItsImagesOutToTheThreads) {
  const int before = at::get_num_threads();
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    std::set<std::thread::id> seen;
    write_synthetic_set(folder_, small(), [&] { seen.insert(std::this_thread::get_id()); });
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(threads));
  }
  at::set_num_threads(before);
}

TEST_F(WriteSyntheticSet, StoresTheFactorThatTheMembersAreDrawnFrom) {
  SyntheticSetOptions options = small();
  options.members = 16;
  const SyntheticSetReport report = write_synthetic_set(folder_, options, [] {});

  const KittiDataset test(synthetic_data_config(folder_, {32, 96}), Split::kTest, {.scales = 1});
  const SafetensorsFile file = read_safetensors(truth_path(folder_ / "truth", test.frame(0)));
  const StructuredGaussian truth(file.tensors.at("mean"),
                                 file.tensors.at("log_diagonal"),
                                 file.tensors.at("off_diagonal"),
                                 Neighbourhood(2));
  const at::Tensor members = test.example(0, Augmentation()).predictions[0];
  const at::Tensor z = whiten(truth.to(at::kDouble), members.unsqueeze(0).to(at::kDouble));

  // 16·32·96 standard normals: their mean square has a standard error of 0.0064.
  EXPECT_NEAR((z * z).mean().item<double>(), 1.0, 0.03);
  EXPECT_NEAR(z.mean().item<double>(), 0.0, 0.02);
  EXPECT_EQ(file.metadata.at("radius"), "2");
  const double optimum =
      truth.log_diagonal().mean().item<double>() - 0.5 * (1.0 + std::log(2.0 * 3.14159265358979));
  ASSERT_TRUE(report.log_prob_per_pixel.has_value());
  EXPECT_NEAR(*report.log_prob_per_pixel, optimum, 0.5);
  EXPECT_GT(*report.log_prob_per_pixel, 1.0);
}

TEST_F(WriteSyntheticSet, StoresTheKernelThatTheMembersAreDrawnFrom) {
  SyntheticSetOptions options = small();
  options.field = SyntheticField::kKernel;
  options.size = {16, 48};
  options.members = 40;
  const SyntheticSetReport report = write_synthetic_set(folder_, options, [] {});

  const KittiDataset test(synthetic_data_config(folder_, {16, 48}), Split::kTest, {.scales = 1});
  const SafetensorsFile file = read_safetensors(truth_path(folder_ / "truth", test.frame(0)));
  const ConvolvedField truth(
      file.tensors.at("mean"),
      {file.tensors.at("std"), file.tensors.at("range"), file.tensors.at("feature")},
      std::stod(file.metadata.at("nugget")));
  const at::Tensor members = test.example(0, Augmentation()).predictions[0].to(at::kDouble);
  const at::Tensor deviations = (members - truth.mean()).transpose(1, 2).flatten(1);
  const at::Tensor z = at::linalg_solve_triangular(truth.dense_root(), deviations.t(), false);

  // 40·16·48 standard normals: their mean square has a standard error of 0.008.
  EXPECT_NEAR(z.square().mean().item<double>(), 1.0, 0.03);
  EXPECT_TRUE(report.log_prob_per_pixel.has_value());
}

TEST_F(WriteSyntheticSet, HasNoOptimumWhereTheKernelHasNoDensity) {
  SyntheticSetOptions options = small();
  options.field = SyntheticField::kKernel;
  options.size = {64, 160};
  options.members = 1;

  EXPECT_FALSE(write_synthetic_set(folder_, options, [] {}).log_prob_per_pixel.has_value());
}

// Mean and lower end of an interval of twice the standard error.
double surely(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean - 2.0 * std::sqrt(squares / (count - 1.0) / count);
}

// The members' shared error is large where they differ: the truth knows more than chance and than
// distance, in every space, and the best of its samples is nearer than its mean.
TEST_F(WriteSyntheticSet, MakesAnEnsembleThatIsUnsureWhereItErrs) {
  const SyntheticSetOptions options{
      .seed = 1, .train = 0, .val = 0, .test = 16, .size = {48, 160}, .members = 2};
  write_synthetic_set(folder_, options, [] {});
  const KittiDataset test(synthetic_data_config(folder_, options.size),
                          Split::kTest,
                          {.scales = 1, .depth = Presence::kRequired});
  std::vector<double> sigmoid;
  std::vector<double> beyond_distance_in_logits;
  std::vector<double> beyond_distance_in_depth;
  std::vector<double> gain_of_the_best;
  double abs_rel = 0.0;
  for (std::int64_t i = 0; i < test.size(); ++i) {
    const SafetensorsFile file = read_safetensors(truth_path(folder_ / "truth", test.frame(i)));
    const StructuredGaussian truth(file.tensors.at("mean"),
                                   file.tensors.at("log_diagonal"),
                                   file.tensors.at("off_diagonal"),
                                   Neighbourhood(2));
    const ImageScores scores = score_gaussian(
        truth,
        {.truth = ground_truth(test.example(i, Augmentation()).depth_m, AccuracyProtocol::kEigen)},
        {});
    sigmoid.push_back(scores.spaces->sigmoid.abs_rel.aurg);
    const double distance = scores.spaces->distance.abs_rel.aurg;
    beyond_distance_in_logits.push_back(scores.spaces->logit.abs_rel.aurg - distance);
    beyond_distance_in_depth.push_back(scores.spaces->depth.abs_rel.aurg - distance);
    gain_of_the_best.push_back(scores.mean->abs_rel - scores.best->abs_rel);
    abs_rel += scores.mean->abs_rel / static_cast<double>(test.size());
  }

  EXPECT_GT(surely(sigmoid), 0.0);
  EXPECT_GT(surely(beyond_distance_in_logits), 0.0);
  EXPECT_GT(surely(beyond_distance_in_depth), 0.0);
  EXPECT_GT(surely(gain_of_the_best), 0.0);
  EXPECT_GT(abs_rel, 0.05);
  EXPECT_LT(abs_rel, 0.14);
}

TEST_F(WriteSyntheticSet, StoresTruthForValidationAndTestOnly) {
  write_synthetic_set(folder_, small(), [] {});

  const auto files = contents(folder_ / "truth");

  EXPECT_EQ(files.size(), 2U);
  EXPECT_FALSE(fs::exists(folder_ / "truth/2000_01_01/2000_01_01_drive_0001_sync"));
}

TEST_F(WriteSyntheticSet, WritesTheSameBytesWithAnyNumberOfThreadsAndImages) {
  const int threads = at::get_num_threads();
  SyntheticSetOptions more = small();
  more.train = 3;
  at::set_num_threads(1);
  write_synthetic_set(folder_ / "one", small(), [] {});
  at::set_num_threads(3);
  write_synthetic_set(folder_ / "three", more, [] {});
  at::set_num_threads(threads);

  const auto one = contents(folder_ / "one");
  const auto three = contents(folder_ / "three");

  EXPECT_GT(one.size(), 15U);
  for (const auto& [name, bytes] : one) {
    if (name == "splits/train_files.txt") continue;
    ASSERT_TRUE(three.contains(name)) << name;
    EXPECT_TRUE(three.at(name) == bytes) << name;
  }
}

TEST_F(WriteSyntheticSet, WritesLargerImagesOfTheSameScenes) {
  SyntheticSetOptions options = small();
  write_synthetic_set(folder_ / "plain", options, [] {});
  options.image_factor = 2;
  write_synthetic_set(folder_ / "large", options, [] {});

  const KittiDataset large(synthetic_data_config(folder_ / "large", {32, 96}),
                           Split::kVal,
                           {.scales = 1, .depth = Presence::kRequired});

  EXPECT_EQ(large.example(0, Augmentation()).depth_m.sizes(), at::IntArrayRef({64, 192}));
  EXPECT_TRUE(contents(folder_ / "plain/samples") == contents(folder_ / "large/samples"));
  EXPECT_TRUE(contents(folder_ / "plain/truth") == contents(folder_ / "large/truth"));
}

TEST_F(WriteSyntheticSet, LeavesNoSplitsWhenItIsStopped) {
  write_synthetic_set(folder_, small(), [] {});

  EXPECT_THROW(write_synthetic_set(folder_, small(), [] { throw std::runtime_error("stopped"); }),
               std::runtime_error);

  EXPECT_FALSE(fs::exists(folder_ / "splits/train_files.txt"));
}

TEST_F(WriteSyntheticSet, RefusesASetWithoutImages) {
  SyntheticSetOptions options = small();
  options.train = options.val = options.test = 0;

  EXPECT_THROW(write_synthetic_set(folder_, options, [] {}), c10::Error);
}

}  // namespace
}  // namespace supn
