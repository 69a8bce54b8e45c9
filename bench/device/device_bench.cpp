// Training, inference and sampling on a GPU (or, to try the program, on the CPU), for
// scripts/cuda_check.sh. Needs LibTorch alone.
//
//   supn_device_bench --device cuda|cpu --size full|half|small --out FILE [--twin DIR] [--part training]
//
// Prints a line a row and writes all of them to FILE, a JSON object. --twin names the folder that
// eager_step.py reads. full: 16 images of 640x192 a step, 1000 samples; half: 2 images and 64 samples,
// for a CPU; small: to see that all of it runs.
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "rows.hpp"
#include "supn/serialization/json.hpp"

namespace supn::bench {
namespace {

using Arguments = std::map<std::string, std::string>;

Arguments parsed(int argc, char** argv) {
  Arguments arguments{
      {"--device", "cuda"}, {"--size", "full"}, {"--out", ""}, {"--twin", ""}, {"--part", "all"}};
  for (int i = 1; i < argc; i += 2) {
    const auto known = arguments.find(argv[i]);
    if (known == arguments.end() || i + 1 == argc) {
      throw std::runtime_error(std::string(argv[i]) +
                               ": expected --device cuda|cpu, --size full|half|small, --out FILE, "
                               "--twin DIR, --part all|training|inference|sampling, each with a "
                               "value");
    }
    known->second = argv[i + 1];
  }
  return arguments;
}

Sizes sizes_of(const std::string& size) {
  if (size == "full") return {.batch = {.images = 16}};
  if (size == "half") return {.batch = {}, .samples = 64, .sweeps = 4};
  return {
      .batch = {.images = 2, .members = 2, .height = 64, .width = 64}, .samples = 16, .sweeps = 4};
}

Json json_of(const Row& row) {
  Json object = {{"name", row.work.name},
                 {"milliseconds", row.milliseconds},
                 {"fastest_milliseconds", row.fastest},
                 {"processor_milliseconds", row.processor},
                 {"repetitions", row.repetitions}};
  if (row.work.images > 0) object["images_per_second"] = row.images_per_second();
  if (row.work.bytes > 0) object["gigabytes_per_second"] = row.gigabytes_per_second();
  if (!row.work.note.empty()) object["note"] = row.work.note;
  return object;
}

int run(const Arguments& arguments) {
  const c10::Device device(arguments.at("--device"));
  if (device.is_cuda() && !at::hasCUDA()) throw std::runtime_error("--device cuda: there is none");
  const Sizes sizes = sizes_of(arguments.at("--size"));
  const Effort little{.warm_up = 1, .repetitions = 3};
  Measurements measurements(device, arguments.at("--size") == "full" ? Effort{} : little);
  const auto is_wanted = [&](const char* part) {
    return arguments.at("--part") == "all" || arguments.at("--part") == part;
  };
  if (is_wanted("training")) measure_training(measurements, sizes, arguments.at("--twin"));
  if (is_wanted("inference")) measure_inference(measurements, sizes);
  if (is_wanted("sampling")) measure_sampling(measurements, sizes);
  Json rows = Json::array();
  for (const Row& row : measurements.rows()) rows.push_back(json_of(row));
  std::ofstream out(arguments.at("--out"));
  out << exact_json_text({{"device", device.str()},
                          {"size", arguments.at("--size")},
                          {"threads", at::get_num_threads()},
                          {"rows", rows}})
      << '\n';
  if (!out.flush()) throw std::runtime_error("--out: cannot write " + arguments.at("--out"));
  return 0;
}

}  // namespace
}  // namespace supn::bench

int main(int argc, char** argv) {
  try {
    return supn::bench::run(supn::bench::parsed(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "supn_device_bench: %s\n", error.what());
    return 1;
  }
}
