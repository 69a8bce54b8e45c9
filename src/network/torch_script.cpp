#include "supn/network/torch_script.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/network/temperature.hpp"
#include "supn/serialization/json.hpp"
#include "torch_script_methods.hpp"

namespace supn {
namespace {

constexpr std::int64_t kCheckedSamples = 2;

// The module's tensors under their own names: the very same tensors, by which tracing knows them.
torch::jit::Module mirror_of(const torch::nn::Module& module,
                             const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
  torch::jit::Module mirror(
      c10::QualifiedName("__torch__.SupnNetwork"), unit, /*shouldMangle=*/true);
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    mirror.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : module.named_buffers(/*recurse=*/false)) {
    mirror.register_buffer(item.key(), item.value());
  }
  for (const auto& item : module.named_children()) {
    mirror.register_module(item.key(), mirror_of(*item.value(), unit));
  }
  return mirror;
}

StructuredGaussian gaussian_of(SupnNetworkImpl& network,
                               const at::Tensor& image,
                               double temperature) {
  return with_temperature(network.forward(image).front(), temperature);
}

std::array<at::Tensor, 3> outputs_of(SupnNetworkImpl& network,
                                     const at::Tensor& image,
                                     double temperature) {
  const StructuredGaussian gaussian = gaussian_of(network, image, temperature);
  return {gaussian.mean(), gaussian.log_diagonal(), gaussian.off_diagonal()};
}

torch::jit::Module loaded(const std::string& archive) {
  std::istringstream stream(archive);
  return torch::jit::load(stream, c10::Device(c10::kCPU));
}

Json offsets_json(const std::vector<Offset>& offsets) {
  Json json = Json::array();
  for (const Offset& offset : offsets) json.push_back(Json::array({offset.dy, offset.dx}));
  return json;
}

// Lists where each class's pixels are in an image of this size, and whom they depend on.
Json classes_json(const Neighbourhood& neighbourhood, const ImageSize& size) {
  Json json = Json::array();
  for (const PixelClass& pixels : neighbourhood.classes(size)) {
    json.push_back({{"step", pixels.step},
                    {"level", pixels.level},
                    {"row", pixels.row},
                    {"column", pixels.column},
                    {"stride", pixels.stride},
                    {"offsets_dy_dx", offsets_json(pixels.offsets)}});
  }
  return json;
}

std::string description_of(const SupnNetworkImpl& network,
                           const ImageSize& size,
                           const AppliedTemperature& temperature) {
  const NetworkConfig& config = network.config();
  const Neighbourhood neighbourhood = neighbourhood_of(config);
  Json json = {{"outputs", "mean, log_diagonal, off_diagonal"},
               {"quantity", "logit of disparity"},
               {"backbone", option_name(config.backbone)},
               {"order", option_name(config.order)},
               {"calibration", option_name(temperature.on)},
               {"temperature", temperature.fit.value},
               {"input_height", size.height},
               {"input_width", size.width}};
  if (neighbourhood.is_raster()) {
    json["neighbourhood_radius"] = config.neighbourhood_radius;
    json["offsets_dy_dx"] = offsets_json(neighbourhood.offsets());
  } else {
    json["classes"] = classes_json(neighbourhood, size);
  }
  return exact_json_text(json);
}

// The trace in raster order does not depend on the size: the smallest will do. From coarse to fine
// the classes and the starting field are the size's own.
ImageSize traced_size(const SupnNetworkImpl& network, const ImageSize& size) {
  const std::int64_t side = 2 * network.size_multiple();
  return network.config().order == PixelOrder::kRaster ? ImageSize{side, side} : size;
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(),
              "torch_script_difference: the archive gives ",
              a.sizes(),
              " where the network gives ",
              b.sizes());
  if (b.numel() == 0) return 0.0;
  const at::Tensor relative = (a - b).abs() / b.abs().clamp_min(1.0);
  return relative.nan_to_num(std::numeric_limits<double>::infinity()).max().item<double>();
}

}  // namespace

std::string torch_script_of(SupnNetworkImpl& network,
                            const ImageSize& size,
                            const AppliedTemperature& temperature) {
  const at::NoGradGuard no_grad;
  TORCH_CHECK(!network.is_training(), "torch_script_of: the network must be in evaluation mode");
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  torch::jit::Module module = mirror_of(network, unit);
  const ImageSize traced = traced_size(network, size);
  const auto [state, outputs] = torch::jit::tracer::trace(
      {at::rand({1, 3, traced.height, traced.width})},
      [&](torch::jit::Stack inputs) -> torch::jit::Stack {
        const auto maps = outputs_of(network, inputs.at(0).toTensor(), temperature.fit.value);
        return {c10::ivalue::Tuple::create(maps[0], maps[1], maps[2])};
      },
      [](const at::Tensor&) { return std::string(); },
      /*strict=*/true,
      /*force_outplace=*/false,
      &module,
      {"image"});
  torch::jit::EliminateDeadCode(state->graph);  // the coarser scales
  torch::jit::Function* maps =
      unit->create_function(c10::QualifiedName(*module.type()->name(), "maps"), state->graph);
  module.type()->addMethod(maps);
  define_methods(module, neighbourhood_of(network.config()), size, network.size_multiple());
  module.eval();
  std::ostringstream archive;
  module.save(archive, {{"supn.json", description_of(network, size, temperature)}});
  return archive.str();
}

double torch_script_difference(const std::string& archive,
                               SupnNetworkImpl& network,
                               const at::Tensor& image,
                               double temperature) {
  const at::NoGradGuard no_grad;
  torch::jit::Module module = loaded(archive);
  const auto outputs = module.forward({image}).toTuple();
  const auto expected = outputs_of(network, image, temperature);
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, difference(outputs->elements()[i].toTensor(), expected[i]));
  }
  return largest;
}

double torch_script_method_difference(const std::string& archive,
                                      SupnNetworkImpl& network,
                                      const at::Tensor& image,
                                      double temperature) {
  const at::NoGradGuard no_grad;
  torch::jit::Module module = loaded(archive);
  const StructuredGaussian gaussian = gaussian_of(network, image, temperature);
  std::vector<std::uint64_t> seeds;
  c10::List<std::int64_t> signed_seeds;
  for (std::int64_t b = 0; b < image.size(0); ++b) {
    // Seeds are of both signs, for the script's integers are signed.
    seeds.push_back(image_seed(1, std::to_string(b)));
    signed_seeds.push_back(static_cast<std::int64_t>(seeds.back()));
  }
  const at::Tensor samples = sample(gaussian, seeds, {.range = {0, kCheckedSamples}}).values;
  const at::Tensor densities = module.get_method("log_prob")({image, samples}).toTensor();
  const double of_densities = difference(densities, log_prob(gaussian, samples));
  const auto method = module.find_method("sample");
  if (!method) return of_densities;
  const at::Tensor drawn = (*method)({image, kCheckedSamples, signed_seeds}).toTensor();
  return std::max(of_densities, difference(drawn, samples));
}

}  // namespace supn
