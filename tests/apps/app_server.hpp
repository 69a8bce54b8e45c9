// Runs an app many times for the price of loading LibTorch once: the program of this build, with
// fork_server.cpp preloaded.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/app_runner.hpp"

namespace supn {

struct ServedRun {
  AppRun run;
  long peak_kb = 0;  // of memory in use
};

class AppServer {
 public:
  explicit AppServer(const std::string& app);
  ~AppServer();
  AppServer(const AppServer&) = delete;
  AppServer& operator=(const AppServer&) = delete;

  // Throws std::runtime_error if the server has died.
  ServedRun run(const std::filesystem::path& folder,
                const std::vector<std::string>& arguments) const;

 private:
  pid_t process_ = -1;
  int requests_ = -1;
  int replies_ = -1;
};

}  // namespace supn
