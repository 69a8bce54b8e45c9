#include "supn/network/temperature.hpp"

#include <c10/util/Exception.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "supn/errors.hpp"
#include "supn/excerpt.hpp"
#include "supn/rounded.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr std::uintmax_t kLargestTemperatureText = 1U << 16U;

bool is_positive(double value) { return std::isfinite(value) && value > 0.0; }

std::filesystem::path file_of(const std::filesystem::path& checkpoint, CalibratedOn on) {
  TORCH_CHECK(on != CalibratedOn::kNone, "temperature: kNone has no file");
  return checkpoint /
         (on == CalibratedOn::kMembers ? "temperature.json" : "temperature_truth.json");
}

IsotropicField isotropic_from(const Json& json) {
  IsotropicField field{.std = value_at<double>(json, "std"),
                       .length = value_at<double>(json, "length"),
                       .noise = value_at<double>(json, "noise")};
  if (!is_positive(field.std) || !is_positive(field.length) || !is_positive(field.noise)) {
    throw JsonError("\"isotropic\" holds a number that is not positive");
  }
  return field;
}

Tails tails_from(const Json& json) {
  const Tails tails{value_at<double>(json, "width"), value_at<double>(json, "weight")};
  if (!is_positive(tails.width) || tails.width > 1.0 || tails.weight < 0.0) {
    throw JsonError("\"tails\" holds a width outside (0, 1] or a negative weight");
  }
  return tails;
}

Temperature temperature_from(const Json& json) {
  Temperature temperature{.value = value_at<double>(json, "temperature"),
                          .fitted_on = value_at<std::string>(json, "fitted_on"),
                          .images = value_at<std::int64_t>(json, "images"),
                          .log_likelihood_before = value_at<double>(json, "ll_before"),
                          .log_likelihood_after = value_at<double>(json, "ll_after")};
  if (!is_positive(temperature.value)) throw JsonError("\"temperature\" is not positive");
  // Files of earlier versions end here.
  if (const Json* points = find_member(json, "points")) {
    temperature.points = value_of<std::int64_t>(*points, "points");
  }
  if (const Json* error = find_member(json, "standard_error")) {
    temperature.standard_error = value_of<double>(*error, "standard_error");
  }
  if (const Json* field = find_member(json, "isotropic")) {
    temperature.isotropic = isotropic_from(*field);
  }
  if (const Json* tails = find_member(json, "tails")) temperature.tails = tails_from(*tails);
  return temperature;
}

Json json_of(const Temperature& temperature) {
  Json json = {{"temperature", temperature.value},
               {"standard_error", temperature.standard_error},
               {"fitted_on", visible(temperature.fitted_on)},
               {"images", temperature.images},
               {"points", temperature.points},
               {"ll_before", temperature.log_likelihood_before},
               {"ll_after", temperature.log_likelihood_after}};
  if (const auto& field = temperature.isotropic) {
    json["isotropic"] = {{"std", field->std}, {"length", field->length}, {"noise", field->noise}};
  }
  if (const auto& tails = temperature.tails) {
    json["tails"] = {{"width", tails->width}, {"weight", tails->weight}};
  }
  return json;
}

}  // namespace

std::string AppliedTemperature::text() const {
  if (on == CalibratedOn::kNone) return "none";
  std::string words = std::string(option_name(on)) + ", temperature " + rounded(fit.value, 4);
  if (fit.standard_error > 0.0) words += " ± " + rounded(fit.standard_error, 2);
  words += " (" + fit.fitted_on + ", " + std::to_string(fit.images) + " images";
  if (fit.points > 0) words += ", " + std::to_string(fit.points) + " points";
  return words + ")";
}

StructuredGaussian with_temperature(const StructuredGaussian& gaussian, double temperature) {
  TORCH_CHECK(is_positive(temperature),
              "with_temperature: expected a positive temperature, got ",
              temperature);
  if (temperature == 1.0) return gaussian;
  return {gaussian.mean(),
          gaussian.log_diagonal() - std::log(temperature),
          gaussian.off_diagonal() / temperature,
          gaussian.neighbourhood()};
}

std::optional<Temperature> read_temperature(const std::filesystem::path& checkpoint,
                                            CalibratedOn on) {
  const std::filesystem::path file = file_of(checkpoint, on);
  if (!is_there(file)) return std::nullopt;
  try {
    return temperature_from(parse_json(read_text(file, kLargestTemperatureText)));
  } catch (const JsonError& fault) {
    throw IoError(file,
                  std::string("does not hold a temperature (") + fault.what() +
                      "); remove it, or fit it anew with supn_eval --fit-temperature " +
                      std::string(option_name(on)));
  }
}

void write_temperature(const std::filesystem::path& checkpoint,
                       CalibratedOn on,
                       const Temperature& temperature) {
  write_file_atomically(file_of(checkpoint, on), exact_json_text(json_of(temperature), 2) + "\n");
}

AppliedTemperature choose_temperature(const std::filesystem::path& checkpoint,
                                      const CalibrationRule& rule) {
  if (rule.wanted == CalibratedOn::kNone) return {};
  if (rule.wanted) {
    if (auto fit = read_temperature(checkpoint, *rule.wanted)) return {*rule.wanted, *fit};
    const std::string name(option_name(*rule.wanted));
    throw ConfigError("--calibrated-on " + name + ": " + checkpoint.string() +
                      " has no such temperature; fit it with supn_eval --fit-temperature " + name);
  }
  if (rule.preferred == CalibratedOn::kTruth) {
    if (auto fit = read_temperature(checkpoint, CalibratedOn::kTruth)) {
      return {CalibratedOn::kTruth, *fit};
    }
  }
  if (auto fit = read_temperature(checkpoint, CalibratedOn::kMembers)) {
    return {CalibratedOn::kMembers, *fit};
  }
  return {};
}

}  // namespace supn
