#include "supn/training/validation.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <string>

#include "supn/errors.hpp"
#include "supn/evaluation/depth/depth_scale.hpp"
#include "supn/evaluation/scores/accuracy.hpp"
#include "supn/evaluation/scores/scale_ratio.hpp"
#include "supn/evaluation/scores/texture.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "supn/gaussian/sample.hpp"

namespace supn {
namespace {

// Sums over images, divided at the end.
class Accumulator {
 public:
  explicit Accumulator(const ValidationOptions& options) : options_(options) {}

  void add_means(const Batch& batch, const at::Tensor& mean) {
    const at::Tensor members_mean = batch.predictions.front().mean(1, true);
    const at::Tensor l1 = (mean - members_mean).abs().mean({1, 2, 3});
    images_ += batch.image.size(0);
    mean_l1_ += l1.sum().item<double>();
    for (std::int64_t b = 0; b < mean.size(0); ++b) {
      add_accuracy(batch.depth_m[static_cast<std::size_t>(b)], mean[b]);
    }
  }

  void add_likelihood(std::size_t scale, const at::Tensor& log_prob_per_pixel) {
    if (log_likelihood_.size() <= scale) log_likelihood_.resize(scale + 1, 0.0);
    log_likelihood_[scale] += log_prob_per_pixel.mean(1).sum().item<double>();
  }

  void add_factor(const StructuredGaussian& gaussian,
                  const at::Tensor& members,
                  const at::Tensor& log_probs) {
    if (!factor_) factor_.emplace();
    factor_->add(gaussian, members, log_probs);
  }

  void add_spread(const Batch& batch, const StructuredGaussian& gaussian) {
    const at::Tensor& members = batch.predictions.front();
    if (members.size(1) < 2) return;
    std::vector<std::uint64_t> seeds;
    for (const std::string& name : batch.names) {
      seeds.push_back(image_seed(static_cast<std::uint64_t>(options_.seed), name));
    }
    const Samples samples =
        sample(gaussian, seeds, {.range = {.first = 0, .count = options_.samples}});
    for (std::int64_t b = 0; b < members.size(0); ++b) {
      const at::Tensor model_std = marginal_std(samples.values[b]);
      add_to(spread_, spread_ratio(model_std, marginal_std(members[b])));
      const at::Tensor errors = (members[b] - gaussian.mean()[b]).to(at::kDouble);
      add_to(spread_about_mean_, spread_ratio(model_std, errors.square().mean(0).sqrt()));
      add_texture(samples.values[b], members[b]);
      ++spread_images_;
    }
  }

  void add_facts(const Batch& batch, const StructuredGaussian& gaussian) {
    const auto one = [](const at::Tensor& maps, std::int64_t b) { return maps.narrow(0, b, 1); };
    for (std::int64_t b = 0; b < gaussian.batch(); ++b) {
      facts_.push_back(image_facts(batch.image[b],
                                   {one(gaussian.mean(), b),
                                    one(gaussian.log_diagonal(), b),
                                    one(gaussian.off_diagonal(), b),
                                    gaussian.neighbourhood()}));
    }
  }

  ValidationReport report() const {
    ValidationReport report;
    report.images = images_;
    const auto images = static_cast<double>(images_);
    report.mean_l1 = mean_l1_ / images;
    for (const double sum : log_likelihood_) report.log_likelihood.push_back(sum / images);
    if (spread_images_ > 0) {
      const auto count = static_cast<double>(spread_images_);
      const auto averaged = [&](const SpreadRatio& sum) {
        return SpreadRatio{sum.low / count, sum.median / count, sum.high / count};
      };
      report.std_ratio = averaged(spread_);
      report.std_ratio_about_mean = averaged(spread_about_mean_);
      report.texture_ratio = TextureRatio{texture_.roughness / count,
                                          texture_.length_rows / count,
                                          texture_.length_columns / count};
    }
    if (factor_) report.factor = factor_->statistics();
    if (!facts_.empty()) report.range = training_range(facts_);
    if (report.range && !std::isfinite(report.range->largest_spread)) report.range.reset();
    if (depth_images_ > 0) {
      const auto count = static_cast<double>(depth_images_);
      report.abs_rel = abs_rel_ / count;
      if (has_fixed_scale()) report.scale_ratio = scale_ratio_ / count;
    }
    return report;
  }

