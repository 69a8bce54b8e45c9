#include "common/split_options.hpp"

#include <algorithm>

#include "supn/errors.hpp"

namespace supn {

std::vector<std::string> all_split_names() {
  std::vector<std::string> names;
  for (const auto& [name, split] : OptionNames<Split>::values) names.emplace_back(name);
  return names;
}

void declare_split_option(CLI::App& options, std::string& name, const std::string& doc) {
  options.add_option("--split", name, doc)->check(CLI::IsMember(all_split_names()));
}

Split split_named(std::string_view name) {
  for (const auto& [known, split] : OptionNames<Split>::values) {
    if (known == name) return split;
  }
  throw ConfigError("--split: expected train, val, test or sequence, got " + std::string(name));
}

void declare_splits_option(CLI::App& options, std::vector<std::string>& names) {
  options
      .add_option(
          "--split",
          names,
          "train, val, test, sequence; may be repeated. Without it: all that are configured")
      ->take_all()
      ->allow_extra_args(false)
      ->check(CLI::IsMember(all_split_names()));
}

std::vector<Split> configured_splits(const DataConfig& data,
                                     const std::vector<std::string>& names) {
  std::vector<Split> splits;
  for (const auto& [name, split] : OptionNames<Split>::values) {
    const bool asked = std::find(names.begin(), names.end(), name) != names.end();
    if (asked && !split_file(data, split).empty()) splits.push_back(split);
  }
  if (splits.empty()) {
    throw ConfigError(
        "data: none of the splits asked for is set; set data.train_split, val_split, test_split or "
        "sequence_split");
  }
  return splits;
}

}  // namespace supn
