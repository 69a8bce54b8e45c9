// run_app() is the frame of every app's main: command line, shared flags, exit codes.
//
//   int main(int argc, char** argv) {
//     Arguments arguments;
//     return supn::run_app(
//         {.name = "supn_x", .summary = "Does x.", .example = "supn_x --config a.yaml"}, {argc,
//         argv},
//         [&](CLI::App& options) { declare(options, arguments); },
//         [&](const supn::SharedOptions& shared) { return run(arguments, shared); });
//   }
//
// Exit codes: what the body returns (0, or 1 where it reported and skipped bad inputs), and
//   1    a user's error (IoError, ConfigError, a bad flag, a full disk): ONE line on stderr
//   2    a bug (anything else): one line and how to get the details
//   130  interrupted by Ctrl-C, 143 by SIGTERM (once: at the next progress step, so that nothing is
//        left half-written; twice: at once)
#pragma once

#include <c10/core/Device.h>

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace supn {

struct AppDescription {
  std::string name;
  std::string summary;
  std::string example;  // shown at the end of --help
};

struct CommandLine {
  int argc;
  const char* const* argv;
};

// The flags that every app has, already acted upon when the body runs: --threads and --log-level
// are set, --device is resolved and known to exist.
struct SharedOptions {
  c10::Device device = c10::Device(c10::kCPU);
  std::int64_t threads = 1;
};

// Adds the app's own options. Shared flags are there already: --device, --threads, --log-level,
// --version; all of them are also understood after a subcommand.
using DeclareOptions = std::function<void(CLI::App&)>;
using AppBody = std::function<int(const SharedOptions&)>;

int run_app(const AppDescription& description,
            CommandLine line,
            const DeclareOptions& declare,
            const AppBody& body);

// Thrown by Progress::advance and throw_if_interrupted after an interrupt. What it says is printed.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& message = "interrupted") : std::runtime_error(message) {}
};

// Long work without a Progress calls this.
void throw_if_interrupted();

}  // namespace supn
