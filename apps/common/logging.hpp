// Log messages go to stderr, through spdlog's default logger: spdlog::info(...), spdlog::warn(...).
// What an app produces (tables, --print-config) goes to stdout, so that it can be piped.
#pragma once

#include <string>

namespace supn {

// level: trace, debug, info, warn, error or off; anything else is a ConfigError. Clears the line of
// a progress bar before each message where stderr is a terminal.
void set_up_logging(const std::string& level);

bool stderr_is_terminal();

}  // namespace supn
