// Small networks to train, and comparison of their states.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>

#include <map>
#include <string>
#include <vector>

#include "supn/training/trainer.hpp"

namespace supn::testing_data {

inline SupnNetwork network(Backbone backbone, OffDiagonalForm form, std::int64_t radius) {
  at::manual_seed(1);
  NetworkConfig config;
  config.backbone = backbone;
  config.off_diagonal = form;
  config.neighbourhood_radius = radius;
  return SupnNetwork(config);
}

inline SupnNetwork compact_network() {
  return network(Backbone::kCompact, OffDiagonalForm::kRelative, 1);
}

inline SupnNetwork resnet_network() {
  return network(Backbone::kResnet18, OffDiagonalForm::kPaper, 1);
}

inline SupnNetwork coarse_to_fine_network() {
  at::manual_seed(1);
  return SupnNetwork(
      NetworkConfig{.backbone = Backbone::kCompact, .order = PixelOrder::kCoarseToFine});
}

inline std::int64_t scales_of(const SupnNetwork& net) { return net->scales(); }

inline TrainingConfig quick_config() {
  TrainingConfig config;
  config.epochs = 2;
  config.optimizer.learning_rate = 2e-3;
  config.schedule.kind = ScheduleKind::kCosine;
  return config;
}

inline std::map<std::string, at::Tensor> state_of(const SupnNetwork& net) {
  std::map<std::string, at::Tensor> state;
  for (const auto& item : net->named_parameters())
    state[item.key()] = item.value().detach().clone();
  for (const auto& item : net->named_buffers()) state[item.key()] = item.value().clone();
  return state;
}

inline void load_state(const SupnNetwork& net, const std::map<std::string, at::Tensor>& state) {
  const at::NoGradGuard no_grad;
  for (auto& item : net->named_parameters()) item.value().copy_(state.at(item.key()));
  for (auto& item : net->named_buffers()) item.value().copy_(state.at(item.key()));
}

inline std::vector<std::string> differing(const std::map<std::string, at::Tensor>& a,
                                          const std::map<std::string, at::Tensor>& b) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : a) {
    if (!at::equal(tensor, b.at(name))) names.push_back(name);
  }
  return names;
}

}  // namespace supn::testing_data
