// A Progress of a library's loop over images (supn/comparison/observer.hpp), whose number is only
// known once it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/progress.hpp"

namespace supn {

class ImageProgress {
 public:
  explicit ImageProgress(std::string label) : label_(std::move(label)) {}

  void operator()(std::int64_t done, std::int64_t images) {
    if (done == 0) {
      progress_.emplace(label_, images);
    } else {
      progress_->advance();
    }
  }
  void finish() { progress_->finish(); }

 private:
  std::string label_;
  std::optional<Progress> progress_;
};

}  // namespace supn
