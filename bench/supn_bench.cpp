// The benchmark suite: races, table, JSON and CSV. scripts/bench.sh calls it; docs/benchmarks.md
// tells how to read what it writes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "machine.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "suite.hpp"
#include "supn_git_hash.hpp"

namespace supn::bench {
namespace {

using Section = void (*)(Suite&);

const std::vector<std::pair<std::string, Section>>& sections() {
  static const std::vector<std::pair<std::string, Section>> list{
      {"sampling", sampling_rows},
      {"likelihood", likelihood_rows},
      {"marginals", marginal_rows},
      {"conditioning", conditioning_rows},
      {"coarse_to_fine", coarse_to_fine_rows},
      {"growth", growth_curves}};
  return list;
}

struct Arguments {
  SuiteOptions suite;
  std::string out = "results/bench";
  std::string python;  // interpreter with numpy and scipy
  std::vector<std::string> only;
};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

bool wanted(const Arguments& arguments, const std::string& section) {
  const std::vector<std::string>& only = arguments.only;
  return only.empty() || std::find(only.begin(), only.end(), section) != only.end();
}

// OpenBLAS chooses its kernels by the processor's model and takes those for AVX2 where it does not
// know the model. With AVX-512 it is told which to take; the row says what it ran.
std::vector<std::string> cholmod_words() {
  const bool has_avx512 = this_machine().vector_extensions == "AVX-512";
  if (!has_avx512) return {SUPN_CHOLMOD_PEER};
  return {"env", "OPENBLAS_CORETYPE=SkylakeX", SUPN_CHOLMOD_PEER};
}

void run(Arguments arguments) {
  const std::filesystem::path out = arguments.out;
  const std::filesystem::path scratch = out / "scratch";
  std::filesystem::create_directories(scratch);
  arguments.suite.cholmod = {cholmod_words(), scratch.string()};
  arguments.suite.scipy.scratch = scratch.string();
  if (!arguments.python.empty()) {
    arguments.suite.scipy.words = {arguments.python, SUPN_SCIPY_PEER};
  }
  RunRecord record;
  record.version = std::string(SUPN_VERSION) + " " + SUPN_GIT_HASH;
  record.date = utc_now();
  record.extent = arguments.suite.extent;
  record.threads = arguments.suite.threads;
  record.machine = this_machine();
  record.load_before = load_average();
  const auto start = std::chrono::steady_clock::now();
  Suite suite(arguments.suite);
  std::cout << run_header(record, suite) << "\n" << table_header() << std::endl;
  for (const auto& [name, section] : sections()) {
    if (wanted(arguments, name)) section(suite);
  }
  record.load_after = load_average();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_json(out / "bench.json", record, suite);
  write_csv(out / "bench.csv", suite.rows());
  std::filesystem::remove_all(scratch);
  std::cout << "\n"
            << target_summary(suite.rows()) << "took " << record.seconds << " s, load average "
            << record.load_after << " after; wrote " << (out / "bench.json").string()
            << " and bench.csv" << std::endl;
}

int run_program(int argc, char** argv) {
  Arguments arguments;
  arguments.suite.threads = this_machine().cores;
  std::vector<std::string> names;
  for (const auto& [name, unused] : sections()) names.push_back(name);
  CLI::App app{"Races SUPN's Gaussian toolbox against what else can do the same."};
  app.add_flag_callback(
      "--quick",
      [&] { arguments.suite.extent = Extent::kQuick; },
      "The rows with targets only, few pairs");
  app.add_option("--out", arguments.out, "Folder for bench.json and bench.csv")
      ->capture_default_str();
  app.add_option("--threads", arguments.suite.threads, "Threads of ours and of parallel peers")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--python", arguments.python, "Python with SciPy; without: no SciPy rows");
  app.add_option("--only", arguments.only, "Sections to run")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  try {
    app.parse(argc, argv);
    run(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "supn_bench: " << error.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace supn::bench

int main(int argc, char** argv) { return supn::bench::run_program(argc, argv); }
