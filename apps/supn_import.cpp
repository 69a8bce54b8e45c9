// Shows what files of weights hold, and makes members of an ensemble of published networks.
#include <iostream>
#include <string>
#include <vector>

#include "common/run_app.hpp"
#include "import/convert.hpp"
#include "import/find_networks.hpp"
#include "import/inspect.hpp"
#include "supn/errors.hpp"

namespace supn {
namespace {

struct Arguments {
  std::vector<std::filesystem::path> paths;
  bool json = false;
  std::filesystem::path out;
  std::filesystem::path encoder;
  std::filesystem::path decoder;
  std::int64_t snapshots = 8;
  double dropout = 0.0;
  std::int64_t passes = 8;
};

void declare(CLI::App& options, Arguments& arguments) {
  options
      .add_option(
          "PATH",
          arguments.paths,
          "files (.pth, .pt, .safetensors) to show, or, with --out, folders to convert: one "
          "with encoder.pth and depth.pth, one with boot_1, boot_2, … (of each the newest "
          "weights_N), or one with weights_0, weights_1, …")
      ->always_capture_default(false);
  options.add_flag("--json", arguments.json, "show as JSON");
  options.add_option("--out", arguments.out, "convert: folder for the members (.safetensors)")
      ->type_name("DIR")
      ->always_capture_default(false);
  options.add_option("--encoder", arguments.encoder, "convert: an encoder's file of any name")
      ->type_name("FILE")
      ->always_capture_default(false);
  options.add_option("--decoder", arguments.decoder, "convert: its decoder's file")
      ->type_name("FILE")
      ->always_capture_default(false);
  options.add_option("--snapshots", arguments.snapshots, "newest weights_N to take from a folder")
      ->check(CLI::Range(1, 1000));
  options
      .add_option("--dropout",
                  arguments.dropout,
                  "probability (0.2 in public networks) of networks trained with dropout, which "
                  "stays on: each becomes several members")
      ->check(CLI::Range(0.0, 0.99));
  options.add_option("--passes", arguments.passes, "members of each network with dropout")
      ->check(CLI::Range(1, 1000));
}

int inspect(const Arguments& arguments) {
  if (arguments.paths.empty())
    throw ConfigError("give files to show, or --out and what to convert");
  std::cout << (arguments.json ? inspection_json(arguments.paths)
                               : inspection_text(arguments.paths))
            << std::flush;
  return 0;
}

std::vector<NetworkFiles> networks_of(const Arguments& arguments) {
  std::vector<NetworkFiles> networks;
  for (const auto& path : arguments.paths) {
    for (NetworkFiles& found : find_networks(path, arguments.snapshots)) {
      networks.push_back(std::move(found));
    }
  }
  if (arguments.encoder.empty() != arguments.decoder.empty()) {
    throw ConfigError("--encoder and --decoder belong together; give both");
  }
  if (!arguments.encoder.empty()) {
    networks.push_back({arguments.encoder.stem().string(), arguments.encoder, arguments.decoder});
  }
  if (networks.empty()) throw ConfigError("--out: nothing to convert; give a folder");
  return networks;
}

int convert(const Arguments& arguments) {
  const auto members = convert_networks({.networks = networks_of(arguments),
                                         .out = arguments.out,
                                         .dropout = arguments.dropout,
                                         .passes = arguments.dropout > 0.0 ? arguments.passes : 1});
  std::string list;
  for (const auto& member : members) list += (list.empty() ? "" : ", ") + member.string();
  std::cout << "ensemble:\n  members: [" << list << "]" << std::endl;
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::Arguments arguments;
  return supn::run_app(
      {.name = "supn_import",
       .summary = "Shows the tensors and values in PyTorch's .pth files (nothing in them is "
                  "executed) and in safetensors files. With --out, converts published depth "
                  "networks (ResNet18 or compact, with or without log-scales) into members that "
                  "supn_ensemble runs, and prints the lines for its configuration.",
       .example = "supn_import encoder.pth depth.pth\n"
                  "  supn_import boot_models --out members"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare(options, arguments); },
      [&](const supn::SharedOptions&) {
        return arguments.out.empty() ? supn::inspect(arguments) : supn::convert(arguments);
      });
}
