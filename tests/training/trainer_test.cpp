#include "supn/training/trainer.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "supn/errors.hpp"
#include "supn/gaussian/likelihood.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

namespace supn {
namespace {

using testing_data::coarse_to_fine_network;
using testing_data::compact_network;
using testing_data::differing;
using testing_data::load_state;
using testing_data::network;
using testing_data::quick_config;
using testing_data::resnet_network;
using testing_data::scales_of;
using testing_data::state_of;
using testing_data::tiny_batch;

TEST(Trainer, MakesTheLossGoDown) {
  Trainer trainer(compact_network(), quick_config(), 20);
  std::vector<double> losses;
  for (std::uint64_t step = 0; step < 20; ++step) {
    losses.push_back(trainer.step(tiny_batch(step % 4)).loss);
  }
  const double first = std::accumulate(losses.begin(), losses.begin() + 4, 0.0) / 4.0;
  const double last = std::accumulate(losses.end() - 4, losses.end(), 0.0) / 4.0;
  EXPECT_LT(last, first - 0.5);
}

TEST(Trainer, ReportsTermsThatSumToTheLoss) {
  Trainer trainer(compact_network(), quick_config(), 4);
  const StepReport report = trainer.step(tiny_batch(1));
  ASSERT_EQ(report.terms.size(), 3U);
  EXPECT_NEAR(std::accumulate(report.terms.begin(), report.terms.end(), 0.0), report.loss, 1e-5);
  EXPECT_EQ(report.energy_match, 0.0);
  EXPECT_EQ(report.std_match, 0.0);
}

TEST(Trainer, AddsWeightedStdAndEnergyMatching) {
  TrainingConfig config = quick_config();
  config.losses.std_match = 0.3;
  config.losses.energy_match = 0.2;
  config.losses.variogram_match = 0.1;
  Trainer trainer(network(Backbone::kCompact, OffDiagonalForm::kFactored, 2), config, 4);
  const StepReport report = trainer.step(tiny_batch(1));
  const double nll = std::accumulate(report.terms.begin(), report.terms.end(), 0.0);
  EXPECT_GT(report.std_match, 0.0);
  EXPECT_GT(report.energy_match, 0.0);
  EXPECT_GT(report.variogram_match, 0.0);
  const double matching =
      0.3 * report.std_match + 0.2 * report.energy_match + 0.1 * report.variogram_match;
  EXPECT_NEAR(nll + matching, report.loss, 1e-4);
}

TEST(Trainer, UsesOnlyTheFinestScalesAskedFor) {
  TrainingConfig config = quick_config();
  config.losses.scales = 1;
  Trainer trainer(compact_network(), config, 4);
  EXPECT_EQ(trainer.step(tiny_batch(1)).terms.size(), 1U);
}

TEST(Trainer, WarmsTheMeanUpAndLeavesTheSupnDecoderAlone) {
  TrainingConfig config = quick_config();
  config.warm_up.epochs = 1;
  Trainer trainer(compact_network(), config, 10);
  const auto before = state_of(trainer.network());
  const double first = trainer.step(tiny_batch(1)).loss;
  double last = first;
  for (int step = 1; step < 10; ++step) last = trainer.step(tiny_batch(1)).loss;
  EXPECT_LT(last, 0.9 * first);

  const auto after = state_of(trainer.network());
  const SupnNetworkImpl& net = *trainer.network();
  std::size_t mean_parameters = parameters_of(net, ParameterGroup::kMean).size();
  EXPECT_EQ(differing(before, after).size(), mean_parameters);

  trainer.finish_epoch();
  EXPECT_TRUE(trainer.optimizer_state().empty());
  EXPECT_EQ(trainer.step(tiny_batch(1)).stage, Stage::kLikelihood);
}

TEST(Trainer, FreezesAMeanNetworkOfFactorZeroWithItsBatchNorm) {
  TrainingConfig config = quick_config();
  config.optimizer.mean_factor = 0.0;
  Trainer trainer(resnet_network(), config, 4);
  const auto before = state_of(trainer.network());
  trainer.step(tiny_batch(1, 2, scales_of(trainer.network())));
  trainer.resume_training_mode();
  trainer.step(tiny_batch(2, 2, scales_of(trainer.network())));

  const std::vector<std::string> changed = differing(before, state_of(trainer.network()));

  const SupnNetworkImpl& net = *trainer.network();
  const std::size_t trained = parameters_of(net, ParameterGroup::kSupn).size() +
                              parameters_of(net, ParameterGroup::kGamma).size();
  EXPECT_FALSE(changed.empty());
  EXPECT_LE(changed.size(), trained);
  for (const std::string& name : changed) {
    EXPECT_EQ(name.find("running_"), std::string::npos) << name;
  }
  for (const at::Tensor& parameter : parameters_of(net, ParameterGroup::kMean)) {
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(Trainer, TrainsBatchNormWithTheMeanNetwork) {
  Trainer trainer(resnet_network(), quick_config(), 4);
  const auto before = state_of(trainer.network());
  trainer.step(tiny_batch(1, 2, scales_of(trainer.network())));
  const std::vector<std::string> changed = differing(before, state_of(trainer.network()));
  EXPECT_TRUE(std::any_of(changed.begin(), changed.end(), [](const std::string& name) {
    return name.find("running_mean") != std::string::npos;
  }));
}

TEST(Trainer, ClipsTheNormOfTheWholeGradient) {
  TrainingConfig config = quick_config();
  config.optimizer.clip_norm = 0.01;
  Trainer trainer(compact_network(), config, 4);
  const StepReport report = trainer.step(tiny_batch(1));
  double squares = 0.0;
  for (const at::Tensor& parameter : trainer.network()->parameters()) {
    if (parameter.grad().defined()) squares += parameter.grad().square().sum().item<double>();
  }
  EXPECT_GT(report.gradient_norm, 0.1);
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-5);
}

TEST(Trainer, GivesEachGroupItsLearningRate) {
  TrainingConfig config = quick_config();
  config.optimizer = {.learning_rate = 1e-3, .mean_factor = 0.1, .gamma_factor = 20.0};
  Trainer trainer(compact_network(), config, 4);
  const auto largest_change = [&](ParameterGroup group, const std::vector<at::Tensor>& before) {
    double largest = 0.0;
    const auto now = parameters_of(*trainer.network(), group);
    for (std::size_t i = 0; i < now.size(); ++i) {
      largest = std::max(largest, (now[i] - before[i]).abs().max().item<double>());
    }
    return largest;
  };
  std::map<ParameterGroup, std::vector<at::Tensor>> before;
  for (auto group : {ParameterGroup::kMean, ParameterGroup::kSupn, ParameterGroup::kGamma}) {
    for (const at::Tensor& parameter : parameters_of(*trainer.network(), group)) {
      before[group].push_back(parameter.detach().clone());
    }
  }

  trainer.step(tiny_batch(1));

  // Adam's first step is the learning rate wherever the gradient is well above epsilon.
  EXPECT_NEAR(largest_change(ParameterGroup::kSupn, before[ParameterGroup::kSupn]), 1e-3, 2e-5);
  EXPECT_NEAR(largest_change(ParameterGroup::kMean, before[ParameterGroup::kMean]), 1e-4, 2e-6);
  EXPECT_NEAR(largest_change(ParameterGroup::kGamma, before[ParameterGroup::kGamma]), 2e-2, 4e-4);
}

TEST(Trainer, StopsAtALossThatIsNotFiniteNamingEpochStepAndImages) {
  Trainer trainer(compact_network(), quick_config(), 2);
  trainer.step(tiny_batch(1));
  trainer.step(tiny_batch(2));
  trainer.finish_epoch();
  const auto before = state_of(trainer.network());
  Batch broken = tiny_batch(7);
  broken.predictions[0][1][2][3][4] = std::numeric_limits<float>::quiet_NaN();
  try {
    trainer.step(broken);
    FAIL() << "went on with a NaN";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("epoch 2"), std::string::npos) << message;
    EXPECT_NE(message.find("step 1 of 2"), std::string::npos) << message;
    EXPECT_NE(message.find("scene_7_0 scene_7_1"), std::string::npos) << message;
    EXPECT_NE(message.find("the members' maps of image scene_7_1 at scale 0"), std::string::npos)
        << message;
  }
  EXPECT_TRUE(differing(before, state_of(trainer.network())).empty());
}

// Finite weights with which the block's log-diagonal overflows: 1e30 times 1e30.
// Sound steps of every form must pass, in both stages, and give the same weights as unwatched ones.
TEST(Trainer, ReportsTheWhitenedMembersVariance) {
  SupnNetwork net = compact_network();
  Trainer trainer(net, quick_config(), 4);
  const Batch batch = tiny_batch(1);
  double expected = 0.0;
  {
    const at::NoGradGuard no_grad;
    const StructuredGaussian gaussian = net->forward(batch.image)[0];
    expected = whiten(gaussian, batch.predictions[0]).square().mean().item<double>();
  }
  EXPECT_NEAR(trainer.step(batch).residual_variance, expected, 1e-3 * expected);
}

void expect_resumed_equals_straight(SupnNetwork (*make)()) {
  TrainingConfig config = quick_config();
  config.losses.target_noise = 0.01;
  config.warm_up.epochs = 1;
  config.epochs = 2;
  const auto epoch = [](Trainer& trainer, std::uint64_t first) {
    for (std::uint64_t step = first; step < first + 2; ++step) {
      trainer.step(tiny_batch(step, 2, scales_of(trainer.network())));
    }
    trainer.finish_epoch();
  };
  for (const int stop : {1, 2}) {
    Trainer straight(make(), config, 2);
    for (std::uint64_t e = 0; e < 3; ++e) epoch(straight, 10 * e);

    Trainer first(make(), config, 2);
    for (int e = 0; e < stop; ++e) epoch(first, static_cast<std::uint64_t>(10 * e));
    const SupnNetwork fresh = make();
    load_state(fresh, state_of(first.network()));
    Trainer second(fresh, config, 2);
    second.restore(first.progress(), first.optimizer_state());
    for (int e = stop; e < 3; ++e) epoch(second, static_cast<std::uint64_t>(10 * e));

    EXPECT_EQ(differing(state_of(straight.network()), state_of(second.network())),
              std::vector<std::string>{})
        << "stopped after epoch " << stop;
    EXPECT_TRUE(differing(straight.optimizer_state(), second.optimizer_state()).empty());
    EXPECT_FALSE(straight.optimizer_state().empty());
    EXPECT_FALSE(differing(state_of(make()), state_of(second.network())).empty());
  }
}

TEST(Trainer, ResumedIsBitIdenticalToNeverStoppedCompact) {
  expect_resumed_equals_straight(compact_network);
}

TEST(Trainer, ResumedIsBitIdenticalToNeverStoppedCoarseToFine) {
  expect_resumed_equals_straight(coarse_to_fine_network);
}

TEST(Trainer, ResumedIsBitIdenticalToNeverStoppedResnet18) {
  expect_resumed_equals_straight(resnet_network);
}

TEST(Trainer, RefusesLossesThatTheNetworkCannotGive) {
  TrainingConfig std_match = quick_config();
  std_match.losses.std_match = 0.3;
  EXPECT_THROW(Trainer(compact_network(), std_match, 1), ConfigError);
  TrainingConfig scales = quick_config();
  scales.losses.scales = 4;
  EXPECT_THROW(Trainer(compact_network(), scales, 1), ConfigError);
  EXPECT_THROW(Trainer(coarse_to_fine_network(), std_match, 1), ConfigError);
  TrainingConfig nothing = quick_config();
  nothing.optimizer.learning_rate = 0.0;
  EXPECT_THROW(Trainer(compact_network(), nothing, 1), ConfigError);
}

}  // namespace
}  // namespace supn
