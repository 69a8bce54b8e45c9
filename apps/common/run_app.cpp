#include "common/run_app.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "common/device.hpp"
#include "common/interrupt.hpp"
#include "common/logging.hpp"
#include "common/number_check.hpp"
#include "common/teardown.hpp"
#include "common/version.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/user_path.hpp"

namespace supn {
namespace {

constexpr int kUserError = 1;
constexpr int kBug = 2;

struct SharedFlags {
  std::string device = "auto";
  std::int64_t threads = 0;
  std::string log_level = "info";
};

void declare_shared(CLI::App& options, SharedFlags& flags, const AppDescription& description) {
  options.option_defaults()->always_capture_default();
  options.fallthrough();
  options.set_version_flag("--version", version_text(description.name))
      ->description("print version, git commit, LibTorch version and CUDA, do nothing");
  options.footer("Example:\n  " + description.example);
  const char* group = "Options of every app";
  options.add_option("--device", flags.device, "auto, cpu, cuda or cuda:<index>")->group(group);
  options.add_option("--threads", flags.threads, "threads to compute with; 0 = one per core")
      ->check(CLI::Range(0, 4096))
      ->group(group);
  options
      .add_option(
          "--log-level", flags.log_level, "trace, debug, info, warn, error or off; on stderr")
      ->group(group);
}

SharedOptions apply(const SharedFlags& flags) {
  set_up_logging(flags.log_level);
  SharedOptions shared;
  shared.device = resolve_device(flags.device);
  // Otherwise LibTorch would round a GPU's convolutions to ten bits: float32 is what is asked for,
  // but for the steps of training.precision tf32.
  at::globalContext().setAllowTF32CuDNN(false);
  if (flags.threads > 0) at::set_num_threads(static_cast<int>(flags.threads));
  shared.threads = at::get_num_threads();
  return shared;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// One line on stderr, whatever the message holds: scripts and people read it as a whole.
int report(const std::string& app, const std::string& message, int code) {
  std::string line = message;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::cerr << (stderr_is_terminal() ? "\r\033[K" : "") << app << ": " << visible(line)
            << std::endl;
  return code;
}

int report_bug(const std::string& app, const std::string& summary, const std::string& details) {
  spdlog::debug("{}", details);
  return report(app,
                "internal error, please report it with the command and " + version_text(app) +
                    " (--log-level debug shows details): " + summary,
                kBug);
}

// Whatever opens a file would else get the number of a standard stream that is closed, and what the
// program prints would go into that file. Standard output stays one that can't be written to.
void keep_standard_streams_apart() {
  constexpr std::array<int, 3> kModes{O_RDONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened =
        ::open("/dev/null", kModes[static_cast<std::size_t>(stream)]);
  }
}

// Has the last word of a program that printed: a full disk or a closed output has lost what it
// said.
int flushed(const std::string& app, int code) {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0) return code;
  return report(
      app,
      "standard output cannot be written (is its disk full, or is it closed?); send it to "
      "a place that takes it",
      code == 0 ? kUserError : code);
}

// NAME=PATH, too.
std::string expanded_argument(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals > text.find('/')) return expanded_path(text);
  return text.substr(0, equals + 1) + expanded_path(text.substr(equals + 1));
}

// Leading ~/ in any option's value, as --out=~/x, which no shell expands. --set has keys that are
// paths, and reads them itself.
void expand_paths(CLI::App& options) {
  for (CLI::Option* option : options.get_options()) {
    if (option->check_name("--set") || option->get_items_expected_max() == 0) continue;
    option->transform([](const std::string& text) { return expanded_argument(text); });
  }
  for (CLI::App* command : options.get_subcommands({})) expand_paths(*command);
}

// A handler calls this, which rethrows what is in flight to tell its kind.
int report_current_exception(const std::string& app) {
  try {
    throw;
  } catch (const Interrupted& interrupted) {
    return report(app, interrupted.what(), interrupt_exit_code());
  } catch (const ConfigError& error) {
    return report(app, error.what(), kUserError);
  } catch (const IoError& error) {
    return report(app, error.what(), kUserError);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(app, error.what(), kUserError);
  } catch (const std::bad_alloc&) {
    return report(app, "out of memory: use smaller batches or images", kUserError);
  } catch (const c10::OutOfMemoryError& error) {
    return report(app,
                  "out of memory: use smaller batches or images, or --device cpu: " +
                      first_line(error.what_without_backtrace()),
                  kUserError);
  } catch (const c10::Error& error) {
    return report_bug(app, first_line(error.what_without_backtrace()), error.what());
  } catch (const std::exception& error) {
    return report_bug(app, first_line(error.what()), error.what());
  } catch (...) {
    return report_bug(app, "unknown exception", "");
  }
}

}  // namespace

int run_app(const AppDescription& description,
            CommandLine line,
            const DeclareOptions& declare,
            const AppBody& body) {
  keep_standard_streams_apart();
  skip_teardown_at_exit();
  try {
    CLI::App options(description.summary, description.name);
    SharedFlags flags;
    declare_shared(options, flags, description);
    declare(options);
    expand_paths(options);
    check_numbers(options);
    try {
      options.parse(line.argc, line.argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {  // --help, --version
        return flushed(description.name, options.exit(error));
      }
      return report(description.name,
                    std::string(error.what()) + " (see " + description.name + " --help)",
                    kUserError);
    }
    catch_interrupts();
    return flushed(description.name, body(apply(flags)));
  } catch (...) {
    return report_current_exception(description.name);
  }
}

}  // namespace supn
