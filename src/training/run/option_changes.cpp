#include "supn/training/option_changes.hpp"

#include <algorithm>
#include <array>

namespace supn {
namespace {

// A name that ends with a dot stands for its whole section.
constexpr std::array<std::string_view, 7> kCorrupting = {"network.",
                                                         "data.height",
                                                         "data.width",
                                                         "data.exclude_members",
                                                         "training.batch_size",
                                                         "training.seed",
                                                         "training.warm_up.epochs"};

constexpr std::array<std::string_view, 17> kWithoutEffect = {"data.root",
                                                             "data.cache",
                                                             "data.truth",
                                                             "data.train_split",
                                                             "data.val_split",
                                                             "data.test_split",
                                                             "data.sequence_split",
                                                             "data.depth_folders",
                                                             "data.workers",
                                                             "data.prefetch",
                                                             "ensemble.",
                                                             "evaluation.",
                                                             "training.output",
                                                             "training.initial_weights",
                                                             "training.initial_share",
                                                             "training.checkpoint.",
                                                             "training.tensorboard."};

template <std::size_t kCount>
bool holds(const std::array<std::string_view, kCount>& names, std::string_view key) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return name.ends_with('.') ? key.starts_with(name) : key == name;
  });
}

}  // namespace

ChangeEffect effect_of_change(std::string_view key) {
  if (holds(kCorrupting, key)) return ChangeEffect::kCorrupts;
  if (holds(kWithoutEffect, key)) return ChangeEffect::kNone;
  return ChangeEffect::kResult;
}

std::string changes_text(std::span<const OptionChange> changes, ChangeEffect effect) {
  std::string text;
  for (const OptionChange& change : changes) {
    if (effect_of_change(change.key) != effect) continue;
    text +=
        (text.empty() ? "" : "; ") + change.key + " was " + change.before + ", is " + change.now;
  }
  return text;
}

}  // namespace supn
