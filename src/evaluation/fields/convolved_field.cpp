#include "supn/evaluation/fields/convolved_field.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "evaluation/fields/field_noise.hpp"
#include "supn/evaluation/threads.hpp"

namespace supn {
namespace {

constexpr double kKernelReach = 2.5;  // of the kernel, in ranges
constexpr std::int64_t kPixelsOfATask = 64;
constexpr std::int64_t kStripColumns = 8;  // of the image, factorised together

at::Tensor in_double(const at::Tensor& map) { return map.to(at::kDouble).contiguous(); }

// Maps [...,h,w] as [...,N], image column after image column.
at::Tensor by_columns(const at::Tensor& maps) { return maps.transpose(-2, -1).flatten(-2); }

}  // namespace

// One row of K after the other, as the pixels whose weight is not zero.
class ConvolvedField::Kernel {
 public:
  struct Tap {
    std::int64_t pixel;
    double weight;
  };

  explicit Kernel(const ConvolvedField& field)
      : size_(field.size()),
        std_(field.std_.const_data_ptr<double>()),
        range_(field.range_.const_data_ptr<double>()),
        feature_(field.feature_.const_data_ptr<double>()),
        share_(std::sqrt(1.0 - field.nugget_ * field.nugget_)) {}

  // Row n in raster order; it lasts until the next one is asked for.
  std::span<const Tap> row(std::int64_t n) {
    const std::int64_t y = n / size_.width;
    const std::int64_t x = n % size_.width;
    const double range = range_[n];
    const auto reach = static_cast<std::int64_t>(kKernelReach * range);
    const std::int64_t bottom = std::min(size_.height - 1, y + reach);
    const std::int64_t left = std::max<std::int64_t>(0, x - reach);
    const std::int64_t right = std::min(size_.width - 1, x + reach);
    taps_.clear();
    double squares = 0.0;
    for (std::int64_t v = std::max<std::int64_t>(0, y - reach); v <= bottom; ++v) {
      const double* feature = feature_ + v * size_.width;
      const auto dy = static_cast<double>(v - y);
      for (std::int64_t u = left; u <= right; ++u) {
        const auto dx = static_cast<double>(u - x);
        const double df = feature[u] - feature_[n];
        const double distance = (dy * dy + dx * dx) / (range * range) + df * df;
        // Before the root is taken: two in five pixels of the square are beyond the kernel's reach.
        if (distance >= kKernelReach * kKernelReach) continue;
        const double rest = 1.0 - std::sqrt(distance) / kKernelReach;
        taps_.push_back({v * size_.width + u, rest * rest});
        squares += taps_.back().weight * taps_.back().weight;
      }
    }
    const double scale = std_[n] * share_ / std::sqrt(squares);
    for (Tap& tap : taps_) tap.weight *= scale;
    return taps_;
  }

 private:
  ImageSize size_;
  const double* std_;
  const double* range_;
  const double* feature_;
  double share_;
  std::vector<Tap> taps_;
};

ConvolvedField::ConvolvedField(at::Tensor mean, const ConvolutionMaps& maps, double nugget)
    : mean_(in_double(mean)),
      std_(in_double(maps.std)),
      range_(in_double(maps.range)),
      feature_(in_double(maps.feature)),
      nugget_(nugget) {
  TORCH_CHECK(mean_.dim() == 2 && std_.sizes() == mean_.sizes() &&
                  range_.sizes() == mean_.sizes() && feature_.sizes() == mean_.sizes(),
              "ConvolvedField: expected mean, std, range and feature of one shape [h,w], got ",
              mean_.sizes(),
              ", ",
              std_.sizes(),
              ", ",
              range_.sizes(),
              " and ",
              feature_.sizes());
  TORCH_CHECK(std_.gt(0.0).all().item<bool>() && range_.gt(0.0).all().item<bool>() &&
                  nugget > 0.0 && nugget < 1.0,
              "ConvolvedField: expected a positive std and range, and a nugget within (0, 1), got ",
              nugget);
}

at::Tensor ConvolvedField::smooth(const at::Tensor& noise) const {
  const std::int64_t count = noise.size(0);
  // Samples side by side: each one's sum has the same order, however many there are.
  const at::Tensor white = noise.t().contiguous();
  const at::Tensor result = at::zeros(white.sizes(), white.options());
  const auto* in = white.const_data_ptr<double>();
  auto* out = result.mutable_data_ptr<double>();
  at::parallel_for(0, white.size(0), kPixelsOfATask, [&](std::int64_t begin, std::int64_t end) {
    Kernel kernel(*this);
    for (std::int64_t n = begin; n < end; ++n) {
      double* sums = out + n * count;
      for (const auto& [pixel, weight] : kernel.row(n)) {
        const double* values = in + pixel * count;
        for (std::int64_t s = 0; s < count; ++s) sums[s] += weight * values[s];
      }
    }
  });
  return result.t().contiguous();
}

at::Tensor ConvolvedField::kernel_rows(const at::Tensor& pixels) const {
  at::Tensor rows = at::zeros({pixels.size(0), mean_.numel()}, mean_.options());
  const at::Tensor indices = pixels.contiguous();
  Kernel kernel(*this);
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    double* row = rows.mutable_data_ptr<double>() + i * mean_.numel();
    const std::int64_t n = indices.const_data_ptr<std::int64_t>()[i];
    for (const auto& [pixel, weight] : kernel.row(n)) row[pixel] = weight;
  }
  return rows;
}

