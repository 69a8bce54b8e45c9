// An evaluation over the images of a split gives a table and the scores of every image.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "supn/evaluation/tables/table.hpp"
#include "supn/serialization/output_guard.hpp"

namespace supn {

struct SplitResult {
  Table table;
  std::string per_image_csv;
  std::vector<std::pair<std::string, std::string>> further_files = {};  // name, content
};

// Throws IoError if one of the files below would replace an input.
void check_split_result(const OutputGuard& guard, const std::filesystem::path& folder);

// table.txt, table.csv, table.json, table.tex, per_image.csv and the further files, each written
// aside and renamed.
// Throws IoError for what cannot be written.
void write_split_result(const SplitResult& result, const std::filesystem::path& folder);

}  // namespace supn
