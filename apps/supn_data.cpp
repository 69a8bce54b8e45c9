// Makes and checks data sets.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "common/run_app.hpp"
#include "data/check.hpp"
#include "data/synth.hpp"

int main(int argc, char** argv) {
  supn::SynthArguments synth;
  supn::CheckArguments check;
  const CLI::App* synth_command = nullptr;
  return supn::run_app(
      {.name = "supn_data",
       .summary = "Makes and checks data sets.",
       .example = "supn_data synth --out road --seed 1 --train 192 --val 16 --test 24\n"
                  "  supn_data check --config configs/kitti.yaml"},
      {argc, argv},
      [&](CLI::App& options) {
        options.require_subcommand(1);
        CLI::App* command = options.add_subcommand(
            "synth",
            "writes a procedural road world with exact depth, and an ensemble drawn from a known "
            "structured Gaussian, in KITTI's raw layout");
        supn::declare_synth(*command, synth);
        synth_command = command;
        supn::declare_check(
            *options.add_subcommand(
                "check", "reads every file of the splits, reports each fault with its remedy"),
            check);
      },
      [&](const supn::SharedOptions&) {
        return synth_command->parsed() ? supn::synthesize(synth) : supn::check_data(check);
      });
}
