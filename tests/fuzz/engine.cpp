// Where libFuzzer is not at hand: mutates inputs and keeps those that reach new edges of the code,
// which g++ -fsanitize-coverage=trace-pc reports. The flags are libFuzzer's.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "mutation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
// Of the sanitizers; called before they end the program.
extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr std::size_t kEdges = 1U << 16U;
constexpr unsigned kLongestRunSeconds = 25;

std::uint8_t edge_counts[kEdges];
std::uintptr_t previous_place = 0;

}  // namespace

// Called at every branch of the code under test, first of all before AddressSanitizer is set up.
extern "C" __attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uint8_t& count = edge_counts[(place ^ previous_place) % kEdges];
  if (count < 255) ++count;
  previous_place = place >> 1;
}

namespace {

struct Flags {
  double seconds = 0.0;  // 0 = no limit
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::size_t longest = 4096;
  std::size_t rss_limit_mb = 2048;
  std::filesystem::path artifacts = "crash";
  std::vector<std::filesystem::path> inputs;
};

const std::string* current_input = nullptr;
const Flags* current_flags = nullptr;

void keep_current_input() {
  if (current_input == nullptr) return;
  std::ofstream(current_flags->artifacts, std::ios::binary) << *current_input;
  std::fprintf(stderr, "the input is kept in %s\n", current_flags->artifacts.c_str());
  current_input = nullptr;
}

void on_signal(int signal) {
  std::fprintf(stderr, signal == SIGALRM ? "an input takes too long\n" : "aborted\n");
  keep_current_input();
  std::_Exit(70);
}

bool take_flag(std::string_view argument, std::string_view name, std::string& value) {
  if (!argument.starts_with(name) || argument.substr(name.size(), 1) != "=") return false;
  value = argument.substr(name.size() + 1);
  return true;
}

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    std::string value;
    if (take_flag(argv[i], "-max_total_time", value))
      flags.seconds = std::stod(value);
    else if (take_flag(argv[i], "-runs", value))
      flags.runs = std::stoull(value);
    else if (take_flag(argv[i], "-seed", value))
      flags.seed = std::stoull(value);
    else if (take_flag(argv[i], "-max_len", value))
      flags.longest = std::stoull(value);
    else if (take_flag(argv[i], "-rss_limit_mb", value))
      flags.rss_limit_mb = std::stoull(value);
    else if (take_flag(argv[i], "-artifact_prefix", value))
      flags.artifacts = value + "crash";
    else if (argv[i][0] != '-')
      flags.inputs.emplace_back(argv[i]);
  }
  return flags;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t peak_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

class Fuzzer {
 public:
  explicit Fuzzer(const Flags& flags) : flags_(flags), mutator_(flags.seed) {}

  void add_inputs() {
    for (const auto& input : flags_.inputs) {
      if (!std::filesystem::is_directory(input)) {
        corpus_.push_back(read(input));
        continue;
      }
      for (const auto& entry : std::filesystem::directory_iterator(input)) {
        corpus_.push_back(read(entry.path()));
      }
    }
    if (corpus_.empty()) corpus_.emplace_back();
    std::sort(corpus_.begin(), corpus_.end());
    for (const std::string& input : corpus_) run(input);
  }

  int mutate_until_the_end() {
    const auto start = std::chrono::steady_clock::now();
    double elapsed = 0.0;
    while ((flags_.runs == 0 || runs_ < flags_.runs) &&
           (flags_.seconds == 0.0 || elapsed < flags_.seconds)) {
      const std::string& base = corpus_[mutator_.below(corpus_.size())];
      const std::string& other = corpus_[mutator_.below(corpus_.size())];
      std::string input = mutator_.mutate(base, other, flags_.longest);
      if (run(input)) corpus_.push_back(std::move(input));
      elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (runs_ % 1024 == 0 && peak_mb() > flags_.rss_limit_mb) {
        std::fprintf(stderr, "more than %zu MB of memory are in use\n", flags_.rss_limit_mb);
        return 1;
      }
    }
    std::printf(
        "%llu executions in %.1f s, seed %llu, %zu edges and counts, %zu inputs kept, peak "
        "%zu MB\n",
        static_cast<unsigned long long>(runs_),
        elapsed,
        static_cast<unsigned long long>(flags_.seed),
        edges_seen_,
        corpus_.size(),
        peak_mb());
    return 0;
  }

 private:
  // Whether the input reached an edge that was not reached before, or another number of times (by
  // powers of two).
  bool run(const std::string& input) {
    current_input = &input;
    ::alarm(kLongestRunSeconds);
    std::memset(edge_counts, 0, sizeof edge_counts);
    previous_place = 0;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    current_input = nullptr;
    ++runs_;
    bool is_new = false;
    for (std::size_t i = 0; i < kEdges; i += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &edge_counts[i], sizeof eight);
      if (eight == 0) continue;
      for (std::size_t j = i; j < i + sizeof eight; ++j) is_new = note(j) || is_new;
    }
    return is_new;
  }

  bool note(std::size_t edge) {
    if (edge_counts[edge] == 0) return false;
    const auto bit =
        static_cast<std::uint8_t>(1U << (std::bit_width(unsigned{edge_counts[edge]}) - 1U));
    if ((seen_[edge] & bit) != 0) return false;
    seen_[edge] = static_cast<std::uint8_t>(seen_[edge] | bit);
    ++edges_seen_;
    return true;
  }

  const Flags& flags_;
  supn::fuzz::Mutator mutator_;
  std::vector<std::string> corpus_;
  std::array<std::uint8_t, kEdges> seen_{};
  std::size_t edges_seen_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  const Flags flags = parse_flags(argc, argv);
  current_flags = &flags;
  __sanitizer_set_death_callback(keep_current_input);
  std::signal(SIGABRT, on_signal);
  std::signal(SIGALRM, on_signal);
  Fuzzer fuzzer(flags);
  fuzzer.add_inputs();
  const bool only_given = flags.seconds == 0.0 && flags.runs == 0;
  return only_given ? 0 : fuzzer.mutate_until_the_end();
}
