#include "supn/training/run.hpp"

#include <utility>

#include "run_directory.hpp"
#include "run_loop.hpp"
#include "run_start.hpp"

namespace supn {

TrainingResult run_training(const TrainingRun& run, TrainingObserver& observer) {
  const RunDirectory directory(run.training.output);
  check_input_size(run.network.backbone, run.data.size());
  StartingPoint start =
      run.start == RunStart::kResume ? resumed_start(run, directory) : fresh_start(run, directory);
  start.network->to(run.device);
  return RunLoop(run, observer, std::move(start)).execute();
}

}  // namespace supn
