// Option changes say where a configuration differs from the one that a run has been trained with,
// and what that means for going on with the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace supn {

// Values as they are written in YAML.
struct OptionChange {
  std::string key;  // "training.batch_size"
  std::string before;
  std::string now;
  bool operator==(const OptionChange&) const = default;
};

enum class ChangeEffect {
  kNone,     // where files are, how they are loaded, what is shown: the weights stay the same
  kResult,   // sound, but not what never stopping would give
  kCorrupts  // weights, moments, the place in the epoch or the best score would lose their meaning
};

// Splits may move (kNone): that they still list the same images is checked by their content.
ChangeEffect effect_of_change(std::string_view key);

// "training.batch_size was 2, is 4; ..." of those with this effect; empty where there is none.
std::string changes_text(std::span<const OptionChange> changes, ChangeEffect effect);

}  // namespace supn
