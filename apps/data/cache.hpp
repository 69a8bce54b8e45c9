// supn_data cache: the images of a configuration's splits, decoded and resized once.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "common/config_options.hpp"
#include "common/run_app.hpp"
#include "common/split_options.hpp"

namespace supn {

struct CacheArguments {
  ConfigArguments config;
  std::vector<std::string> splits = all_split_names();
  bool need_only = false;
};

void declare_cache(CLI::App& options, CacheArguments& arguments);
// The need on stdout, then the work, in as many threads as `shared` has.
int cache_images(const CacheArguments& arguments, const SharedOptions& shared);

}  // namespace supn
