#include "required_split.hpp"

#include <string>

#include "supn/errors.hpp"

namespace supn {

const std::filesystem::path& required_split_file(const DataConfig& config, Split split) {
  const std::filesystem::path& file = split_file(config, split);
  if (!file.empty()) return file;
  const std::string key = "data." + std::string(option_name(split)) + "_split";
  throw ConfigError(key + ": expected the list of images; add --set " + key + "=FILE");
}

}  // namespace supn
