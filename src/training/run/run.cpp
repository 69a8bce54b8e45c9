#include "supn/training/run.hpp"

#include "training/run/run_directory.hpp"
#include "training/run/run_loop.hpp"
#include "training/run/run_start.hpp"

namespace supn {
namespace {

// The first process has made the directory's state whole before the others look at it.
StartingPoint starting_point(const TrainingRun& run, const RunDirectory& directory) {
  if (!run.processes->is_first()) run.processes->barrier();
  StartingPoint start =
      run.start == RunStart::kResume ? resumed_start(run, directory) : fresh_start(run, directory);
  if (run.processes->is_first()) run.processes->barrier();
  start.network->to(run.device);
  run.processes->broadcast(start.network->parameters());
  run.processes->broadcast(start.network->buffers());
  return start;
}

}  // namespace

TrainingResult run_training(const TrainingRun& run, TrainingObserver& observer) {
  const RunDirectory directory(run.training.output);
  check_input_size(run.network.backbone, run.data.size());
  return RunLoop(run, observer, starting_point(run, directory)).execute();
}

}  // namespace supn
