// An app that runs beside the test: to be watched, interrupted and killed.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/app_runner.hpp"

namespace supn {

class AppProcess {
 public:
  // Starts the program of this build in `folder`. `prepare` is called in the new process first; it
  // may only make system calls (limits, signals).
  AppProcess(
      const std::filesystem::path& folder,
      const std::string& name,
      std::vector<std::string> arguments,
      const std::function<void()>& prepare = [] {});
  // Kills it if it still runs.
  ~AppProcess();
  AppProcess(const AppProcess&) = delete;
  AppProcess& operator=(const AppProcess&) = delete;

  bool is_running();
  void send(int signal) const;
  // Waits for its end.
  AppRun finish();
  pid_t id() const { return process_; }

 private:
  std::string out_;
  std::string err_;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// Polls every half millisecond until the condition holds or the process has ended; whether it held.
bool wait_until(AppProcess& process, const std::function<bool()>& condition);

}  // namespace supn
