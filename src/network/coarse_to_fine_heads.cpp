#include "supn/network/coarse_to_fine_heads.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/TracerMode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/full.h>
#include <ATen/ops/replication_pad2d.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "class_layout.hpp"
#include "elu.hpp"
#include "supn/gaussian/class_view.hpp"
#include "supn/network/layers.hpp"

namespace supn {
namespace {

constexpr std::size_t kFirstCoarseLevel = 3;
constexpr std::int64_t kFewestChannels = 32;  // behind the features of a fine level
constexpr std::int64_t kCoarseChannels = 24;
constexpr double kLargestChange = 8.0;  // of φ
constexpr double kLargestGain = 2.0;    // B
constexpr double kLargestChain = 40.0;  // doublings along the coarsest grid

torch::nn::Conv2dOptions cells(std::int64_t in, std::int64_t out, std::int64_t period) {
  return torch::nn::Conv2dOptions(in, out, period).stride(period);
}

// Returns the features, continued beyond the border to whole cells.
at::Tensor in_whole_cells(const at::Tensor& x, std::int64_t period) {
  const auto missing = [&](std::int64_t side) { return (period - side % period) % period; };
  const std::int64_t right = missing(x.size(3));
  const std::int64_t below = missing(x.size(2));
  return right == 0 && below == 0 ? x : at::replication_pad2d(x, {0, right, 0, below});
}

// oneDNN shares the sums of a 1×1 convolution over few pixels out among threads, so that their last
// bits depend on the number of threads. Inference, whose maps lie channels last and must not, takes
// one thread and a tenth of a millisecond.
at::Tensor projected(torch::nn::Conv2d& convolution, const at::Tensor& x) {
  const int threads = at::get_num_threads();
  const bool is_inference = x.suggest_memory_format() == at::MemoryFormat::ChannelsLast;
  if (!is_inference || threads == 1) return convolution->forward(x);
  at::set_num_threads(1);
  const at::Tensor y = convolution->forward(x);
  at::set_num_threads(threads);
  return y;
}

// B [1,1,H,W]: the coarsest grid's chains grow with the image.
at::Tensor largest_gains(const Neighbourhood& neighbourhood, const ImageSize& size) {
  const at::tracer::impl::NoTracerDispatchMode untraced;
  at::Tensor gains = at::full({1, 1, size.height, size.width}, kLargestGain, at::kFloat);
  const PixelClass grid = neighbourhood.classes(size).front();
  const std::int64_t chain = Neighbourhood(2).exact_sweeps(grid.rows(size), grid.columns(size));
  class_view(grid, gains)
      .fill_(std::min(kLargestGain, std::exp2(kLargestChain / static_cast<double>(chain))));
  return gains;
}

}  // namespace

// Returns the maps of one level's classes from its feature.
class ClassHead : public torch::nn::Module {
 public:
  // Has a 3×3 convolution before the cells.
  static std::shared_ptr<ClassHead> fine(std::int64_t channels,
                                         std::int64_t maps,
                                         std::int64_t period) {
    auto head = std::make_shared<ClassHead>();
    const std::int64_t width = std::max(channels, kFewestChannels);
    head->wide_ = head->register_module("pre", std::make_shared<ReflectConvElu>(channels, width));
    head->add_cells(cells(width, maps, period));
    return head;
  }

  // Has a 1×1 convolution to few channels before them.
  static std::shared_ptr<ClassHead> coarse(std::int64_t channels,
                                           const torch::nn::Conv2dOptions& cells) {
    auto head = std::make_shared<ClassHead>();
    head->narrow_ = head->register_module(
        "pre", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, kCoarseChannels, 1)));
    head->add_cells(cells);
    return head;
  }

  at::Tensor forward(const at::Tensor& feature) {
    const at::Tensor x =
        wide_ != nullptr ? wide_->forward(feature) : elu_in_place(projected(narrow_, feature));
    const auto& options = cells_->options;
    const bool overlaps = options.kernel_size()->at(0) > options.stride()->at(0);
    return cells_->forward(overlaps ? x : in_whole_cells(x, options.stride()->at(0))).contiguous();
  }

 private:
  void add_cells(const torch::nn::Conv2dOptions& options) {
    cells_ = register_module("out", torch::nn::Conv2d(options));
    const at::NoGradGuard no_grad;
    cells_->weight.zero_();
    cells_->bias.zero_();
  }

  std::shared_ptr<ReflectConvElu> wide_;
  torch::nn::Conv2d narrow_{nullptr};
  torch::nn::Conv2d cells_{nullptr};
};

