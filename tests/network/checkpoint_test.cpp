#include "supn/network/checkpoint.hpp"

#include <ATen/Context.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/safetensors.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() {
    at::manual_seed(4);
    network_ = SupnNetwork(NetworkConfig{.backbone = Backbone::kCompact,
                                         .neighbourhood_radius = 1,
                                         .off_diagonal = OffDiagonalForm::kRelative});
    fs::remove_all(folder_);
  }
  ~Checkpoint() override { fs::remove_all(folder_); }

  void save() {
    save_checkpoint(
        directory_,
        {network_, {32, 64}, {{"a.exp_avg", at::rand({3})}}, "{\"epoch\": 2}", "x: 1\n"});
  }

  std::string load_error() {
    try {
      load_network(directory_);
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_ =
      fs::temp_directory_path() / ("supn_checkpoint_test_" + std::to_string(::getpid()));
  fs::path directory_ = folder_ / "last";
  SupnNetwork network_{nullptr};
};

TEST_F(Checkpoint, GivesTheSameNetworkBack) {
  const at::NoGradGuard no_grad;
  save();

  LoadedNetwork loaded = load_network(directory_);

  EXPECT_EQ(loaded.input_size, (ImageSize{32, 64}));
  EXPECT_EQ(loaded.network->config(), network_->config());
  network_->eval();
  const at::Tensor image = at::rand({1, 3, 32, 64});
  EXPECT_TRUE(loaded.network->forward(image)[0].off_diagonal().equal(
      network_->forward(image)[0].off_diagonal()));
}

TEST_F(Checkpoint, KeepsTheOrderAndItsStart) {
  network_ = SupnNetwork(
      NetworkConfig{.backbone = Backbone::kCompact,
                    .order = PixelOrder::kCoarseToFine,
                    .classes = 3,
                    .neighbours = 20,
                    .start = {.std = 0.3, .length = 0.2, .smoothness = Smoothness::kFiveHalves}});
  save();

  EXPECT_EQ(load_network(directory_).network->config(), network_->config());
}

// As written before there was another order than raster.
TEST_F(Checkpoint, WithoutAnOrderIsOfRasterOrder) {
  save();
  std::string text = read_file(directory_ / "network.json", 1 << 16);
  const auto erase = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = text.find(from);
    ASSERT_NE(begin, std::string::npos) << text;
    text.erase(begin, text.find(to, begin) - begin);
  };
  erase("\"order\"", "\"neighbourhood_radius\"");
  erase("\"classes\"", "\"input_height\"");
  write_file_atomically(directory_ / "network.json", text);

  EXPECT_EQ(load_network(directory_).network->config(), network_->config());
}

TEST_F(Checkpoint, KeepsTheOptionalParts) {
  save();
  const CheckpointParts parts = load_checkpoint(directory_);
  EXPECT_EQ(parts.optimizer.at("a.exp_avg").numel(), 3);
  EXPECT_EQ(parts.progress, "{\"epoch\": 2}");
  EXPECT_EQ(parts.config, "x: 1\n");
}

TEST_F(Checkpoint, ReplacesAnOlderOne) {
  save();
  save_checkpoint(directory_, {network_, {48, 64}, {}, "", ""});
  EXPECT_EQ(load_checkpoint(directory_).size, (ImageSize{48, 64}));
  EXPECT_TRUE(load_checkpoint(directory_).optimizer.empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "leftovers";
}

TEST_F(Checkpoint, SurvivesAnInterruptionBetweenTheTwoRenames) {
  save();
  fs::rename(directory_, folder_ / ".last.replaced");
  EXPECT_EQ(load_network(directory_).input_size, (ImageSize{32, 64}));
}

TEST_F(Checkpoint, NamesTheForeignArchitecture) {
  save();
  const SupnNetwork other(NetworkConfig{.backbone = Backbone::kCompact, .neighbourhood_radius = 2});
  write_safetensors(directory_ / "model.safetensors", {state_of(*other), {}});
  EXPECT_NE(load_error().find("another shape for supn.block.0.gamma"), std::string::npos)
      << load_error();
}

TEST_F(Checkpoint, NamesWhatIsMissing) {
  EXPECT_NE(load_error().find("not a checkpoint directory"), std::string::npos) << load_error();
  save();
  fs::remove(directory_ / "model.safetensors");
  EXPECT_NE(load_error().find("no such file"), std::string::npos) << load_error();
}

TEST_F(Checkpoint, SuggestsTheCheckpointOfARunOrOfAFile) {
  const auto fault_of = [](const fs::path& path) -> std::string {
    try {
      load_network(path);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  save();  // last/
  EXPECT_NE(fault_of(folder_).find("did you mean " + (folder_ / "last").string() + "?"),
            std::string::npos)
      << fault_of(folder_);
  fs::copy(directory_, folder_ / "best");
  EXPECT_NE(fault_of(folder_).find("did you mean " + (folder_ / "best").string() + "?"),
            std::string::npos);
  EXPECT_NE(fault_of(directory_ / "model.safetensors").find("did you mean " + directory_.string()),
            std::string::npos);
  EXPECT_EQ(fault_of(folder_ / "none").find("did you mean"), std::string::npos);
}

TEST_F(Checkpoint, RefusesADamagedDescription) {
  for (const char* text : {" ",
                           "{}",
                           "[1]",
                           "{\"format_version\": 99}",
                           "{\"format_version\": 1, \"backbone\": \"vgg\"}"}) {
    save();
    write_file_atomically(directory_ / "network.json", text);
    EXPECT_NE(load_error().find("does not describe a network"), std::string::npos) << text;
  }
}

TEST_F(Checkpoint, RefusesAnInputSizeBeyondAnyImage) {
  save();
  std::string text = read_file(directory_ / "network.json", 1000);
  text.replace(text.find("\"input_height\": 32"), 18, "\"input_height\": 4611686018427387904");
  write_file_atomically(directory_ / "network.json", text);
  EXPECT_NE(load_error().find("input_height: expected a whole number in 0 ... 16384"),
            std::string::npos)
      << load_error();
}

TEST_F(Checkpoint, LeavesNothingWhenItCannotBeWritten) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(save_checkpoint(folder_ / "file" / "last", {network_, {32, 64}, {}, "", ""}),
               IoError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace supn
