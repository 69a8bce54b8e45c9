// Runs an app as a user does: as a program, in a folder of its own.
//
//   using SupnEval = AppTest;
//   TEST_F(SupnEval, NamesTheMissingFile) {
//     const AppRun run = run_app_program("supn_eval", {"--checkpoint", "none"});
//     expect_user_error(run, "none: not found");
//   }
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace supn {

struct AppRun {
  int code = -1;    // exit code, 128 + signal if it was killed
  std::string out;  // stdout
  std::string err;  // stderr
};

class AppTest : public ::testing::Test {
 protected:
  // Makes folder_, empty, which is also the apps' current folder.
  void SetUp() override;
  void TearDown() override;

  // The program of this build, with its log off unless the arguments say otherwise. A process of
  // its own, which need not load the program anew (app_server.hpp); AppProcess always does.
  AppRun run_app_program(const std::string& name, std::vector<std::string> arguments) const;

  // A synthetic set of three members in road/.
  void synthesise(const std::string& size, int train, int val, int test) const;

  std::filesystem::path write(const std::string& name, const std::string& text) const;
  // Every file and folder below folder_, relative and sorted: to see that nothing was left.
  std::vector<std::string> files() const;

  std::filesystem::path folder_;
};

// Exit code 1, and one line on stderr that holds `part`.
void expect_user_error(const AppRun& run, const std::string& part);

}  // namespace supn
