#include "supn/evaluation/tables/split_result.hpp"

#include "supn/serialization/atomic_file.hpp"

namespace supn {

void check_split_result(const OutputGuard& guard, const std::filesystem::path& folder) {
  for (const char* name : {"table.txt",
                           "table.csv",
                           "table.json",
                           "table.tex",
                           "per_image.csv",
                           "intervals.csv",
                           "differences.csv",
                           "curves.csv"}) {
    guard.check_file(folder / name);
  }
}

void write_split_result(const SplitResult& result, const std::filesystem::path& folder) {
  write_file_atomically(folder / "table.txt", text_table(result.table));
  write_file_atomically(folder / "table.csv", csv_table(result.table));
  write_file_atomically(folder / "table.json", json_table(result.table));
  write_file_atomically(folder / "table.tex", latex_table(result.table));
  write_file_atomically(folder / "per_image.csv", result.per_image_csv);
  for (const auto& [name, content] : result.further_files) {
    write_file_atomically(folder / name, content);
  }
}

}  // namespace supn