CoarseToFineHeads::CoarseToFineHeads(const std::vector<std::int64_t>& channels,
                                     const NetworkConfig& config)
    : field_(config.start), neighbourhood_(neighbourhood_of(config)) {
  const std::int64_t levels = neighbourhood_.coarse_to_fine().levels;
  TORCH_CHECK(static_cast<std::int64_t>(channels.size()) == levels,
              "CoarseToFineHeads: expected features of ",
              levels,
              " levels, got ",
              channels.size());
  const std::int64_t period = config.classes == 3 ? 2 : 4;
  const std::int64_t maps = 1 + neighbourhood_.size();
  auto modules = register_module("level", torch::nn::ModuleList());
  for (std::size_t level = 0; level < channels.size(); ++level) {
    const std::int64_t own = config.classes * maps;
    levels_.push_back(
        level < kFirstCoarseLevel
            ? ClassHead::fine(channels[level], own, period)
            : ClassHead::coarse(channels[level], cells(kCoarseChannels, own, period)));
    modules->push_back(levels_.back());
  }
  coarsest_ = register_module(
      "coarsest",
      ClassHead::coarse(channels.back(),
                        torch::nn::Conv2dOptions(kCoarseChannels, maps, 4).stride(2).padding(1)));
}

std::shared_ptr<const CoarseToFineHeads::Start> CoarseToFineHeads::start_for(
    const at::Tensor& image) {
  const ImageSize size{image.size(2), image.size(3)};
  const std::lock_guard lock(starting_);
  const bool fits = start_ != nullptr && start_->size == size &&
                    start_->largest_gain.scalar_type() == image.scalar_type() &&
                    start_->largest_gain.device() == image.device();
  if (fits) return start_;
  const at::tracer::impl::NoTracerDispatchMode untraced;
  const Kriging start = kriging(neighbourhood_, size, field_);
  const auto moved = [&](const at::Tensor& map) { return map.to(image.options()); };
  start_ = std::make_shared<Start>(
      Start{size,
            {moved(start.log_diagonal), moved(start.weights), moved(start.neighbours)},
            moved(largest_gains(neighbourhood_, size))});
  return start_;
}

FactorPrediction CoarseToFineHeads::forward(const std::vector<at::Tensor>& features,
                                            const at::Tensor& image) {
  std::vector<at::Tensor> heads;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    heads.push_back(levels_[level]->forward(features[level]));
  }
  heads.push_back(coarsest_->forward(features.back()));
  const at::Tensor maps = in_image_layout(heads, neighbourhood_, image.detach());
  const std::shared_ptr<const Start> of_size = start_for(image);
  const auto& [size, start, largest_gain] = *of_size;

  const at::Tensor change = (maps.narrow(1, 0, 1) / kLargestChange).tanh() * kLargestChange;
  const at::Tensor log_diagonal = start.log_diagonal + change;
  const at::Tensor raw = maps.narrow(1, 1, neighbourhood_.size());
  const at::Tensor weights = at::addcmul(start.weights, raw.tanh(), start.neighbours);
  const at::Tensor gain = weights.abs().sum(1, /*keepdim=*/true);
  const at::Tensor shrinking = largest_gain / gain.maximum(largest_gain);
  return {log_diagonal, -weights * (shrinking * log_diagonal.exp()), {}};
}

bool CoarseToFineHeads::is_coarse(std::string_view name) {
  if (name.starts_with("coarsest.")) return true;
  constexpr std::string_view kLevel = "level.";
  return name.starts_with(kLevel) &&
         name[kLevel.size()] - '0' >= static_cast<int>(kFirstCoarseLevel);
}

}  // namespace supn
