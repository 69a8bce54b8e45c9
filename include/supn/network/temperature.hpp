// One scalar that makes a trained network's Gaussians as wide as they should be: L/τ in place of L,
// so that the mean stays and every standard deviation is τ times as large. There are two, fitted on
// images that the network was not trained on, and kept in the checkpoint's folder:
//
//   members  temperature.json        τ by the likelihood of the ensemble's members: samples then
//                                    spread as members do
//   truth    temperature_truth.json  τ by the joint density of measured depths: intervals then hold
//                                    the truth as often as they say. Larger, since members share
//                                    most of their error.
//
// Predictor applies one of them; load_network and training know nothing of them, and a checkpoint
// that is saved anew has none.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "supn/gaussian/isotropic_field.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/gaussian/tails.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class CalibratedOn { kMembers, kTruth, kNone };

template <>
struct OptionNames<CalibratedOn> {
  static constexpr std::array<std::pair<std::string_view, CalibratedOn>, 3> values{
      {{"members", CalibratedOn::kMembers},
       {"truth", CalibratedOn::kTruth},
       {"none", CalibratedOn::kNone}}};
};

struct Temperature {
  double value = 1.0;          // τ > 0
  std::string fitted_on = {};  // the split's file, for people
  std::int64_t images = 0;     // it was fitted on
  // Log-density there with τ = 1 and with this one: of the members in nats per pixel and member, or
  // of ground-truth points, jointly for each image, in nats per point.
  double log_likelihood_before = 0.0;
  double log_likelihood_after = 0.0;
  std::int64_t points = 0;      // of ground truth, all images together; 0 for the members'
  double standard_error = 0.0;  // of τ, by bootstrap over images; 0 where the file does not say
  // The truth's alone has beside it a field for the log of true over predicted depth that knows
  // nothing of the image, fitted to the same points; the network's covariance has to beat it.
  std::optional<IsotropicField> isotropic = std::nullopt;
  // Beside the truth's alone, and where images have points enough: of what is left once depths are
  // known.
  std::optional<Tails> tails = std::nullopt;
};

// Decides which temperature an app applies.
struct CalibrationRule {
  std::optional<CalibratedOn> wanted = std::nullopt;  // by the user
  // Without a wish the truth's is applied where the checkpoint has it, if that is preferred; else
  // the members'; else none.
  CalibratedOn preferred = CalibratedOn::kMembers;
};

struct AppliedTemperature {
  CalibratedOn on = CalibratedOn::kNone;
  Temperature fit;  // value 1 for kNone

  // "members, temperature 0.97 ± 0.02 (val.txt, 18 images)" or "none".
  std::string text() const;
};

// Returns μ, φ − log τ, ψ/τ. Throws c10::Error unless τ is positive and finite.
StructuredGaussian with_temperature(const StructuredGaussian& gaussian, double temperature);

// `on` is kMembers or kTruth. Returns nothing where the checkpoint has none. Throws IoError for a
// damaged file.
std::optional<Temperature> read_temperature(const std::filesystem::path& checkpoint,
                                            CalibratedOn on);

// Atomic; replaces an earlier one. Throws IoError if it cannot be written.
void write_temperature(const std::filesystem::path& checkpoint,
                       CalibratedOn on,
                       const Temperature& temperature);

// Throws ConfigError where the user wants one that the checkpoint has not; IoError as
// read_temperature.
AppliedTemperature choose_temperature(const std::filesystem::path& checkpoint,
                                      const CalibrationRule& rule);

}  // namespace supn
