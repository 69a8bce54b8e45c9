// torch.ops.supn and torch.classes.supn: the library's functions as operators of PyTorch.
//
// A structured Gaussian is given as (mean [B,1,H,W], log_diagonal [B,1,H,W], off_diagonal [B,K,H,W],
// order), order being Neighbourhood::numbers(); fields are [B,S,H,W]. Shapes, errors and what is
// differentiable are those of the function of the same name in include/supn/gaussian. The operators
// are composite: autograd is the library's own.
#include <torch/custom_class.h>
#include <torch/library.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "supn/gaussian/active_measurement.hpp"
#include "supn/gaussian/conditioning.hpp"
#include "supn/gaussian/covariance.hpp"
#include "supn/gaussian/divergence.hpp"
#include "supn/gaussian/factor.hpp"
#include "supn/gaussian/functional.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/sample.hpp"
#include "supn/gaussian/solve.hpp"
#include "supn/io/resize.hpp"
#include "supn/network/gaussian_file.hpp"
#include "supn/network/predictor.hpp"
#include "supn/network/training_range.hpp"

namespace supn {
namespace {

using Numbers = std::vector<std::int64_t>;
using Maps = std::tuple<at::Tensor, at::Tensor, at::Tensor, Numbers>;

const std::string kGaussian = "Tensor mean, Tensor log_diagonal, Tensor off_diagonal, int[] order";

StructuredGaussian gaussian_of(const at::Tensor& mean,
                               const at::Tensor& log_diagonal,
                               const at::Tensor& off_diagonal,
                               at::IntArrayRef order) {
  return {mean, log_diagonal, off_diagonal, Neighbourhood::of_numbers(order.vec())};
}

Maps maps_of(const StructuredGaussian& gaussian) {
  return {gaussian.mean(),
          gaussian.log_diagonal(),
          gaussian.off_diagonal(),
          gaussian.neighbourhood().numbers()};
}

// PyTorch has no unsigned integers: a seed's 64 bits travel in a signed one.
std::vector<std::uint64_t> seeds_of(at::IntArrayRef seeds) { return {seeds.begin(), seeds.end()}; }

// A function of a Gaussian as one of its four parts.
template <auto kFunction>
struct Operator;
template <typename Result,
          typename... Rest,
          Result (*kFunction)(const StructuredGaussian&, Rest...)>
struct Operator<kFunction> {
  static Result call(const at::Tensor& mean,
                     const at::Tensor& log_diagonal,
                     const at::Tensor& off_diagonal,
                     at::IntArrayRef order,
                     Rest... rest) {
    return kFunction(gaussian_of(mean, log_diagonal, off_diagonal, order), rest...);
  }
};

// further: the schema of the arguments after the Gaussian.
template <auto kFunction>
void define(torch::Library& library,
            const std::string& name,
            const std::string& further = "",
            const std::string& result = "Tensor") {
  const std::string arguments = further.empty() ? kGaussian : kGaussian + ", " + further;
  library.def((name + "(" + arguments + ") -> " + result).c_str(), &Operator<kFunction>::call);
}

std::tuple<at::Tensor, double, std::int64_t> sample_of(const StructuredGaussian& gaussian,
                                                       at::IntArrayRef seeds,
                                                       std::int64_t first,
                                                       std::int64_t count) {
  Samples samples = sample(gaussian, seeds_of(seeds), {.range = {first, count}});
  return {samples.values, samples.report.relative_residual, samples.report.non_finite};
}

std::tuple<at::Tensor, at::Tensor> measurements_of(const StructuredGaussian& gaussian,
                                                   std::int64_t count,
                                                   double noise_variance) {
  const ActiveMeasurement plan =
      plan_measurements(gaussian, {.count = count, .noise_variance = noise_variance});
  return {plan.pixels, plan.total_variance};
}

at::Tensor divergence_of(const StructuredGaussian& first,
                         const at::Tensor& mean,
                         const at::Tensor& log_diagonal,
                         const at::Tensor& off_diagonal,
                         at::IntArrayRef order) {
  return kl_divergence(first, gaussian_of(mean, log_diagonal, off_diagonal, order));
}

at::Tensor noise_of(at::IntArrayRef seeds,
                    std::int64_t first,
                    std::int64_t count,
                    at::IntArrayRef size,
                    at::ScalarType dtype) {
  return standard_normal(seeds_of(seeds), {first, count}, {size.at(0), size.at(1)}, dtype);
}

std::int64_t seed_of_image(std::int64_t run_seed, const std::string& image_id) {
  return static_cast<std::int64_t>(image_seed(static_cast<std::uint64_t>(run_seed), image_id));
}

at::Tensor resized(const at::Tensor& image, std::int64_t height, std::int64_t width) {
  return resize_lanczos(image, {height, width});
}

using FileParts = std::tuple<at::Tensor,
                             at::Tensor,
                             at::Tensor,
                             Numbers,
                             std::string,
                             c10::Dict<std::string, std::string>>;

FileParts read_file(const std::string& path) {
  const GaussianFile file = read_gaussian(path);
  c10::Dict<std::string, std::string> metadata;
  for (const auto& [key, value] : file.metadata) metadata.insert(key, value);
  return std::tuple_cat(maps_of(file.gaussian), std::make_tuple(file.quantity, metadata));
}

void write_file(const StructuredGaussian& gaussian,
                const std::string& path,
                const std::string& quantity,
                const c10::Dict<std::string, std::string>& metadata) {
  GaussianFile file{gaussian, quantity, {}};
  for (const auto& entry : metadata) file.metadata.emplace(entry.key(), entry.value());
  write_gaussian(path, file, gaussian.mean().scalar_type());
}

CalibrationRule rule_of(const std::string& calibration) {
  for (const auto& [name, on] : OptionNames<CalibratedOn>::values) {
    if (name == calibration) return {.wanted = on};
  }
  TORCH_CHECK(
      calibration.empty(), "calibration: expected members, truth or none, got ", calibration);
  return {};
}

// A checkpoint's network (network/predictor.hpp).
class Network : public torch::CustomClassHolder {
 public:
  // calibration: an option's name of CalibratedOn, or "" for no wish.
  Network(const std::string& checkpoint, const std::string& device, const std::string& calibration)
      : predictor_(checkpoint, c10::Device(device), rule_of(calibration)) {}

