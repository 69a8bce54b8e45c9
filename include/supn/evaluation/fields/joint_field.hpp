// What an evaluation asks of a joint Gaussian over one image's logits, however its covariance is
// held: a sparse factor of the precision, a few directions and a diagonal, or a smoothing kernel.
// h, w: the maps' size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "supn/gaussian/noise.hpp"
#include "supn/gaussian/structured_gaussian.hpp"
#include "supn/image_size.hpp"

namespace supn {

struct FieldSamples {
  at::Tensor values;            // [S,h,w]
  std::int64_t non_finite = 0;  // of the values, infinite or not a number
};

// Everything is exact, on the CPU, without a graph, in float64 unless said otherwise. Bits do not
// depend on the number of threads.
class JointField {
 public:
  JointField() = default;
  virtual ~JointField() = default;
  JointField(const JointField&) = delete;
  JointField& operator=(const JointField&) = delete;

  virtual ImageSize size() const = 0;
  virtual at::Tensor mean() const = 0;      // [h,w], of the field's own dtype
  virtual at::Tensor variance() const = 0;  // [h,w], marginal
  // The samples of a seed are always the same, whatever range they are drawn in.
  virtual FieldSamples samples(std::uint64_t seed, const SampleRange& range) const = 0;
  // Whether log_prob can be asked for; where it can't, likelihoods are not measured.
  virtual bool has_density() const { return true; }
  // Nats of d [S,h,w] summed over pixels: [S].
  virtual at::Tensor log_prob(const at::Tensor& d) const = 0;
  // Returns the variances [M] of aᵀd for weights a [M,h,w].
  virtual at::Tensor functional_variance(const at::Tensor& weights) const = 0;
  // Of the pixels with raster indices int64 [K] with all: [K,h,w].
  virtual at::Tensor covariance_rows(const at::Tensor& pixels) const = 0;
  // Of the pixels among each other: [K,K].
  at::Tensor covariance(const at::Tensor& pixels) const;
};

// A view of a structured Gaussian of one image. Throws c10::Error for a batch.
class StructuredField final : public JointField {
 public:
  explicit StructuredField(StructuredGaussian gaussian);

  ImageSize size() const override { return gaussian_.size(); }
  at::Tensor mean() const override;
  at::Tensor variance() const override;
  FieldSamples samples(std::uint64_t seed, const SampleRange& range) const override;
  at::Tensor log_prob(const at::Tensor& d) const override;
  at::Tensor functional_variance(const at::Tensor& weights) const override;
  at::Tensor covariance_rows(const at::Tensor& pixels) const override;

 private:
  StructuredGaussian gaussian_;
};

}  // namespace supn
