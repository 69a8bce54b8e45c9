// A checkpoint that gets a row in the table.
#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>

#include "supn/data/data_config.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/network/predictor.hpp"

namespace supn {

class CheckpointModel {
 public:
  // "<folder>", which is the row's name too, or "<name>=<folder>". Throws IoError and ConfigError
  // as Predictor, ConfigError if the network's input size is not the data's.
  CheckpointModel(const std::string& specification,
                  const DataConfig& data,
                  c10::Device device,
                  const CalibrationRule& rule);

  const std::string& name() const { return name_; }
  const std::filesystem::path& directory() const { return directory_; }
  // The first follows the rule; the second is what the rule gives where the truth's is preferred.
  const AppliedTemperature& temperature() const { return network_.temperature(); }
  const AppliedTemperature& truth_temperature() const { return truth_temperature_; }
  // Returns the field that stands beside the truth's temperature, whatever the rule.
  const std::optional<IsotropicField>& isotropic() const { return isotropic_; }
  const std::optional<Tails>& tails() const { return tails_; }  // as isotropic()
  // How much wider than predict()'s Gaussian that with truth_temperature() is.
  double truth_factor() const { return truth_temperature_.fit.value / temperature().fit.value; }
  // Turns an image [3,H,W] into the finest scale's Gaussian, on the CPU, with temperature().
  StructuredGaussian predict(const at::Tensor& image);

 private:
  std::string name_;
  std::filesystem::path directory_;
  Predictor network_;
  AppliedTemperature truth_temperature_;
  std::optional<IsotropicField> isotropic_;
  std::optional<Tails> tails_;
};

}  // namespace supn
