// What a run is resumed from beside tensors: progress.json of its checkpoint, and metrics.jsonl.
#include "fuzz_target.hpp"
#include "supn/training/metrics_log.hpp"
#include "training/run/run_state.hpp"

std::vector<std::string> supn::fuzz::seeds() {
  RunState state;
  state.progress = {2, 12};
  state.epoch.steps = 3;
  state.epoch.terms = {1.5, -2.0};
  state.best = BestEpoch{1, {}};
  state.best->report.images = 2;
  state.best->report.log_likelihood = {1.0, 2.0};
  state.best->report.std_ratio = SpreadRatio{0.5, 1.0, 2.0};
  state.train = SplitMark{12, "0123456789abcdef"};
  return {to_json(state),
          to_json(RunState()),
          R"({"kind":"step","epoch":1,"step":1,"stage":"warm_up","loss":1.5,"terms":[1.5]})"
          "\n"
          R"({"kind":"epoch","epoch":1,"stage":"warm_up","train":{"l1":[0.5]},"val":{"images":2}})"
          "\n"
          R"({"kind":"step","ep)"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const supn::fuzz::MemoryFolder folder;
  const std::string text(supn::fuzz::text_of(data, size));
  supn::fuzz::read_or_refuse([&] {
    const supn::RunState state = supn::run_state_from_json(text, "progress.json");
    supn::fuzz::require(state.progress.finished_steps >= 0 && state.epoch.steps >= 0,
                        "counts are not negative");
  });
  folder.write("metrics.jsonl", text);
  supn::fuzz::read_or_refuse([&] { supn::MetricsLog(folder.path(), {1, 6}); });
  return 0;
}
