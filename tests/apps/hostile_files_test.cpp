// Damaged files of every format, through the apps that read them: exit code 1, one line that names
// the file, nothing written; or, where the damage does no harm, all that an undamaged file gives.
//
// SUPN_MUTANTS files a format (8 by default), a function of SUPN_SEED; scripts/fuzz.sh apps.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <opencv2/imgcodecs.hpp>

#include "apps/app_server.hpp"
#include "apps/gaussian_app_test.hpp"
#include "fuzz/mutation.hpp"
#include "supn/io/depth_png.hpp"
#include "supn/io/image.hpp"
#include "supn/network/checkpoint.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr long kMostMemoryKb = 1'500'000;

struct Damaged {
  std::string file;  // below the folder
  std::string app;
  std::vector<std::string> arguments;
  std::vector<std::string> named_by;  // the message holds one of these
};

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoll(text);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

class HostileFiles : public GaussianAppTest {
 protected:
  // Valid files of all formats in good/; each run gets a copy.
  void SetUp() override {
    GaussianAppTest::SetUp();
    good_ = folder_ / "good";
    fs::create_directories(good_);
    fs::rename(folder_ / "g.safetensors", good_ / "g.safetensors");
  }

  void damage(const Damaged& damaged);

  std::vector<std::string> all_below(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path name = fs::relative(entry.path(), folder);
      // Their names hold time and process.
      const bool is_event_file = name.filename().string().starts_with("events.");
      names.push_back((is_event_file ? name.parent_path() / "events" : name).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void make_checkpoint() const {
    at::manual_seed(3);
    const SupnNetwork network(NetworkConfig{.backbone = Backbone::kCompact});
    save_checkpoint(good_ / "net", {network, {32, 64}, {}, "", ""});
    write_png(good_ / "image.png", at::arange(32 * 64 * 3).view({32, 64, 3}).to(at::kByte));
  }
  void make_road() const {
    synthesise("64x32", 2, 1, 0);
    fs::rename(folder_ / "road", good_ / "road");
    put(good_ / "a.yaml", kConfig);
  }
  void make_calibration() const {
    put(good_ / "calib/calib_cam_to_cam.txt",
        "S_rect_02: 16 12\nR_rect_00: 1 0 0 0 1 0 0 0 1\nP_rect_02: 10 0 8 0 0 10 6 0 0 0 1 0\n");
    put(good_ / "calib/calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n");
    const std::vector<float> points{4, 0, 0, 0.5F, 5, 1, 1, 0, -1, 0, 0, 0};
    std::string bytes(points.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), points.data(), bytes.size());
    put(good_ / "scan.bin", bytes);
  }

  // With the points of one source.
  Damaged conditioned(const std::string& file, std::vector<std::string> source) const {
    std::vector<std::string> arguments{"--gaussian", "g.safetensors", "--scale", "fixed:5.4"};
    arguments.insert(arguments.end(), {"--samples", "1", "--out", "o"});
    arguments.insert(arguments.end(), source.begin(), source.end());
    return {file, "supn_condition", arguments, {fs::path(file).filename().string()}};
  }
  Damaged sampled(const std::string& file, const std::string& image) const {
    return {file,
            "supn_sample",
            {"--checkpoint", "net", "--image", image, "--count", "1", "--out", "o"},
            {fs::path(file).filename().string(), "net"}};
  }
  Damaged resumed(const std::string& file) const {
    return {file,
            "supn_train",
            {"--config", "a.yaml", "--resume"},
            {"last", "metrics.jsonl", "resume with"}};
  }

  static constexpr const char* kConfig =
      "data:\n  root: road\n  samples: road/samples\n"
      "  train_split: road/splits/train_files.txt\n  val_split: road/splits/val_files.txt\n"
      "  height: 32\n  width: 64\n  workers: 1\n"
      "network:\n  backbone: compact\n"
      "ensemble:\n  members: [a.ts]\n"
      "training:\n  epochs: 1\n  batch_size: 2\n  output: run\n";

  fs::path good_;
};

// Empty if the run is as it must be, else what is wrong.
std::string fault_of(const ServedRun& served, const Damaged& damaged) {
  const AppRun& run = served.run;
  if (run.code > 1) return "exit code " + std::to_string(run.code);
  if (served.peak_kb > kMostMemoryKb) return "too much memory";
  if (run.code == 0) return "";
  if (run.out.ends_with(" faults\n")) return "";  // supn_data check lists them
  const auto is_printable = [](char c) { return static_cast<unsigned char>(c) >= 0x20; };
  const bool one_line =
      run.err.ends_with('\n') && std::all_of(run.err.begin(), run.err.end() - 1, is_printable);
  if (!one_line || run.err.size() > 2000) return "no message of one printable line";
  const bool named =
      std::any_of(damaged.named_by.begin(), damaged.named_by.end(), [&](const std::string& name) {
        return run.err.find(name) != std::string::npos;
      });
  return named ? "" : "the message does not name the file";
}

void HostileFiles::damage(const Damaged& damaged) {
  const AppServer server(damaged.app);
  std::vector<std::string> arguments = damaged.arguments;
  arguments.insert(arguments.end(), {"--device", "cpu", "--threads", "1", "--log-level", "off"});
  const fs::path place = folder_ / "run";
  fs::copy(good_, place, fs::copy_options::recursive);
  const ServedRun undamaged = server.run(place, arguments);
  ASSERT_EQ(undamaged.run.code, 0) << undamaged.run.err;
  const std::vector<std::string> inputs = all_below(good_);
  const std::vector<std::string> whole = all_below(place);
  const std::string valid = bytes_of(good_ / damaged.file);
  fuzz::Mutator mutator(static_cast<std::uint64_t>(number_from("SUPN_SEED", 1)));
  std::map<std::string, int> faults;
  std::int64_t refused = 0;
  const std::int64_t mutants = number_from("SUPN_MUTANTS", 8);
  for (std::int64_t i = 0; i < mutants; ++i) {
    fs::remove_all(place);
    fs::copy(good_, place, fs::copy_options::recursive);
    const std::string bytes = mutator.mutate(valid, valid, valid.size() + 4096);
    put(place / damaged.file, bytes);
    const ServedRun served = server.run(place, arguments);
    refused += served.run.code == 1 ? 1 : 0;
    std::string fault = fault_of(served, damaged);
    if (fault.empty() && all_below(place) != (served.run.code == 0 ? whole : inputs)) {
      fault = served.run.code == 0 ? "output that is not whole" : "partial output";
    }
    if (fault.empty()) continue;
    const fs::path kept = fs::temp_directory_path() / ("supn_hostile_" + std::to_string(i) + "_" +
                                                       fs::path(damaged.file).filename().string());
    if (++faults[fault] == 1) put(kept, bytes);
    ADD_FAILURE() << damaged.file << " " << i << ": " << fault << " (" << kept << ")\n"
                  << served.run.err;
  }
  std::cout << damaged.file << ": " << mutants << " mutants, " << refused << " refused, "
            << mutants - refused << " read\n";
}

TEST_F(HostileFiles, Points) {
  put(good_ / "points.csv", "x,y,depth_m\n3,2,4\n10,7,5.5\n");
  damage(conditioned("points.csv", {"--known", "points.csv"}));
}

TEST_F(HostileFiles, Gaussian) {
  put(good_ / "points.csv", "x,y,depth_m\n3,2,4\n");
  damage(conditioned("g.safetensors", {"--known", "points.csv"}));
}

TEST_F(HostileFiles, LidarScan) {
  make_calibration();
  damage(conditioned("scan.bin", {"--lidar", "scan.bin", "--calibration", "calib"}));
}

TEST_F(HostileFiles, Calibration) {
  make_calibration();
  for (const std::string file : {"calib/calib_cam_to_cam.txt", "calib/calib_velo_to_cam.txt"}) {
    Damaged damaged = conditioned(file, {"--lidar", "scan.bin", "--calibration", "calib"});
    damaged.named_by.push_back("--calibration");  // with which no point is in the image
    damage(damaged);
    fs::remove_all(folder_ / "run");
  }
}

TEST_F(HostileFiles, DepthPng) {
  write_depth_png(good_ / "depth.png", at::full({12, 16}, 4.0));
  damage(conditioned("depth.png", {"--depth", "depth.png"}));
}

TEST_F(HostileFiles, Array) {
  write_npy(good_ / "w.npy", at::full({kHeight, kWidth}, 0.5));
  damage({"w.npy",
          "supn_covariance",
          {"--gaussian", "g.safetensors", "--functional", "w.npy", "--out", "o"},
          {"w.npy"}});
}

TEST_F(HostileFiles, PngImage) {
  make_checkpoint();
  damage(sampled("image.png", "image.png"));
}

TEST_F(HostileFiles, JpegImage) {
  make_checkpoint();
  cv::imwrite((good_ / "image.jpg").string(), cv::imread((good_ / "image.png").string()));
  damage(sampled("image.jpg", "image.jpg"));
}

TEST_F(HostileFiles, Weights) {
  make_checkpoint();
  damage(sampled("net/model.safetensors", "image.png"));
}

TEST_F(HostileFiles, NetworkDescription) {
  make_checkpoint();
  damage(sampled("net/network.json", "image.png"));
}

TEST_F(HostileFiles, Split) {
  make_road();
  damage({"road/splits/train_files.txt",
          "supn_data",
          {"check", "--config", "a.yaml", "--quick"},
          {"train_files.txt"}});
}

TEST_F(HostileFiles, Configuration) {
  put(good_ / "a.yaml", kConfig);
  damage({"a.yaml", "supn_train", {"--config", "a.yaml", "--print-config"}, {"a.yaml"}});
}

TEST_F(HostileFiles, Manifest) {
  make_road();
  torch::jit::Module module("Member");
  module.define("def forward(self, x):\n  return x.mean(1, True) * 0.5 + 0.25\n");
  module.save((good_ / "a.ts").string());
  fs::remove_all(good_ / "road/samples");
  fs::copy(good_, folder_ / "run", fs::copy_options::recursive);
  const AppServer server("supn_ensemble");
  const AppRun made = server.run(folder_ / "run", {"--config", "a.yaml"}).run;
  ASSERT_EQ(made.code, 0) << made.err;
  fs::remove_all(good_);
  fs::rename(folder_ / "run", good_);
  damage(
      {"road/samples/ensemble.json", "supn_ensemble", {"--config", "a.yaml"}, {"ensemble.json"}});
}

TEST_F(HostileFiles, ResumedRun) {
  make_road();
  fs::copy(good_, folder_ / "run", fs::copy_options::recursive);
  const AppServer server("supn_train");
  const AppRun made = server.run(folder_ / "run", {"--config", "a.yaml", "--device", "cpu"}).run;
  ASSERT_EQ(made.code, 0) << made.err;
  fs::remove_all(good_);
  fs::rename(folder_ / "run", good_);
  for (const std::string file :
       {"run/last/progress.json", "run/last/optimizer.safetensors", "run/metrics.jsonl"}) {
    damage(resumed(file));
    fs::remove_all(folder_ / "run");
  }
}

}  // namespace
}  // namespace supn
