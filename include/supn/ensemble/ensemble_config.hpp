// The configuration of an ensemble says where its members are and how to read their output.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "supn/option_fields.hpp"

namespace supn {

// Names what a member's output maps hold. Sample files always hold logits.
enum class MemberQuantity { kLogit, kSigmoid, kDisparity, kDepth };

template <>
struct OptionNames<MemberQuantity> {
  static constexpr std::array<std::pair<std::string_view, MemberQuantity>, 4> values{
      {{"logit", MemberQuantity::kLogit},
       {"sigmoid", MemberQuantity::kSigmoid},
       {"disparity", MemberQuantity::kDisparity},
       {"depth", MemberQuantity::kDepth}}};
};

enum class SampleDtype { kFloat32, kFloat16 };

template <>
struct OptionNames<SampleDtype> {
  static constexpr std::array<std::pair<std::string_view, SampleDtype>, 2> values{
      {{"float32", SampleDtype::kFloat32}, {"float16", SampleDtype::kFloat16}}};
};

struct EnsembleConfig {
  std::vector<std::filesystem::path> members;
  MemberQuantity quantity = MemberQuantity::kLogit;
  std::vector<std::string> output_keys;
  std::string log_scale_key;
  bool horizontal_flip = false;
  SampleDtype dtype = SampleDtype::kFloat32;
  std::int64_t batch_size = 1;
  double min_depth = 0.1;
  double max_depth = 100.0;
  double depth_scale = 1.0;
  double saturation = 1e-6;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("members",
                 self.members,
                 "files of networks, [B,3,H,W] RGB in [0,1] to maps: TorchScript, or safetensors "
                 "of supn_import"));
    visit(option("quantity", self.quantity, "what the members' maps are"));
    visit(
        option("output_keys",
               self.output_keys,
               "output per scale, finest first: keys of a dict, positions of a list or tuple (from "
               "0); empty = the tensor, or every element of the list"));
    visit(option("log_scale_key",
                 self.log_scale_key,
                 "key or position of the finest predicted log-scale, stored beside; empty = none"));
    visit(option("horizontal_flip",
                 self.horizontal_flip,
                 "each member once more on the mirrored image, after all the others"));
    visit(option("dtype",
                 self.dtype,
                 "of the sample files; float16 adds rounding noise of about 7e-4 to logits"));
    visit(option("batch_size", self.batch_size, "images per forward pass").range(1, 1024));
    visit(option("min_depth", self.min_depth, "depth where sigmoid = 1").range(1e-6, 1e6));
    visit(option("max_depth", self.max_depth, "depth where sigmoid = 0").range(1e-6, 1e6));
    visit(option("depth_scale",
                 self.depth_scale,
                 "disparity = depth_scale / depth, for members that output depth")
              .range(1e-6, 1e6));
    visit(option("saturation",
                 self.saturation,
                 "sigmoids are clamped to [saturation, 1 - saturation] before the logit is taken")
              .range(1e-12, 0.1));
  }
};

}  // namespace supn
