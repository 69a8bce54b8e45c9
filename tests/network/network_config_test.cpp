#include "supn/network/network_config.hpp"

#include <gtest/gtest.h>

#include "supn/errors.hpp"

namespace supn {
namespace {

TEST(NetworkConfig, DefaultsAreThePapersFullModel) {
  const NetworkConfig config;
  EXPECT_EQ(config.backbone, Backbone::kResnet18);
  EXPECT_EQ(config.neighbourhood_radius, 2);
  EXPECT_EQ(config.off_diagonal, OffDiagonalForm::kPaper);
  EXPECT_NO_THROW(check_network_config(config));
}

TEST(NetworkConfig, RefusesOptionsOfTheOtherOrder) {
  constexpr PixelOrder kOrder = PixelOrder::kCoarseToFine;
  EXPECT_NO_THROW(check_network_config({.order = kOrder, .classes = 3, .neighbours = 20}));
  EXPECT_THROW(check_network_config({.order = kOrder, .neighbourhood_radius = 1}), ConfigError);
  EXPECT_THROW(check_network_config({.order = kOrder, .off_diagonal = OffDiagonalForm::kFactored}),
               ConfigError);
  EXPECT_THROW(check_network_config({.order = kOrder, .diagonal_scaling = false}), ConfigError);
  EXPECT_THROW(check_network_config({.classes = 3}), ConfigError);
  EXPECT_THROW(check_network_config({.neighbours = 20}), ConfigError);
  EXPECT_THROW(check_network_config({.start = {.std = 1.0}}), ConfigError);
  EXPECT_THROW(check_network_config({.order = kOrder, .classes = 4}), ConfigError);
}

TEST(NetworkConfig, InputSizesFitTheBackbone) {
  EXPECT_NO_THROW(check_input_size(Backbone::kResnet18, {192, 640}));
  EXPECT_NO_THROW(check_input_size(Backbone::kCompact, {48, 80}));
  EXPECT_THROW(check_input_size(Backbone::kResnet18, {48, 80}), ConfigError);
  EXPECT_THROW(check_input_size(Backbone::kResnet18, {32, 64}), ConfigError);
  EXPECT_THROW(check_input_size(Backbone::kCompact, {0, 64}), ConfigError);
}

TEST(NetworkConfig, EveryNameStandsForOneForm) {
  for (const auto& [name, form] : OptionNames<OffDiagonalForm>::values)
    EXPECT_EQ(option_name(form), name);
}

}  // namespace
}  // namespace supn
