#include "apps/app_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "apps/app_process.hpp"
#ifdef SUPN_FORK_SERVER
#include "apps/app_server.hpp"
#endif

namespace supn {
namespace {

#ifdef SUPN_FORK_SERVER
// Loading an app takes longer than most calls: each is loaded once for each environment.
const AppServer& server_of(const std::string& name) {
  std::string environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment += std::string(*variable) + '\n';
  }
  static std::map<std::pair<std::string, std::string>, AppServer> servers;
  return servers.try_emplace({name, environment}, name).first->second;
}
#endif

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

AppRun AppTest::run_app_program(const std::string& name, std::vector<std::string> arguments) const {
  if (std::find(arguments.begin(), arguments.end(), "--log-level") == arguments.end()) {
    arguments.insert(arguments.begin(), {"--log-level", "off"});
  }
#ifdef SUPN_FORK_SERVER
  return server_of(name).run(folder_, arguments).run;
#else
  return AppProcess(folder_, name, arguments).finish();
#endif
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
