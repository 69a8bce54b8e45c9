// Makes, checks and describes data sets.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/run_app.hpp"
#include "data/cache.hpp"
#include "data/check.hpp"
#include "data/speed.hpp"
#include "data/stats.hpp"
#include "data/synth.hpp"

int main(int argc, char** argv) {
  supn::SynthArguments synth;
  supn::CacheArguments cache;
  supn::CheckArguments check;
  supn::SpeedArguments speed;
  supn::StatsArguments stats;
  const CLI::App* synth_command = nullptr;
  const CLI::App* cache_command = nullptr;
  const CLI::App* check_command = nullptr;
  const CLI::App* speed_command = nullptr;
  return supn::run_app(
      {.name = "supn_data",
       .summary = "Makes, checks and describes data sets.",
       .example = "supn_data synth --out road --seed 1 --train 192 --val 16 --test 24\n"
                  "  supn_data check --config configs/kitti.yaml\n"
                  "  supn_data stats --config configs/kitti.yaml --split train"},
      {argc, argv},
      [&](CLI::App& options) {
        options.require_subcommand(1);
        CLI::App* command = options.add_subcommand(
            "synth",
            "writes a procedural road world with exact depth, and an ensemble drawn from a known "
            "structured Gaussian, in KITTI's raw layout");
        supn::declare_synth(*command, synth);
        synth_command = command;
        command = options.add_subcommand(
            "check", "reads every file of the splits, reports each fault with its remedy");
        supn::declare_check(*command, check);
        check_command = command;
        command = options.add_subcommand(
            "cache",
            "decodes and resizes the splits' images once, into data.cache, which training then "
            "reads instead: the same bytes in less than half the time; goes on where it was "
            "interrupted");
        supn::declare_cache(*command, cache);
        cache_command = command;
        command = options.add_subcommand(
            "speed", "measures how many images a second training could load from the train split");
        supn::declare_speed(*command, speed);
        speed_command = command;
        supn::declare_stats(
            *options.add_subcommand("stats",
                                    "prints the members' spread, a histogram of the true depth and "
                                    "the disk use of the splits"),
            stats);
      },
      [&](const supn::SharedOptions& shared) {
        if (synth_command->parsed()) return supn::synthesize(synth);
        if (cache_command->parsed()) return supn::cache_images(cache, shared);
        if (check_command->parsed()) return supn::check_data(check, shared);
        if (speed_command->parsed()) return supn::loading_speed(speed);
        return supn::data_statistics(stats, shared);
      });
}
