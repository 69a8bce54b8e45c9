// Every option of supn_train (section `training` of a configuration file). The defaults are the
// paper's recipe; what small sets need instead: docs/method.md "Small sets".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/option_fields.hpp"

namespace supn {

enum class ScheduleKind { kHalving, kCosine };

template <>
struct OptionNames<ScheduleKind> {
  static constexpr std::array<std::pair<std::string_view, ScheduleKind>, 2> values{
      {{"halving", ScheduleKind::kHalving}, {"cosine", ScheduleKind::kCosine}}};
};

// Says how the mean learns. With l1 the factor is made around it from detached features: neither
// drags the other.
enum class MeanLoss { kLikelihood, kL1 };

template <>
struct OptionNames<MeanLoss> {
  static constexpr std::array<std::pair<std::string_view, MeanLoss>, 2> values{
      {{"likelihood", MeanLoss::kLikelihood}, {"l1", MeanLoss::kL1}}};
};

// Sets the arithmetic of the convolutions; heads, factor and likelihood are float32 always, but for
// tf32 in the heads.
enum class Precision {
  kFloat32,
  kTf32,  // on a GPU products of numbers rounded to 10 bits, summed in float32; float32 on the CPU
  kBf16   // bfloat16
};

template <>
struct OptionNames<Precision> {
  static constexpr std::array<std::pair<std::string_view, Precision>, 3> values{
      {{"float32", Precision::kFloat32}, {"tf32", Precision::kTf32}, {"bf16", Precision::kBf16}}};
};

// Adam with one learning rate per parameter group: learning_rate times the group's factor.
struct OptimizerConfig {
  double learning_rate = 1e-4;
  double mean_factor = 1.0;
  double supn_factor = 1.0;
  double gamma_factor = 1.0;
  double coarse_factor = 0.3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 0.0;
  double clip_norm = 5.0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(
        option("learning_rate", self.learning_rate, "base learning rate of Adam").range(0.0, 1.0));
    visit(
        option("mean_factor",
               self.mean_factor,
               "times learning_rate: encoder and mean decoder; 0 freezes them, batch norm included")
            .range(0.0, 1e4));
    visit(option("supn_factor", self.supn_factor, "times learning_rate: SUPN decoder")
              .range(0.0, 1e4));
    visit(option("gamma_factor",
                 self.gamma_factor,
                 "times learning_rate: log-scales of the off-diagonal maps (forms paper, relative)")
              .range(0.0, 1e4));
    visit(option("coarse_factor",
                 self.coarse_factor,
                 "times learning_rate: heads of strides 8 and 16 and of the coarsest grid (order "
                 "coarse_to_fine), which see few pixels")
              .range(0.0, 1e4));
    visit(option("beta1", self.beta1, "Adam's decay of the gradient's mean").range(0.0, 0.999999));
    visit(
        option("beta2", self.beta2, "Adam's decay of the gradient's square").range(0.0, 0.9999999));
    visit(option("weight_decay", self.weight_decay, "L2 penalty on the SUPN decoder's weights")
              .range(0.0, 1.0));
    visit(option("clip_norm", self.clip_norm, "largest norm of the whole gradient; 0 = no clipping")
              .range(0.0, 1e9));
  }
};

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::kHalving;
  std::vector<std::int64_t> halve_after = {1, 5, 15};
  std::int64_t ramp_up_steps = 0;
  double floor = 0.05;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("kind", self.kind, "halving (at halve_after) or cosine (down to floor)"));
    visit(option("halve_after",
                 self.halve_after,
                 "halving: numbers of finished epochs after which all learning rates are halved")
              .range(1, 1e6));
    visit(option("ramp_up_steps",
                 self.ramp_up_steps,
                 "steps over which the learning rate rises linearly at the start of a stage")
              .range(0, 1e9));
    visit(option("floor", self.floor, "cosine: the factor approached at the end").range(0.0, 1.0));
  }
};

// L1 to the members' mean logits at all scales before the likelihood: for a mean network that does
// not start from a member. Adam, cosine.
struct WarmUpConfig {
  std::int64_t epochs = 0;
  double learning_rate = 5e-4;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("epochs", self.epochs, "epochs of mean warm-up before the likelihood; 0 = none")
              .range(0, 1e6));
    visit(option("learning_rate", self.learning_rate, "of the encoder and mean decoder meanwhile")
              .range(0.0, 1.0));
  }
};

