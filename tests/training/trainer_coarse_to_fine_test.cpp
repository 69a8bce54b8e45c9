// The trainer with a factor from coarse to fine, and with the mean apart from it.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "supn/gaussian/likelihood.hpp"
#include "supn/training/trainer.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

namespace supn {
namespace {

using testing_data::coarse_to_fine_network;
using testing_data::compact_network;
using testing_data::quick_config;
using testing_data::tiny_batch;

TEST(CoarseToFineTrainer, LearnsTheMeanApartFromTheFactor) {
  TrainingConfig config = quick_config();
  config.optimizer.learning_rate = 5e-4;
  config.losses.mean = MeanLoss::kL1;
  Trainer trainer(coarse_to_fine_network(), config, 20);
  std::vector<StepReport> reports;
  for (int step = 0; step < 20; ++step) reports.push_back(trainer.step(tiny_batch(1)));

  ASSERT_EQ(reports.front().terms.size(), 1U);
  EXPECT_GT(reports.front().mean_l1, 0.0);
  EXPECT_NEAR(reports.front().terms[0] + reports.front().mean_l1, reports.front().loss, 1e-4);
  EXPECT_LT(reports.back().terms[0], reports.front().terms[0]);
  EXPECT_LT(reports.back().mean_l1, reports.front().mean_l1);
}

// The mean learns nothing from the likelihood: only the noise, which the L1 does not see, differs.
TEST(CoarseToFineTrainer, KeepsTheMeanThatItLearnsByL1WhateverTheFactor) {
  TrainingConfig config = quick_config();
  config.losses.mean = MeanLoss::kL1;
  config.optimizer.clip_norm = 0.0;
  std::vector<at::Tensor> means;
  for (const double noise : {0.0, 0.5}) {
    config.losses.target_noise = noise;
    Trainer trainer(coarse_to_fine_network(), config, 4);
    for (std::uint64_t step = 0; step < 2; ++step) trainer.step(tiny_batch(step));
    const at::NoGradGuard no_grad;
    SupnNetwork trained = trainer.network();
    means.push_back(trained->means(tiny_batch(5).image).front());
  }
  EXPECT_TRUE(means[0].equal(means[1]));
}

TEST(CoarseToFineTrainer, ReportsTheWhitenedMembersVarianceByLevel) {
  SupnNetwork net = coarse_to_fine_network();
  Trainer trainer(net, quick_config(), 4);
  const Batch batch = tiny_batch(1);
  at::Tensor squares;
  {
    const at::NoGradGuard no_grad;
    const StructuredGaussian gaussian = net->forward(batch.image)[0];
    squares = whiten(gaussian, batch.predictions[0].narrow(1, 0, 1)).square();
  }
  const std::vector<double> variances = trainer.step(batch).level_variances;
  ASSERT_EQ(variances.size(), 6U);
  const double coarsest =
      squares.slice(2, 16, std::nullopt, 32).slice(3, 16, std::nullopt, 32).mean().item<double>();
  EXPECT_NEAR(variances[5], coarsest, 1e-4 * coarsest);
  EXPECT_TRUE(Trainer(compact_network(), quick_config(), 4).step(batch).level_variances.empty());
}

TEST(CoarseToFineTrainer, GivesTheHeadsOfFewPixelsTheirLearningRate) {
  TrainingConfig config = quick_config();
  config.optimizer = {.learning_rate = 1e-3, .coarse_factor = 0.25};
  Trainer trainer(coarse_to_fine_network(), config, 4);
  trainer.step(tiny_batch(1));
  // The heads' last weights start at 0.
  double largest = 0.0;
  for (const at::Tensor& weight : parameters_of(*trainer.network(), ParameterGroup::kCoarse)) {
    if (weight.dim() == 4 && weight.size(2) == 4) {
      largest = std::max(largest, weight.abs().max().item<double>());
    }
  }
  EXPECT_NEAR(largest, 0.25e-3, 1e-5);
}

}  // namespace
}  // namespace supn
