// Members made on the spot: TorchScript modules from source text.
#pragma once

#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "message_of.hpp"

namespace supn {

class EnsembleFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("supn_ensemble_" + std::to_string(::getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A member whose forward(x) is `body`, TorchScript lines indented by two blanks.
  std::filesystem::path member(const std::string& name, const std::string& body) const {
    torch::jit::Module module("Member");
    module.define("def forward(self, x):\n" + body);
    const auto path = folder_ / name;
    module.save(path.string());
    return path;
  }

  std::filesystem::path folder_;
};

}  // namespace supn
