#include "view/session.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linspace.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inference/quantity.hpp"
#include "supn/errors.hpp"
#include "supn/evaluation/depth/outlier_gate.hpp"
#include "supn/io/colour_map.hpp"
#include "supn/io/resize.hpp"
#include "supn/serialization/json.hpp"
#include "view/command_text.hpp"
#include "view/uploads.hpp"

namespace supn {
namespace {

Quantity quantity_in(Fields& fields) {
  const std::string text = fields.text("quantity");
  for (const auto& [name, quantity] : OptionNames<Quantity>::values) {
    if (name == text) return quantity;
  }
  throw BadRequest("quantity: expected logit, disparity or depth, found '" + excerpt(text) + "'");
}

void add_measured(Bundle& bundle, const DepthMeasurements& measured) {
  bundle.add("measured_pixels", measured.pixels);
  bundle.add("measured_depths", measured.depth_m);
}

void add_colours(Bundle& bundle) {
  constexpr std::int64_t kColours = 256;
  const at::Tensor ramp = at::linspace(0.0, 1.0, kColours, at::kDouble).unsqueeze(0);
  bundle.add("magma", colourise(ramp, {}, ColourMap::kMagma));
  bundle.add("magma_reversed", colourise(ramp, {}, ColourMap::kMagmaReversed));
  bundle.add("viridis", colourise(ramp, {}, ColourMap::kViridis));
  bundle.add("red_blue", colourise(ramp, {}, ColourMap::kRedBlue));
}

// JSON knows no number that is not finite: null.
Json scores_json(const std::optional<HeldBackScores>& scores) {
  if (!scores) return nullptr;
  return {{"points", scores->points},
          {"abs_rel", scores->accuracy.abs_rel},
          {"rmse", scores->accuracy.rmse},
          {"coverage_90", scores->coverage_90}};
}

}  // namespace

Session::Session(GaussianSource& source, const Gallery& gallery, const ViewArguments& arguments)
    : source_(source), gallery_(gallery), arguments_(arguments) {
  look_at(0);
}

Session::Handler Session::handler_of(std::string_view route) {
  static constexpr std::array<std::pair<std::string_view, Handler>, 8> kHandlers{
      {{"open", &Session::open},
       {"field", &Session::field},
       {"samples", &Session::samples},
       {"members", &Session::members},
       {"correlation", &Session::correlation},
       {"regions", &Session::regions},
       {"next", &Session::next},
       {"measurements", &Session::measurements}}};
  for (const auto& [name, handler] : kHandlers) {
    if (name == route) return handler;
  }
  return nullptr;
}

Reply Session::answer(const Question& question) {
  const at::NoGradGuard no_grad;
  const Handler handler = handler_of(question.route);
  if (handler == nullptr) return error_reply(404, "nothing is called " + excerpt(question.route));
  try {
    return (this->*handler)(question);
  } catch (const BadRequest& error) {
    return error_reply(error.status(), error.what());
  } catch (const JsonError& error) {
    return error_reply(400, error.what());
  } catch (const ConfigError& error) {
    return error_reply(422, error.what());
  } catch (const IoError& error) {
    return error_reply(422, error.what());
  }
}

std::optional<double> Session::scale_of(const Picture& picture,
                                        const StructuredGaussian& gaussian) const {
  if (arguments_.scale == ViewScale::kNone) return std::nullopt;
  if (arguments_.scale == ViewScale::kFixed) return arguments_.fixed_scale;
  if (picture.depth_m.defined()) {
    const DepthMeasurements measured = measurements_on_grid(picture.depth_m, gaussian.size());
    if (measured.count() > 0) return median_scale(gaussian.mean()[0][0], measured, DepthRange());
  }
  if (arguments_.scale == ViewScale::kAuto) return std::nullopt;
  throw ConfigError("--scale median: nothing is measured in " + picture.image.path.string());
}

void Session::look_at(std::size_t index) {
  const at::NoGradGuard no_grad;
  Picture picture = gallery_.load(index);
  const StructuredGaussian gaussian = source_.predict(picture.rgb, picture.image.path.string());
  const std::optional<double> scale = scale_of(picture, gaussian);
  if (!scale) picture.depth_m = at::Tensor();
  viewed_.emplace(gaussian, std::move(picture), scale, arguments_.seed);
  index_ = index;
}

Reply Session::open(const Question& question) {
  Fields fields(question.body);
  const auto last = static_cast<std::int64_t>(gallery_.images().size()) - 1;
  const auto index = static_cast<std::size_t>(fields.integer("index", 0, last));
  fields.finish();
  if (index != index_) look_at(index);
  const Picture& picture = viewed_->picture();
  Json names = Json::array();
  for (const InputImage& image : gallery_.images()) names.push_back(image.name);
  const ImageSize size = viewed_->size();
  const DepthRange range;
  Bundle bundle;
  bundle.facts() = {{"index", index},
                    {"images", std::move(names)},
                    {"name", picture.image.name},
                    {"width", size.width},
                    {"height", size.height},
                    {"image_width", picture.size.width},
                    {"image_height", picture.size.height},
                    {"scale", viewed_->scale() ? Json(*viewed_->scale()) : Json(nullptr)},
                    {"min_disparity", 1.0 / range.max_depth},
                    {"max_disparity", 1.0 / range.min_depth},
                    {"members", picture.members.defined() ? picture.members.size(0) : 0},
                    {"outlier", GateOptions().limit},
                    {"seed", arguments_.seed},
                    {"command", command_text(arguments_, picture.image)},
                    {"takes_scans", !arguments_.measurements.calibration.empty()}};
  if (picture.rgb.defined()) bundle.add("rgb", resize_lanczos(picture.rgb, size));
  add_measured(bundle, viewed_->measured());
  add_colours(bundle);
  return bundle.reply();
}

Reply Session::field(const Question& question) {
  Fields fields(question.body);
  const Quantity quantity = quantity_in(fields);
  const KnownDepths known = known_depths(fields, viewed_->size());
  fields.finish();
  const LogitMarginals marginals = viewed_->marginals(known);
  const at::Tensor distances = viewed_->distances(known);
  Bundle bundle;
  bundle.add("mean", marginals.mean);
  bundle.add("logit_std", marginals.variance.sqrt());
  bundle.add("std", exact_std(marginals, {quantity, viewed_->scale()}));
  Json points = Json::array();
  for (std::size_t i = 0; i < known.points.size(); ++i) {
    points.push_back({{"pixel", known.points[i].pixel},
                      {"distance", distances[static_cast<std::int64_t>(i)].item<double>()}});
  }
  bundle.facts() = {{"points", std::move(points)}, {"scores", scores_json(viewed_->scores(known))}};
  return bundle.reply();
}

Reply Session::samples(const Question& question) {
  Fields fields(question.body);
  const std::int64_t first = fields.integer("first", 0, 1'000'000);
  const std::int64_t count = fields.integer("count", 1, kMostSamples);
  const KnownDepths known = known_depths(fields, viewed_->size());
  fields.finish();
  Bundle bundle;
  bundle.add("samples", viewed_->samples(known, {first, count}));
  return bundle.reply();
}

Reply Session::members(const Question& question) {
  Fields(question.body).finish();
  Bundle bundle;
  bundle.add("members", viewed_->picture().members);
  return bundle.reply();
}

Reply Session::correlation(const Question& question) {
  Fields fields(question.body);
  const ImageSize size = viewed_->size();
  const std::int64_t x = fields.integer("x", 0, size.width - 1);
  const std::int64_t y = fields.integer("y", 0, size.height - 1);
  const KnownDepths known = known_depths(fields, size);
  fields.finish();
  Bundle bundle;
  bundle.add("correlation", viewed_->correlation(known, y * size.width + x));
  return bundle.reply();
}

Reply Session::next(const Question& question) {
  Fields fields(question.body);
  const std::int64_t count = fields.integer("count", 1, 100);
  const KnownDepths known = known_depths(fields, viewed_->size());
  fields.finish();
  const ActiveMeasurement plan = viewed_->next(known, count, question.check);
  Bundle bundle;
  bundle.add("pixels", plan.pixels);
  bundle.add("total_variance", plan.total_variance);
  return bundle.reply();
}

Reply Session::regions(const Question& question) {
  Fields fields(question.body);
  const std::vector<PixelBox> boxes = pixel_boxes(fields, viewed_->size());
  const KnownDepths known = known_depths(fields, viewed_->size());
  fields.finish();
  const ViewedImage::Regions regions = viewed_->regions(known, boxes);
  Bundle bundle;
  bundle.add("mean", regions.mean);
  bundle.add("covariance", regions.covariance);
  bundle.add("depth_mean", regions.depth.mean);
  bundle.add("depth_covariance", regions.depth.covariance);
  return bundle.reply();
}

Reply Session::measurements(const Question& question) {
  if (!viewed_->scale()) {
    throw BadRequest(
        "measured depths are metres, and the scale of these maps is not known; start "
        "supn_view with --scale NUMBER",
        422);
  }
  const Picture& picture = viewed_->picture();
  std::optional<ImageSize> image_size;
  if (picture.rgb.defined()) image_size = picture.size;
  const at::Tensor depth_m = uploaded_measurements(
      {question.file_name, question.body}, arguments_.measurements, {picture.size, image_size});
  Bundle bundle;
  viewed_->set_measured(depth_m);
  add_measured(bundle, viewed_->measured());
  return bundle.reply();
}

}  // namespace supn