ConvolvedField::Deviations ConvolvedField::deviations(std::span<const SeededRange> ranges) const {
  std::vector<at::Tensor> streams;
  std::vector<at::Tensor> own;
  for (const auto& [seed, range] : ranges) {
    streams.push_back(field_noise(seed ^ kFieldStream, range, size()));
    own.push_back(field_noise(seed, range, size()));
  }
  const at::Tensor white = at::cat(streams);
  return {smooth(white.flatten(1)).view(white.sizes()), at::cat(own) * (std_ * nugget_)};
}

FieldSamples ConvolvedField::samples(std::uint64_t seed, const SampleRange& range) const {
  const std::array<SeededRange, 1> ranges{{{seed, range}}};
  const auto [smooth, own] = deviations(ranges);
  const at::Tensor values = mean_ + smooth + own;
  return {values, values.isfinite().logical_not().sum().item<std::int64_t>()};
}

// The rows of K for the pixels of a few image columns, column by column.
struct ConvolvedField::Strip {
  std::int64_t begin;        // of its pixels, in the order of columns
  std::int64_t left, right;  // the image columns that they reach
  at::Tensor kernel;         // [pixels, right - left, h]
  at::Tensor own_variance;   // [pixels], that of ν·s∘ε

  at::Tensor taps(std::int64_t from, std::int64_t to) const {
    return kernel.narrow(1, from - left, to - from).flatten(1);
  }
  // Its rows of a matrix [N,...].
  at::Tensor rows(const at::Tensor& matrix) const {
    return matrix.narrow(0, begin, kernel.size(0));
  }
  // It hangs on the pixels that both reach, and on no others.
  at::Tensor covariance_with(const Strip& other) const {
    const std::int64_t from = std::max(left, other.left);
    const std::int64_t to = std::min(right, other.right);
    if (from >= to) return at::zeros({kernel.size(0), other.kernel.size(0)}, kernel.options());
    at::Tensor product = at::matmul(taps(from, to), other.taps(from, to).t());
    if (&other == this) product.diagonal().add_(own_variance);
    return product;
  }
  static void factorise(const std::vector<Strip>& strips, const at::Tensor& root);
};

ConvolvedField::Strip ConvolvedField::strip(std::int64_t first) const {
  const auto [height, width] = size();
  const std::int64_t columns = std::min(kStripColumns, width - first);
  const double range = range_.narrow(1, first, columns).max().item<double>();
  const auto reach = static_cast<std::int64_t>(kKernelReach * range);
  const std::int64_t left = std::max<std::int64_t>(0, first - reach);
  const std::int64_t right = std::min(width, first + columns + reach);
  const at::Tensor raster = at::arange(mean_.numel(), at::kLong).view(mean_.sizes());
  const at::Tensor pixels = by_columns(raster.narrow(1, first, columns));
  const at::Tensor rows = kernel_rows(pixels).view({-1, height, width});
  return {.begin = first * height,
          .left = left,
          .right = right,
          .kernel = rows.narrow(2, left, right - left).transpose(1, 2).contiguous(),
          .own_variance = (std_.flatten() * nugget_).square().index_select(0, pixels)};
}

