// --calibrated-on chooses which of a checkpoint's temperatures an app applies
// (supn/network/temperature.hpp).
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "supn/network/temperature.hpp"

namespace supn {

// --calibrated-on (supn_condition's --calibration is a folder of cameras); the rule's preference
// decides where it is not given.
inline void declare_calibration_option(CLI::App& options, CalibrationRule& rule) {
  options
      .add_option_function<std::string>(
          "--calibrated-on",
          [&rule](const std::string& text) {
            for (const auto& [name, on] : OptionNames<CalibratedOn>::values) {
              if (name == text) rule.wanted = on;
            }
          },
          "how wide the Gaussian is: fitted on the ensemble's members, on ground truth (both by "
          "supn_eval --fit-temperature), or none: as trained")
      ->check(CLI::IsMember({"members", "truth", "none"}))
      ->default_str(rule.preferred == CalibratedOn::kTruth
                        ? "truth where the checkpoint has it, else members, else none"
                        : "members where the checkpoint has it, else none");
}

}  // namespace supn
