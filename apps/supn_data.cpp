// Makes, checks and describes data sets.
#include <functional>
#include <utility>

#include "common/run_app.hpp"
#include "data/cache.hpp"
#include "data/check.hpp"
#include "data/speed.hpp"
#include "data/stats.hpp"
#include "data/synth.hpp"

namespace supn {
namespace {

struct Commands {
  SynthArguments synth;
  CheckArguments check;
  CacheArguments cache;
  SpeedArguments speed;
  StatsArguments stats;
};

// Adds the subcommands; each leaves in `chosen` what it does.
using Chosen = std::function<int(const SharedOptions&)>;
void declare(CLI::App& options, Commands& commands, Chosen& chosen) {
  options.require_subcommand(1);
  const auto add = [&](const char* name, const char* summary, Chosen run) {
    CLI::App* command = options.add_subcommand(name, summary);
    command->callback([&chosen, run = std::move(run)] { chosen = run; });
    return command;
  };
  declare_synth(*add("synth",
                     "writes a procedural road world with exact depth, and an ensemble drawn from "
                     "a known structured Gaussian, in KITTI's raw layout",
                     [&](const SharedOptions&) { return synthesize(commands.synth); }),
                commands.synth);
  declare_check(
      *add("check",
           "reads every file of the splits, reports each fault with its remedy",
           [&](const SharedOptions& shared) { return check_data(commands.check, shared); }),
      commands.check);
  declare_cache(
      *add(
          "cache",
          "decodes and resizes the splits' images once, into data.cache, which training then reads "
          "instead: the same bytes in less than half the time; goes on where it was interrupted",
          [&](const SharedOptions& shared) { return cache_images(commands.cache, shared); }),
      commands.cache);
  declare_speed(*add("speed",
                     "measures how many images a second training could load from the train split",
                     [&](const SharedOptions&) { return loading_speed(commands.speed); }),
                commands.speed);
  declare_stats(
      *add("stats",
           "prints the members' spread, a histogram of the true depth and the disk use of the "
           "splits",
           [&](const SharedOptions& shared) { return data_statistics(commands.stats, shared); }),
      commands.stats);
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::Commands commands;
  supn::Chosen chosen;
  return supn::run_app(
      {.name = "supn_data",
       .summary = "Makes, checks and describes data sets.",
       .example = "supn_data synth --out road --seed 1 --train 192 --val 16 --test 24\n"
                  "  supn_data check --config configs/kitti.yaml\n"
                  "  supn_data stats --config configs/kitti.yaml --split train"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare(options, commands, chosen); },
      [&](const supn::SharedOptions& shared) { return chosen(shared); });
}
