// A session on a small Gaussian over logits, from a file, with an image of another size.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/smooth_gaussian.hpp"
#include "io/temporary_folder.hpp"
#include "supn/io/image.hpp"
#include "supn/network/gaussian_file.hpp"
#include "view/gallery.hpp"
#include "view/session.hpp"

namespace supn {

// Logits around −2 (depths of about 4.4 m at scale 5.4) on 12 × 16 pixels; the image has 24 × 32.
class ViewTest : public TemporaryFolder {
 protected:
  static constexpr std::int64_t kHeight = 12;
  static constexpr std::int64_t kWidth = 16;

  void SetUp() override {
    TemporaryFolder::SetUp();
    write_gaussian(folder_ / "g.safetensors", {gaussian_, kLogitOfDisparity, {}}, at::kFloat);
    write_png(folder_ / "image.png", at::full({2 * kHeight, 2 * kWidth, 3}, 90, at::kByte));
    arguments_.source.gaussian = folder_ / "g.safetensors";
    arguments_.image = folder_ / "image.png";
    arguments_.scale = ViewScale::kFixed;
    arguments_.fixed_scale = 5.4;
    start();
  }

  // Anew, after a change of the arguments.
  void start() {
    source_.emplace(arguments_.source, c10::Device(c10::kCPU));
    gallery_.emplace(arguments_, std::nullopt, *source_);
    session_.emplace(*source_, *gallery_, arguments_);
  }

  // With the parts that every question about the Gaussian has.
  static Json given(Json parts, Json points = Json::array()) {
    parts["points"] = std::move(points);
    parts["noise_metres"] = 0.0;
    parts["noise_relative"] = 0.02;
    return parts;
  }
  Reply answer(const std::string& route, const Json& body) {
    return session_->answer({.route = route, .body = body.dump()});
  }
  // The array of a bundle, as float64; the reply must be one.
  at::Tensor array(const Reply& reply, const std::string& name) {
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::uint32_t length = 0;
    std::memcpy(&length, reply.body.data(), sizeof(length));
    const Json head = Json::parse(reply.body.substr(sizeof(length), length));
    std::size_t offset = sizeof(length) + length;
    for (const Json& entry : head.at("arrays")) {
      const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
      const std::string dtype = entry.at("dtype");
      const at::ScalarType type = dtype == "float32" ? at::kFloat
                                  : dtype == "int32" ? at::kInt
                                                     : at::kByte;
      EXPECT_EQ(offset % 4, 0U);
      std::string bytes = reply.body.substr(offset);
      const at::Tensor values = at::from_blob(bytes.data(), shape, type).to(at::kDouble);
      if (entry.at("name") == name) return values.clone();
      offset += (static_cast<std::size_t>(values.numel()) * c10::elementSize(type) + 3) / 4 * 4;
    }
    ADD_FAILURE() << "no array " << name;
    return {};
  }
  static Json facts(const Reply& reply) {
    std::uint32_t length = 0;
    std::memcpy(&length, reply.body.data(), sizeof(length));
    return Json::parse(reply.body.substr(sizeof(length), length));
  }
  static std::string error(const Reply& reply) { return Json::parse(reply.body).at("error"); }
  static double largest_difference(const at::Tensor& a, const at::Tensor& b) {
    return a.to(at::kDouble).sub(b.to(at::kDouble)).abs().max().item<double>();
  }

  StructuredGaussian gaussian_ = smooth_gaussian({kHeight, kWidth});
  ViewArguments arguments_;
  std::optional<GaussianSource> source_;
  std::optional<Gallery> gallery_;
  std::optional<Session> session_;
};

}  // namespace supn