// Writes L_bb and then, for each later strip a, L_ab = (Σ_ab − Σ_c<b L_ac L_bcᵀ) L_bb⁻ᵀ. One thread makes
// a block, so that bits do not depend on how many there are.
void ConvolvedField::Strip::factorise(const std::vector<Strip>& strips, const at::Tensor& root) {
  const auto count = static_cast<std::int64_t>(strips.size());
  for (std::int64_t j = 0; j < count; ++j) {
    const Strip& b = strips[static_cast<std::size_t>(j)];
    const at::Tensor before_b = b.rows(root).narrow(1, 0, b.begin).t();
    const auto rest = [&](const Strip& a) {
      return a.covariance_with(b).addmm_(a.rows(root).narrow(1, 0, b.begin), before_b, 1, -1);
    };
    const at::Tensor block_column = b.rows(root.t()).t();
    const at::Tensor diagonal = b.rows(block_column);
    {
      const ThreadCount one(1);
      diagonal.copy_(at::linalg_cholesky(rest(b)));
    }
    at::parallel_for(j + 1, count, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        const Strip& a = strips[static_cast<std::size_t>(i)];
        a.rows(block_column)
            .copy_(
                at::linalg_solve_triangular(diagonal.t(), rest(a), /*upper=*/true, /*left=*/false));
      }
    });
  }
}

bool ConvolvedField::has_density() const { return mean_.numel() <= kMostDensePixels; }

const at::Tensor& ConvolvedField::dense_root() const {
  TORCH_CHECK(has_density(),
              "ConvolvedField: the density needs a dense matrix, which is made for up to ",
              kMostDensePixels,
              " pixels; got ",
              mean_.numel());
  if (root_.defined()) return root_;
  // InferenceMode holds for its own thread alone, and the others could not write tensors made in it.
  const c10::InferenceMode off(false);
  std::vector<Strip> strips;
  for (std::int64_t first = 0; first < mean_.size(1); first += kStripColumns) {
    strips.push_back(strip(first));
  }
  const at::Tensor root = at::zeros({mean_.numel(), mean_.numel()}, mean_.options());
  Strip::factorise(strips, root);
  return root_ = root;
}

at::Tensor ConvolvedField::log_prob(const at::Tensor& d) const {
  const at::Tensor& root = dense_root();
  const ThreadCount one_order_of_sums(1);
  const at::Tensor deviations = by_columns(d.to(at::kDouble) - mean_).t();
  const at::Tensor white = at::linalg_solve_triangular(root, deviations, /*upper=*/false);
  const double log_determinant = 2.0 * root.diagonal().log().sum().item<double>();
  const auto pixels = static_cast<double>(mean_.numel());
  return (white.square().sum(0) + (log_determinant + pixels * std::log(2.0 * std::numbers::pi))) *
         -0.5;
}

// ‖Kᵀa‖² + ν²·‖s∘a‖².
at::Tensor ConvolvedField::functional_variance(const at::Tensor& weights) const {
  const at::Tensor a = weights.to(at::kDouble).flatten(1).contiguous();
  at::Tensor spread = at::zeros_like(a);
  const std::int64_t pixels = a.size(1);
  at::parallel_for(0, a.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    Kernel kernel(*this);
    for (std::int64_t m = begin; m < end; ++m) {
      const double* from = a.const_data_ptr<double>() + m * pixels;
      double* to = spread.mutable_data_ptr<double>() + m * pixels;
      for (std::int64_t n = 0; n < pixels; ++n) {
        if (from[n] == 0.0) continue;
        for (const auto& [pixel, weight] : kernel.row(n)) to[pixel] += from[n] * weight;
      }
    }
  });
  const ThreadCount one_order_of_sums(1);
  return spread.square().sum(1) + (a * std_.flatten() * nugget_).square().sum(1);
}

at::Tensor ConvolvedField::covariance_rows(const at::Tensor& pixels) const {
  at::Tensor rows = smooth(kernel_rows(pixels));
  const at::Tensor own = (std_.flatten() * nugget_).square().index_select(0, pixels);
  rows.scatter_add_(1, pixels.unsqueeze(1), own.unsqueeze(1));
  return rows.view({pixels.size(0), mean_.size(0), mean_.size(1)});
}

}  // namespace supn
