// Paths as people write them, in configurations and on command lines.
#pragma once

#include <string>
#include <string_view>

namespace supn {

// Returns the text with a leading ~/ (or ~ alone) replaced by the home folder: a shell expands it
// only where it stands by itself. Throws ConfigError for what a shell would have expanded and this
// program does not, unless there is a file of that very name: $NAME, ${NAME}, ~name/.
std::string expanded_path(std::string_view text);

}  // namespace supn
