// Shows an image's Gaussian in a web browser.
#include <spdlog/spdlog.h>

#include <iostream>
#include <optional>

#include "common/config_options.hpp"
#include "common/interrupt.hpp"
#include "common/memory_reuse.hpp"
#include "common/run_app.hpp"
#include "inference/gaussian_source.hpp"
#include "inference/quantity.hpp"
#include "view/browser.hpp"
#include "view/gallery.hpp"
#include "view/options.hpp"
#include "view/server.hpp"
#include "view/session.hpp"

namespace supn {
namespace {

int run(const ViewArguments& arguments, const SharedOptions& shared) {
  std::optional<Config> config;
  if (!arguments.config.file.empty()) {
    config = load_app_config(arguments.config);
    if (!config) return 0;
    require_usual_depths(config->evaluation);
  }
  check_view_arguments(arguments);
  keep_freed_memory();
  GaussianSource source(arguments.source, shared.device);
  source.require_logits("supn_view");
  const Gallery gallery(arguments, config, source);
  Session session(source, gallery, arguments);
  ViewServer server([&](const Question& question) { return session.answer(question); },
                    arguments.port);
  std::cout << server.address() << std::endl;
  spdlog::info("open this address in a browser on this machine; Ctrl-C ends");
  if (arguments.browser == Browser::kOpen) open_browser(server.address());
  server.run(interrupt_requested);
  return 0;
}

}  // namespace
}  // namespace supn

int main(int argc, char** argv) {
  supn::ViewArguments arguments;
  return supn::run_app(
      {.name = "supn_view",
       .summary =
           "Shows an image's Gaussian in a web browser: mean, std and samples, correlations of "
           "a pixel, regions, and what measured depths change, all exact and as they are "
           "asked for. Serves this machine alone.",
       .example = "supn_view --checkpoint runs/kitti/best --image photo.jpg --scale 5.4"},
      {argc, argv},
      [&](CLI::App& options) { supn::declare_view_options(options, arguments); },
      [&](const supn::SharedOptions& shared) { return supn::run(arguments, shared); });
}
