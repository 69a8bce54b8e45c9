#include "apps/app_runner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "serialization/temporary_folder.hpp"

namespace supn {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace

void AppTest::SetUp() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "_" + info->name();
  std::replace(name.begin(), name.end(), '/', '_');
  folder_ = std::filesystem::temp_directory_path() /
            ("supn_app_" + std::to_string(::getpid()) + "_" + name);
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

void AppTest::TearDown() { std::filesystem::remove_all(folder_); }

AppRun AppTest::run_app_program(const std::string& name,
                                const std::vector<std::string>& arguments) const {
  // Beside the folder, so that files() shows only what the app made.
  const std::string out = folder_.string() + ".out";
  const std::string err = folder_.string() + ".err";
  std::string command = "cd " + quoted(folder_.string()) + " && " +
                        quoted(std::string(SUPN_BINARY_DIR "/bin/") + name);
  if (std::find(arguments.begin(), arguments.end(), "--log-level") == arguments.end()) {
    command += " --log-level off";
  }
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(out) + " 2>" + quoted(err) + " </dev/null";

  const int status = std::system(command.c_str());
  AppRun run;
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = test::read_bytes(out);
  run.err = test::read_bytes(err);
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return run;
}

void AppTest::synthesise(const std::string& size, int train, int val, int test) const {
  std::vector<std::string> arguments = {"synth", "--out", "road", "--members", "3", "--size", size};
  arguments.insert(arguments.end(), {"--train", std::to_string(train)});
  arguments.insert(arguments.end(), {"--val", std::to_string(val)});
  arguments.insert(arguments.end(), {"--test", std::to_string(test)});
  const AppRun synth = run_app_program("supn_data", arguments);
  ASSERT_EQ(synth.code, 0) << synth.err;
}

std::filesystem::path AppTest::write(const std::string& name, const std::string& text) const {
  const auto path = folder_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<std::string> AppTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    names.push_back(std::filesystem::relative(entry.path(), folder_).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void expect_user_error(const AppRun& run, const std::string& part) {
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_THAT(run.err, ::testing::HasSubstr(part));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

}  // namespace supn
