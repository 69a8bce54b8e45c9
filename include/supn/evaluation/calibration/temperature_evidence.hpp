// What the images of a split say of how wide a model's Gaussians should be, gathered image by image
// with temperature 1: by the ensemble's members, or by ground-truth points.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "supn/evaluation/calibration/temperature_fit.hpp"
#include "supn/evaluation/calibration/truth_calibration.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/evaluation/fields/joint_field.hpp"
#include "supn/gaussian/isotropic_field.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/gaussian/tails.hpp"

namespace supn {

class TemperatureEvidence {
 public:
  // members: logits [S,h,w] of the Gaussian's size.
  void add_members(const StructuredGaussian& gaussian, const at::Tensor& members);

  // The truth of one image, at random points of the protocol's.
  struct Image {
    at::Tensor depth_m;  // [H,W], 0 = none; or undefined
    std::uint64_t seed = 0;
  };
  // 100 points, jointly; an image with fewer than two says nothing.
  void add_truth(const JointField& field, const Image& image, const EvaluationConfig& config);
  // 400 points, for tails(); an image with fewer says nothing.
  void add_points(const JointField& field, const Image& image, const EvaluationConfig& config);

  // Images that said something, and the points of ground truth in all of them.
  std::int64_t images() const { return std::ssize(densities_); }
  std::int64_t points() const;

  // Members: τ² = mean z², z the whitened members. Truth: the τ of the highest joint density.
  // NaN as fit_temperature.
  FittedTemperature temperature() const { return fit_temperature(densities_); }
  // Fits a field to the log of true over predicted depth at the points of add_truth.
  std::optional<IsotropicField> isotropic() const { return fit_isotropic_field(log_ratios_); }
  // Fits the tails of what is left given 25, 50, 100 and 200 points with 2 % noise, with this
  // temperature; nothing without an image of add_points.
  std::optional<Tails> tails(double temperature) const;

 private:
  // An image's ground truth at points in random order.
  struct RandomPoints {
    PointGaussian joint;
    at::Tensor logits;
    at::Tensor noise_variance;
  };

  std::vector<DensityEvidence> densities_;  // an element an image, as all of these
  std::vector<FieldPoints> log_ratios_;     // of true to predicted depth
  std::vector<RandomPoints> points_;
};

}  // namespace supn