struct LossConfig {
  MeanLoss mean = MeanLoss::kLikelihood;
  std::int64_t scales = 0;
  double target_noise = 0.0;
  double likelihood_bound = 0.0;
  double std_match = 0.0;
  double energy_match = 0.0;
  std::int64_t energy_samples = 4;
  std::int64_t energy_block = 16;
  double variogram_match = 0.0;
  std::vector<std::int64_t> variogram_lags = {1, 4, 16};

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("mean",
                 self.mean,
                 "what the mean learns from: likelihood (with the factor), or l1 to the members' "
                 "mean at the scales, apart from the factor"));
    visit(option("scales",
                 self.scales,
                 "finest scales that enter the losses; 0 = all (order coarse_to_fine: those of the "
                 "mean's l1; the likelihood is of the finest, which holds all scales)")
              .range(0, 8));
    visit(option("target_noise",
                 self.target_noise,
                 "std of noise added to the members' logits; bounds LL by -log(std) - 1.42")
              .range(0.0, 10.0));
    visit(option("likelihood_bound",
                 self.likelihood_bound,
                 "an image's log-likelihood beyond this earns nothing, nats/pixel/sample at each "
                 "scale; 0 = no bound")
              .range(0.0, 1e3));
    visit(option("std_match",
                 self.std_match,
                 "weight of matching the local std to the members' (factored, radius 2 only)")
              .range(0.0, 1e3));
    visit(option("energy_match",
                 self.energy_match,
                 "weight of matching block energies of exact samples to the members'")
              .range(0.0, 1e3));
    visit(option("energy_samples",
                 self.energy_samples,
                 "exact samples per image for energy_match and variogram_match")
              .range(1, 1024));
    visit(option("energy_block",
                 self.energy_block,
                 "block side in pixels at the finest scale, halved at each coarser one, at least 4")
              .range(1, 4096));
    visit(option("variogram_match",
                 self.variogram_match,
                 "weight of matching mean squared differences of exact samples, block by block, "
                 "to the members'")
              .range(0.0, 1e3));
    visit(option("variogram_lags",
                 self.variogram_lags,
                 "their lags in pixels at the finest scale, halved at each coarser one")
              .range(1, 4096));
  }
};

struct ValidationConfig {
  std::int64_t every = 1;
  std::int64_t samples = 10;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("every", self.every, "epochs from one validation to the next").range(1, 1e6));
    visit(option("samples", self.samples, "exact samples per image for the std ratio")
              .range(10, 1e5));
  }
};

// These checkpoints come beside best/ and the last/ of every epoch's end.
struct CheckpointConfig {
  std::int64_t every = 0;
  std::int64_t keep = 1;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(
        option("every",
               self.every,
               "steps from one saving of last/ to the next, beside those at each epoch's end; 0 = "
               "only these")
            .range(0, 1e9));
    visit(option("keep",
                 self.keep,
                 "newest savings kept; with 2 or more they are in steps/<finished steps>/ too")
              .range(1, 1e6));
  }
};

// Event files for TensorBoard in <output>/tensorboard/.
struct TensorboardConfig {
  std::int64_t every = 10;
  std::int64_t images = 2;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(
        option("every", self.every, "steps from one point of the curves to the next; 0 = no files")
            .range(0, 1e9));
    visit(option("images", self.images, "validation images shown after each validation")
              .range(0, 1000));
  }
};

struct TrainingConfig {
  std::int64_t epochs = 20;
  std::int64_t batch_size = 16;
  std::int64_t seed = 0;
  Precision precision = Precision::kFloat32;
  std::filesystem::path initial_weights;
  double initial_share = 0.5;
  std::filesystem::path output;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  WarmUpConfig warm_up;
  LossConfig losses;
  ValidationConfig validation;
  CheckpointConfig checkpoint;
  TensorboardConfig tensorboard;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("epochs", self.epochs, "epochs of likelihood training, after the warm-up")
              .range(0, 1e6));
    visit(option("batch_size", self.batch_size, "images per step, of all processes together")
              .range(1, 4096));
    visit(option("seed", self.seed, "of weights, order, augmentation, noise and samples")
              .range(0, 9e15));
    visit(option("precision",
                 self.precision,
                 "of the convolutions: float32; tf32 (a GPU's, with 10 bits; float32 on the CPU); "
                 "bf16 (a GPU, or a CPU with AVX512-BF16; heads, factor and likelihood stay "
                 "float32)"));
    visit(
        option("initial_weights",
               self.initial_weights,
               "a member's .safetensors (loaded by name) or a checkpoint directory to start from"));
    visit(option("initial_share",
                 self.initial_share,
                 "least share of the mean network's numbers that initial_weights must give; fewer "
                 "are an error")
              .range(0.0, 1.0));
    visit(option("output", self.output, "directory of the run: best/, last/, metrics"));
    visit(section("optimizer", self.optimizer, "Adam and its parameter groups"));
    visit(section("schedule", self.schedule, "learning rate over time"));
    visit(section("warm_up", self.warm_up, "mean warm-up stage"));
    visit(section("losses", self.losses, "what is minimised beside the likelihood"));
    visit(section("validation", self.validation, "what is measured at an epoch's end"));
    visit(section("checkpoint", self.checkpoint, "when a run is saved"));
    visit(section("tensorboard", self.tensorboard, "what TensorBoard shows"));
  }
};

}  // namespace supn
