#include "supn/network/temperature.hpp"

#include <c10/util/Exception.h>

#include <cmath>

#include "supn/errors.hpp"
#include "supn/serialization/atomic_file.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/json.hpp"

namespace supn {
namespace {

constexpr const char* kFile = "temperature.json";
constexpr std::uintmax_t kLargestText = 1U << 16U;

bool is_temperature(double value) { return std::isfinite(value) && value > 0.0; }

}  // namespace

StructuredGaussian with_temperature(const StructuredGaussian& gaussian, double temperature) {
  TORCH_CHECK(is_temperature(temperature),
              "with_temperature: expected a positive temperature, got ",
              temperature);
  if (temperature == 1.0) return gaussian;
  return {gaussian.mean(),
          gaussian.log_diagonal() - std::log(temperature),
          gaussian.off_diagonal() / temperature,
          gaussian.neighbourhood()};
}

std::optional<Temperature> read_temperature(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / kFile;
  if (!is_there(file)) return std::nullopt;
  try {
    const Json json = Json::parse(read_text(file, kLargestText));
    Temperature temperature{.value = json.at("temperature").as_double(),
                            .fitted_on = json.at("fitted_on").as_string(),
                            .images = json.at("images").as_int(),
                            .log_likelihood_before = json.at("ll_before").as_double(),
                            .log_likelihood_after = json.at("ll_after").as_double()};
    if (!is_temperature(temperature.value)) throw JsonError("\"temperature\" is not positive");
    return temperature;
  } catch (const JsonError& fault) {
    throw IoError(file,
                  std::string("does not hold a temperature (") + fault.what() +
                      "); remove it, or fit it anew with supn_eval --fit-temperature");
  }
}

void write_temperature(const std::filesystem::path& checkpoint, const Temperature& temperature) {
  write_file_atomically(checkpoint / kFile,
                        Json(Json::Object{{"temperature", Json(temperature.value)},
                                          {"fitted_on", Json(temperature.fitted_on)},
                                          {"images", Json(temperature.images)},
                                          {"ll_before", Json(temperature.log_likelihood_before)},
                                          {"ll_after", Json(temperature.log_likelihood_after)}})
                                .dump() +
                            "\n");
}

}  // namespace supn