 private:
  static void add_to(SpreadRatio& sum, const SpreadRatio& ratio) {
    sum.low += ratio.low;
    sum.median += ratio.median;
    sum.high += ratio.high;
  }

  void add_texture(const at::Tensor& samples, const at::Tensor& members) {
    const Texture own = texture(samples);
    const Texture wanted = texture(members);
    texture_.roughness += own.roughness / wanted.roughness;
    texture_.length_rows += own.length_rows / wanted.length_rows;
    texture_.length_columns += own.length_columns / wanted.length_columns;
  }

  void add_accuracy(const at::Tensor& depth_m, const at::Tensor& mean) {
    if (!depth_m.defined()) return;
    const EvaluationConfig& config = options_.evaluation;
    const GroundTruth truth = ground_truth(depth_m, config.protocol);
    if (truth.count() == 0) return;
    const at::Tensor disparity = disparity_from_logit(mean, {config.min_depth, config.max_depth});
    abs_rel_ +=
        accuracy_of_disparity(disparity, truth, {config.scale, config.fixed_scale}).front().abs_rel;
    if (has_fixed_scale()) scale_ratio_ += scale_ratio(disparity, truth, config.fixed_scale);
    ++depth_images_;
  }
  bool has_fixed_scale() const { return options_.evaluation.scale == DepthScaleMode::kFixed; }

  const ValidationOptions& options_;
  std::int64_t images_ = 0;
  double mean_l1_ = 0.0;
  std::vector<double> log_likelihood_;
  SpreadRatio spread_;
  SpreadRatio spread_about_mean_;
  TextureRatio texture_;
  std::int64_t spread_images_ = 0;
  std::optional<FactorAccumulator> factor_;
  double abs_rel_ = 0.0;
  double scale_ratio_ = 0.0;
  std::int64_t depth_images_ = 0;
  std::vector<ImageFacts> facts_;
};

void add_batch(SupnNetwork& network, const Batch& batch, Stage stage, Accumulator& sums) {
  const at::Device device = network->parameters().front().device();
  const at::Tensor image = batch.image.to(device);
  if (stage == Stage::kWarmUp) {
    sums.add_means(batch, network->means(image).front().cpu());
    return;
  }
  const std::vector<StructuredGaussian> gaussians = network->forward(image);
  for (std::size_t scale = 0; scale < gaussians.size(); ++scale) {
    const at::Tensor members = batch.predictions[scale].to(device);
    const at::Tensor log_probs = log_prob(gaussians[scale], members);
    sums.add_likelihood(scale, log_probs / static_cast<double>(gaussians[scale].pixels()));
    if (scale == 0) sums.add_factor(gaussians[scale], members, log_probs);
  }
  const StructuredGaussian finest = gaussians.front().to(at::kCPU);
  sums.add_means(batch, finest.mean());
  sums.add_spread(batch, finest);
  sums.add_facts(batch, finest);
}

bool is_plausible(const ValidationReport& report) {
  const std::optional<SpreadRatio>& ratio = judged_spread(report);
  return !ratio || is_plausible_spread(ratio->median);
}

}  // namespace

ValidationReport validate(SupnNetwork& network,
                          const BatchSource& next,
                          const ValidationOptions& options,
                          const BatchDone& done) {
  const at::NoGradGuard no_grad;
  network->eval();
  Accumulator sums(options);
  bool empty = true;
  while (const std::optional<Batch> batch = next()) {
    add_batch(network, *batch, options.stage, sums);
    empty = false;
    done(batch->image.size(0));
  }
  TORCH_CHECK(!empty, "validate: expected at least one batch, got none");
  return sums.report();
}

const std::optional<SpreadRatio>& judged_spread(const ValidationReport& report) {
  return report.std_ratio_about_mean ? report.std_ratio_about_mean : report.std_ratio;
}

bool is_better(const ValidationReport& candidate, const ValidationReport& best) {
  TORCH_CHECK(!candidate.log_likelihood.empty() && !best.log_likelihood.empty(),
              "is_better: expected reports with a likelihood, not of the warm-up");
  const double mine = candidate.log_likelihood.front();
  const double other = best.log_likelihood.front();
  if (!std::isfinite(mine)) return false;
  if (!std::isfinite(other)) return true;
  if (is_plausible(candidate) != is_plausible(best)) return is_plausible(candidate);
  return mine > other;
}

}  // namespace supn
