// Values that are not finite: found, named, and not imagined.
#include <gtest/gtest.h>

#include <limits>

#include "supn/errors.hpp"
#include "training/tiny_batch.hpp"
#include "training/trainer_fixture.hpp"

namespace supn {
namespace {

using testing_data::compact_network;
using testing_data::differing;
using testing_data::network;
using testing_data::quick_config;
using testing_data::state_of;
using testing_data::tiny_batch;

std::string refusal(Trainer& trainer, const Batch& batch) {
  try {
    trainer.step(batch);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void overwrite(const SupnNetwork& net, const std::string& name, double value) {
  const at::NoGradGuard no_grad;
  auto parameters = net->named_parameters();
  parameters[name].fill_(value);  // throws where there is no such parameter
}

void overflow(const SupnNetwork& net, const std::string& block) {
  overwrite(net, block + ".pre.conv.conv.bias", 1e30);
  overwrite(net, block + ".diag.conv.weight", 1e30);
}

TEST(Trainer, NamesTheFirstLayerThatOverflows) {
  for (const std::string block : {"supn.block.0", "supn.block.2"}) {
    const SupnNetwork net = compact_network();
    Trainer trainer(net, quick_config(), 2);
    overflow(net, block);

    const std::string message = refusal(trainer, tiny_batch(1));

    EXPECT_NE(message.find("in the forward pass, at or after layer " + block + ".diag.conv"),
              std::string::npos)
        << message;
  }
}

TEST(Trainer, NamesTheWeightThatIsNotFinite) {
  const SupnNetwork net = compact_network();
  Trainer trainer(net, quick_config(), 2);
  overwrite(net, "supn.block.1.off.conv.bias", std::numeric_limits<double>::quiet_NaN());

  const std::string message = refusal(trainer, tiny_batch(1));

  EXPECT_NE(message.find("the weight supn.block.1.off.conv.bias"), std::string::npos) << message;
}

TEST(Trainer, NamesThePixelsThatAreNotFinite) {
  Trainer trainer(compact_network(), quick_config(), 2);
  Batch batch = tiny_batch(3);
  batch.image[1][0][0][0] = std::numeric_limits<float>::infinity();
  EXPECT_NE(refusal(trainer, batch).find("the pixels of image scene_3_1"), std::string::npos);
}

TEST(Trainer, DetectsNoAnomalyWhereThereIsNone) {
  for (const auto& choice : OptionNames<OffDiagonalForm>::values) {
    TrainingConfig config = quick_config();
    config.warm_up.epochs = 1;
    config.losses.target_noise = 0.01;
    config.losses.energy_match = 0.1;
    std::vector<std::map<std::string, at::Tensor>> states;
    for (const auto detection : {AnomalyDetection::kAfterTheFact, AnomalyDetection::kEveryStep}) {
      Trainer trainer(network(Backbone::kCompact, choice.second, 2), config, 1);
      trainer.detect_anomalies(detection);
      EXPECT_EQ(refusal(trainer, tiny_batch(1)), "") << choice.first;
      trainer.finish_epoch();
      EXPECT_EQ(refusal(trainer, tiny_batch(2)), "") << choice.first;
      states.push_back(state_of(trainer.network()));
    }
    EXPECT_TRUE(differing(states[0], states[1]).empty()) << choice.first;
  }
}

TEST(Trainer, DetectsAnAnomalyThatTheLossHides) {
  // The third scale is not part of the loss.
  TrainingConfig config = quick_config();
  config.losses.scales = 1;
  const SupnNetwork net = compact_network();
  overflow(net, "supn.block.2");
  Trainer unaware(net, config, 2);
  unaware.detect_anomalies(AnomalyDetection::kAfterTheFact);
  EXPECT_EQ(refusal(unaware, tiny_batch(1)), "");
  Trainer watching(net, config, 2);
  watching.detect_anomalies(AnomalyDetection::kEveryStep);

  const std::string message = refusal(watching, tiny_batch(1));

  EXPECT_NE(message.find("a value is not finite"), std::string::npos) << message;
  EXPECT_NE(message.find("supn.block.2.diag.conv"), std::string::npos) << message;
}

}  // namespace
}  // namespace supn
