#include "common/logging.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "supn/errors.hpp"

namespace supn {
namespace {

constexpr std::array<std::string_view, 6> kLevels = {
    "trace", "debug", "info", "warn", "error", "off"};

}  // namespace

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void set_up_logging(const std::string& level) {
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    throw ConfigError("--log-level " + level + ": expected trace, debug, info, warn, error or off");
  }
  auto logger = std::make_shared<spdlog::logger>(
      "supn", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern(stderr_is_terminal() ? "\r\033[K[%H:%M:%S] %^%l%$: %v"
                                           : "[%Y-%m-%d %H:%M:%S] %l: %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace supn
