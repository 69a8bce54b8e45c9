// Reading and writing go on beside the computation.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "supn/data/dataset.hpp"

namespace supn {

struct LoadedImages {
  std::vector<Frame> frames;
  std::vector<at::Tensor> images;  // [3,H,W] each
};

// Reads the images of the next batch and writes the files of the last one while the members work
// on this one.
class ImagePipeline {
 public:
  ImagePipeline(const DataConfig& data, std::vector<Frame> frames, std::int64_t batch_size)
      : data_(data), frames_(std::move(frames)), batch_size_(static_cast<std::size_t>(batch_size)) {
    load();
  }

  // Returns nothing after the last batch.
  std::optional<LoadedImages> next() {
    if (!loading_.valid()) return std::nullopt;
    LoadedImages loaded = loading_.get();
    load();
    return loaded;
  }

  // Throws what the writing before threw.
  void write(std::function<void()> task) {
    finish();
    writing_ = std::async(std::launch::async, std::move(task));
  }
  void finish() {
    if (writing_.valid()) writing_.get();
  }

 private:
  void load() {
    if (begin_ == frames_.size()) return;
    const std::size_t end = std::min(begin_ + batch_size_, frames_.size());
    loading_ = std::async(std::launch::async, [this, begin = std::exchange(begin_, end), end] {
      LoadedImages loaded;
      for (std::size_t i = begin; i < end; ++i) {
        loaded.frames.push_back(frames_[i]);
        loaded.images.push_back(load_image(data_, frames_[i]));
      }
      return loaded;
    });
  }

  const DataConfig& data_;
  std::vector<Frame> frames_;
  std::size_t batch_size_;
  std::size_t begin_ = 0;              // of what is not loaded yet
  std::future<LoadedImages> loading_;  // these two last: they end before what they use
  std::future<void> writing_;
};

}  // namespace supn