  Maps predict(const at::Tensor& image) const { return maps_of(predictor_.predict(image)); }
  Numbers size() const { return {predictor_.input_size().height, predictor_.input_size().width}; }
  double temperature() const { return predictor_.temperature().fit.value; }
  std::string calibration() const { return predictor_.temperature().text(); }
  // image [3,H,W] and its Gaussian; empty where nothing is unusual.
  std::string warning(const at::Tensor& image, const Maps& maps) const {
    if (!predictor_.training_range()) return {};
    const auto& [mean, log_diagonal, off_diagonal, order] = maps;
    const StructuredGaussian gaussian = gaussian_of(mean, log_diagonal, off_diagonal, order);
    return range_warning(*predictor_.training_range(), image_facts(image, gaussian));
  }

 private:
  Predictor predictor_;
};

// gaussian/conditioned_gaussian.hpp, of one image.
class Conditioned : public torch::CustomClassHolder {
 public:
  Conditioned(const Maps& maps,
              const at::Tensor& pixels,
              const at::Tensor& values,
              const std::optional<at::Tensor>& noise_variance)
      : gaussian_(
            gaussian_of(std::get<0>(maps), std::get<1>(maps), std::get<2>(maps), std::get<3>(maps)),
            {pixels, values, noise_variance.value_or(at::Tensor())}) {}

  at::Tensor mean() { return gaussian_.mean(); }
  at::Tensor variance() { return gaussian_.variance(); }
  at::Tensor samples(std::int64_t seed, std::int64_t first, std::int64_t count) {
    return gaussian_.samples(static_cast<std::uint64_t>(seed), {first, count});
  }
  double log_evidence() { return gaussian_.log_evidence(); }
  at::Tensor distances() { return gaussian_.distances(); }
  std::string note() const { return gaussian_.report().note; }

 private:
  ConditionedGaussian gaussian_;
};

TORCH_LIBRARY(supn, library) {
  define<&whiten>(library, "whiten", "Tensor d");
  define<&colour>(library, "colour", "Tensor eps");
  define<&log_prob>(library, "log_prob", "Tensor d");
  define<&log_determinant>(library, "log_determinant");
  define<&entropy>(library, "entropy");
  define<&factor_times>(library, "factor_times", "Tensor x");
  define<&factor_transpose_times>(library, "factor_transpose_times", "Tensor x");
  define<&precision_times>(library, "precision_times", "Tensor x");
  define<&solve_factor>(library, "solve_factor", "Tensor b");
  define<&solve_factor_transpose>(library, "solve_factor_transpose", "Tensor b");
  define<&marginal_variance>(library, "marginal_variance");
  define<&covariance_columns>(library, "covariance_columns", "Tensor pixels");
  define<&correlation_columns>(library, "correlation_columns", "Tensor pixels");
  define<&functional_mean>(library, "functional_mean", "Tensor weights");
  define<&functional_covariance>(library, "functional_covariance", "Tensor weights");
  define<&sample_of>(library,
                     "sample",
                     "int[] seeds, int first, int count",
                     "(Tensor values, float relative_residual, int non_finite)");
  define<&measurements_of>(library,
                           "plan_measurements",
                           "int count, float noise_variance",
                           "(Tensor pixels, Tensor total_variance)");
  define<&divergence_of>(
      library,
      "kl_divergence",
      "Tensor other_mean, Tensor other_log_diagonal, Tensor other_off_diagonal, int[] other_order");
  define<&write_file>(
      library, "write_gaussian", "str path, str quantity, Dict(str, str) metadata", "()");
  library.def("read_gaussian", &read_file);
  library.def("standard_normal", &noise_of);
  library.def("image_seed", &seed_of_image);
  library.def("resize_lanczos", &resized);

  library.class_<Network>("Network")
      .def(torch::init<const std::string&, const std::string&, const std::string&>())
      .def("predict", &Network::predict)
      .def("size", &Network::size)
      .def("temperature", &Network::temperature)
      .def("calibration", &Network::calibration)
      .def("warning", &Network::warning);
  library.class_<Conditioned>("Conditioned")
      .def(torch::init<const Maps&,
                       const at::Tensor&,
                       const at::Tensor&,
                       const std::optional<at::Tensor>&>())
      .def("mean", &Conditioned::mean)
      .def("variance", &Conditioned::variance)
      .def("samples", &Conditioned::samples)
      .def("log_evidence", &Conditioned::log_evidence)
      .def("distances", &Conditioned::distances)
      .def("note", &Conditioned::note);
}

}  // namespace
}  // namespace supn
