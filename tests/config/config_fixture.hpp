// A folder for configuration files, and options that show every type.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "message_of.hpp"
#include "supn/errors.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Shape { kRound, kFlat };
template <>
struct OptionNames<Shape> {
  static constexpr std::array<std::pair<std::string_view, Shape>, 2> values{
      {{"round", Shape::kRound}, {"flat", Shape::kFlat}}};
};

struct InnerOptions {
  double rate = 0.1;
  Shape shape = Shape::kRound;
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("rate", self.rate, "a rate").range(0.0, 1.0));
    visit(option("shape", self.shape, "round | flat"));
  }
};

struct OuterOptions {
  bool enabled = false;
  std::int64_t count = 3;
  std::string name = "none";
  std::filesystem::path file;
  std::vector<std::int64_t> steps = {1, 2};
  std::vector<std::filesystem::path> files;
  InnerOptions inner;
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("enabled", self.enabled, "on or off"));
    visit(option("count", self.count, "how many").range(1, 10));
    visit(option("name", self.name, "a name"));
    visit(option("file", self.file, "a file"));
    visit(option("steps", self.steps, "steps").range(0, 100));
    visit(option("files", self.files, "files"));
    visit(section("inner", self.inner, "inner options"));
  }
};

struct TestOptions {
  OuterOptions outer;
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(section("outer", self.outer, "outer options"));
  }
};

class ConfigFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("supn_config_" + std::to_string(::getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

}  // namespace supn
