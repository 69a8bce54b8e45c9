#include "supn/network/temperature.hpp"

#include <c10/util/Exception.h>

#include <cmath>

#include "supn/errors.hpp"
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
  IsotropicField field{.std = json.at("std").as_double(),
                       .length = json.at("length").as_double(),
                       .noise = json.at("noise").as_double()};
  if (!is_positive(field.std) || !is_positive(field.length) || !is_positive(field.noise)) {
    throw JsonError("\"isotropic\" holds a number that is not positive");
  }
  return field;
}

Tails tails_from(const Json& json) {
  const Tails tails{json.at("width").as_double(), json.at("weight").as_double()};
  if (!is_positive(tails.width) || tails.width > 1.0 || !std::isfinite(tails.weight) ||
      tails.weight < 0.0) {
    throw JsonError("\"tails\" holds a width outside (0, 1] or a negative weight");
  }
  return tails;
}

Temperature temperature_from(const Json& json) {
  Temperature temperature{.value = json.at("temperature").as_double(),
                          .fitted_on = json.at("fitted_on").as_string(),
                          .images = json.at("images").as_int(),
                          .log_likelihood_before = json.at("ll_before").as_double(),
                          .log_likelihood_after = json.at("ll_after").as_double()};
  if (!is_positive(temperature.value)) throw JsonError("\"temperature\" is not positive");
  // Files of earlier versions end here.
  if (const Json* points = json.find("points")) temperature.points = points->as_int();
  if (const Json* error = json.find("standard_error")) {
    temperature.standard_error = error->as_double();
  }
  if (const Json* field = json.find("isotropic")) temperature.isotropic = isotropic_from(*field);
  if (const Json* tails = json.find("tails")) temperature.tails = tails_from(*tails);
  return temperature;
}

Json json_of(const Temperature& temperature) {
  Json::Object json{{"temperature", Json(temperature.value)},
                    {"standard_error", Json(temperature.standard_error)},
                    {"fitted_on", Json(temperature.fitted_on)},
                    {"images", Json(temperature.images)},
                    {"points", Json(temperature.points)},
                    {"ll_before", Json(temperature.log_likelihood_before)},
                    {"ll_after", Json(temperature.log_likelihood_after)}};
  if (const auto& field = temperature.isotropic) {
    json.emplace_back("isotropic",
                      Json(Json::Object{{"std", Json(field->std)},
                                        {"length", Json(field->length)},
                                        {"noise", Json(field->noise)}}));
  }
  if (const auto& tails = temperature.tails) {
    json.emplace_back(
        "tails",
        Json(Json::Object{{"width", Json(tails->width)}, {"weight", Json(tails->weight)}}));
  }
  return Json(std::move(json));
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
    return temperature_from(Json::parse(read_text(file, kLargestTemperatureText)));
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
  write_file_atomically(file_of(checkpoint, on), json_of(temperature).dump() + "\n");
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
