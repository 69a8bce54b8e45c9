#include "first_image.hpp"

#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>

#include "supn/errors.hpp"

namespace supn {
namespace {

std::string remedy() {
  return "; set ensemble.quantity to what the members output: logit, sigmoid, disparity or depth";
}

void check_saturation(const Member& member, const EnsembleConfig& config, const at::Tensor& map) {
  constexpr double kRounding = 1e-6;  // of limits to float32
  constexpr double kLargestShare = 0.5;
  const double limit = std::log((1.0 - config.saturation) / config.saturation);
  const auto saturated = map.abs().ge(limit * (1.0 - kRounding)).sum().item<double>();
  const double share = saturated / static_cast<double>(map.numel());
  if (share <= kLargestShare) return;
  throw ConfigError("ensemble.quantity: " + std::to_string(std::lround(100.0 * share)) + " % of " +
                    member.file().string() + "'s values on the first image are outside of what a " +
                    std::string(option_name(config.quantity)) + " can be" + remedy());
}

void check_range(const EnsembleConfig& config, const at::Tensor& logits) {
  if (config.quantity != MemberQuantity::kLogit) return;
  const auto lowest = logits.min().item<double>();
  const auto highest = logits.max().item<double>();
  if (lowest < 0.0 || highest > 1.0) return;
  throw ConfigError("ensemble.quantity: all logits of the first image lie between " +
                    c10::str(lowest) + " and " + c10::str(highest) + ", as sigmoids do" + remedy());
}

void check_distinct(std::span<const Member> members, const at::Tensor& logits) {
  for (std::size_t b = 1; b < members.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const auto map_of = [&](std::size_t m) {
        return logits.select(1, static_cast<std::int64_t>(m));
      };
      if (!map_of(a).equal(map_of(b))) continue;
      throw ConfigError("ensemble.members: " + members[a].file().string() + " and " +
                        members[b].file().string() +
                        " give the same map of the first image; list each network once");
    }
  }
}

}  // namespace

void check_first_image(std::span<const Member> members,
                       const EnsembleConfig& config,
                       const EnsembleMaps& maps) {
  const at::Tensor& finest = maps.logits.front();
  for (std::size_t m = 0; m < members.size(); ++m) {
    check_saturation(members[m], config, finest.select(1, static_cast<std::int64_t>(m)));
  }
  check_range(config, finest);
  check_distinct(members, finest);
}

}  // namespace supn
