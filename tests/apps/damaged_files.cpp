#include "apps/damaged_files.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "apps/app_server.hpp"
#include "fuzz/mutation.hpp"

namespace supn {
namespace {

namespace fs = std::filesystem;

constexpr long kMostMemoryKb = 1'500'000;

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoll(text);
}

std::vector<std::string> all_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path name = fs::relative(entry.path(), folder);
    // Their names hold time and process.
    const bool is_event_file = name.filename().string().starts_with("events.");
    names.push_back((is_event_file ? name.parent_path() / "events" : name).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Empty if the run is as it must be, else what is wrong.
std::string fault_of(const ServedRun& served, const Damaged& damaged) {
  const AppRun& run = served.run;
  if (run.code > 1) return "exit code " + std::to_string(run.code);
  if (served.peak_kb > kMostMemoryKb) return "too much memory";
  if (run.code == 0) return "";
  if (run.out.ends_with(" faults\n")) return "";  // supn_data check lists them
  const auto is_printable = [](char c) { return static_cast<unsigned char>(c) >= 0x20; };
  const bool one_line =
      run.err.ends_with('\n') && std::all_of(run.err.begin(), run.err.end() - 1, is_printable);
  if (!one_line || run.err.size() > 2000) return "no message of one printable line";
  const bool named =
      std::any_of(damaged.named_by.begin(), damaged.named_by.end(), [&](const std::string& name) {
        return run.err.find(name) != std::string::npos;
      });
  return named ? "" : "the message does not name the file";
}

std::string mutant_of(const std::string& valid, std::size_t head, fuzz::Mutator& mutator) {
  const std::string damaged = valid.substr(0, head);
  const std::string tail = valid.substr(damaged.size());
  return mutator.mutate(damaged, valid, damaged.size() + 4096) + tail;
}

void fresh_copy(const fs::path& folder, const fs::path& place) {
  fs::remove_all(place);
  fs::copy(folder, place, fs::copy_options::recursive);
}

}  // namespace

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

void DamagedFilesTest::SetUp() {
  GaussianAppTest::SetUp();
  good_ = folder_ / "good";
  fs::create_directories(good_);
  fs::rename(folder_ / "g.safetensors", good_ / "g.safetensors");
}

void DamagedFilesTest::damage(const Damaged& damaged) const {
  const AppServer server(damaged.app);
  std::vector<std::string> arguments = damaged.arguments;
  arguments.insert(arguments.end(), {"--device", "cpu", "--threads", "1", "--log-level", "off"});
  const fs::path place = folder_ / "run";
  fresh_copy(good_, place);
  const ServedRun undamaged = server.run(place, arguments);
  ASSERT_EQ(undamaged.run.code, 0) << undamaged.run.err;
  const std::vector<std::string> inputs = all_below(good_);
  const std::vector<std::string> whole = all_below(place);
  const std::string valid = content_of(good_ / damaged.file);
  fuzz::Mutator mutator(static_cast<std::uint64_t>(number_from("SUPN_SEED", 1)));
  std::map<std::string, int> faults;
  std::int64_t refused = 0;
  const std::int64_t mutants = number_from("SUPN_MUTANTS", 8);
  for (std::int64_t i = 0; i < mutants; ++i) {
    fresh_copy(good_, place);
    const std::string bytes = mutant_of(valid, damaged.head, mutator);
    put(place / damaged.file, bytes);
    const ServedRun served = server.run(place, arguments);
    refused += served.run.code == 1 ? 1 : 0;
    std::string fault = fault_of(served, damaged);
    if (fault.empty() && all_below(place) != (served.run.code == 0 ? whole : inputs)) {
      fault = served.run.code == 0 ? "output that is not whole" : "partial output";
    }
    if (fault.empty()) continue;
    const fs::path kept = fs::temp_directory_path() / ("supn_hostile_" + std::to_string(i) + "_" +
                                                       fs::path(damaged.file).filename().string());
    if (++faults[fault] == 1) put(kept, bytes);
    ADD_FAILURE() << damaged.file << " " << i << ": " << fault << " (" << kept << ")\n"
                  << served.run.err;
  }
  std::cout << damaged.file << ": " << mutants << " mutants, " << refused << " refused, "
            << mutants - refused << " read\n";
}

}  // namespace supn
