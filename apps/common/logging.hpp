// Log messages go to stderr, through spdlog's default logger: spdlog::info(...), spdlog::warn(...).
// An app's results (tables, --print-config) go to stdout, so that they can be piped.
#pragma once

#include <string>

namespace supn {

// level: trace, debug, info, warn, error or off; anything else is a ConfigError. Clears the line of
// a progress bar before each message where stderr is a terminal.
void set_up_logging(const std::string& level);

bool stderr_is_terminal();

}  // namespace supn
