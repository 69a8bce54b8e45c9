// Writes a trained network as TorchScript, and checks it against the network itself.
#include <ATen/ops/rand.h>
#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "common/calibration_option.hpp"
#include "common/run_app.hpp"
#include "supn/errors.hpp"
#include "supn/network/checkpoint.hpp"
#include "supn/network/temperature.hpp"
#include "supn/network/torch_script.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

constexpr double kTolerance = 1e-5;
// Sums over the image, and chains of dependent pixels, in another order than the library's.
constexpr double kMethodTolerance = 1e-3;

struct Arguments {
  std::filesystem::path checkpoint;
  CalibrationRule calibration;
  std::filesystem::path out;
};

void declare(CLI::App& options, Arguments& arguments) {
  options.add_option("--checkpoint", arguments.checkpoint, "folder of the trained network")
      ->type_name("DIR")
      ->required()
      ->always_capture_default(false);
  declare_calibration_option(options, arguments.calibration);
  options.add_option("--out", arguments.out, "TorchScript file to write")
      ->type_name("FILE.pt")
      ->required()
      ->always_capture_default(false);
}

struct Differences {
  double maps = 0.0;
  double methods = 0.0;
};

// Compares at the size it was trained at, and with two images at another: sizes must have stayed
// free, that of the image in raster order alone.
Differences largest_differences(const std::string& archive,
                                LoadedNetwork& loaded,
                                double temperature) {
  const ImageSize& size = loaded.input_size;
  const std::int64_t multiple = loaded.network->size_multiple();
  const bool is_free = loaded.network->config().order == PixelOrder::kRaster;
  const ImageSize other = is_free ? ImageSize{3 * multiple, 2 * multiple} : size;
  Differences largest;
  for (const at::Tensor& image :
       {at::rand({1, 3, size.height, size.width}), at::rand({2, 3, other.height, other.width})}) {
    SupnNetworkImpl& network = *loaded.network;
    largest.maps =
        std::max(largest.maps, torch_script_difference(archive, network, image, temperature));
    largest.methods = std::max(
        largest.methods, torch_script_method_difference(archive, network, image, temperature));
  }
  return largest;
}

int run(const Arguments& arguments) {
  OutputGuard guard;
  for (const std::string_view name : kCheckpointFiles) guard.reads(arguments.checkpoint / name);
  guard.check_file(arguments.out);
  LoadedNetwork loaded = load_network(arguments.checkpoint);
  const AppliedTemperature temperature =
      choose_temperature(arguments.checkpoint, arguments.calibration);
  const std::string archive = torch_script_of(*loaded.network, loaded.input_size, temperature);
  const Differences differences = largest_differences(archive, loaded, temperature.fit.value);
  if (!(differences.maps <= kTolerance && differences.methods <= kMethodTolerance)) {
    throw ConfigError(
        fmt::format("{}: the TorchScript differs from the network by {:.3g} in its maps (at most "
                    "{:g} is allowed) "
                    "and {:.3g} in densities and samples (at most {:g}), so it was not written; "
                    "does the network "
                    "give infinities?",
                    arguments.checkpoint.string(),
                    differences.maps,
                    kTolerance,
                    differences.methods,
                    kMethodTolerance));
  }
  write_file_atomically(arguments.out, archive);
  std::cout << fmt::format(
      "{}: {} bytes; calibration: {}; largest difference from the network {:.3g}, of densities and "
      "samples {:.3g}\n",
      arguments.out.string(),
      archive.size(),
      temperature.text(),
      differences.maps,
      differences.methods);
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::Arguments arguments;
  return supn::run_app(
      {.name = "supn_export",
       .summary =
           "Writes a trained network as TorchScript: forward(image [B,3,H,W] in [0,1]) gives mean, "
           "log-diagonal and off-diagonal maps of the finest scale, in logits of disparity; any B, "
           "in raster order any H and W that the network takes, from coarse to fine the size it "
           "was trained at. Methods: gaussian(image), the same as forward, log_prob(image, d), "
           "cropped(image), from coarse to fine also sample(image, count, seeds). What it computes "
           "is compared with the network before it is written: a relative difference of the maps "
           "above 1e-5 is an error. Always on the CPU.",
       .example = "supn_export --checkpoint runs/kitti/best --out supn.pt"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare(options, arguments); },
      [&](const supn::SharedOptions&) { return supn::run(arguments); });
}
