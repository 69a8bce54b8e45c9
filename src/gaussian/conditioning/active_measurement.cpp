#include "supn/gaussian/active_measurement.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gaussian/conditioning/dense_system.hpp"
#include "gaussian/in_float64.hpp"
#include "supn/gaussian/marginal.hpp"

namespace supn {
namespace {

// A variance that has fallen this far relative to the prior's is rounding: nothing to measure.
constexpr double kKnown = 1e-12;

// Returns at most so many pixels of a regular grid, at the middles of its cells.
std::vector<std::int64_t> grid(const ImageSize& size, std::int64_t most) {
  const double side = std::max(
      1.0, std::sqrt(static_cast<double>(size.height * size.width) / static_cast<double>(most)));
  const auto cells = [&](std::int64_t length) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(length) / side));
  };
  const std::int64_t rows = cells(size.height);
  const std::int64_t columns = cells(size.width);
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t y = (2 * i + 1) * size.height / (2 * rows);
      const std::int64_t x = (2 * j + 1) * size.width / (2 * columns);
      pixels.push_back(y * size.width + x);
    }
  }
  return pixels;
}

at::Tensor region_of(const MeasurementPlan& plan, const ImageSize& size) {
  if (!plan.region.defined()) {
    return at::ones({1, 1, size.height, size.width}, at::TensorOptions().dtype(at::kDouble));
  }
  TORCH_CHECK(plan.region.dim() == 2 && plan.region.size(0) == size.height &&
                  plan.region.size(1) == size.width && plan.region.scalar_type() == at::kBool,
              "plan_measurements: region must be bool [",
              size.height,
              ",",
              size.width,
              "], got ",
              plan.region.sizes(),
              " of ",
              plan.region.scalar_type());
  TORCH_CHECK(plan.region.any().item<bool>(), "plan_measurements: the region has no pixel");
  return plan.region.to(at::kCPU).to(at::kDouble).reshape({1, 1, size.height, size.width});
}

// The state of the greedy choice over the C pixels that can be or have been measured.
class Choice {
 public:
  Choice(const StructuredGaussian& gaussian,
         std::vector<std::int64_t> pixels,
         const at::Tensor& region,
         const std::function<void()>& check)
      : pixels_(std::move(pixels)) {
    const auto count = static_cast<std::int64_t>(pixels_.size());
    covariance_ = at::empty({count, count}, gaussian.mean().options());
    gain_ = at::empty({count, count}, gaussian.mean().options());
    const std::int64_t step = fields_at_once(gaussian);
    for (std::int64_t first = 0; first < count; first += step) {
      if (check) check();
      const std::int64_t rows = std::min(step, count - first);
      const auto start = pixels_.begin() + first;
      const at::Tensor columns = covariance_times(
          gaussian,
          scattered(
              at::eye(rows, gaussian.mean().options()), {start, start + rows}, gaussian.size()));
      covariance_.narrow(0, first, rows).copy_(gathered(columns, pixels_));
      const at::Tensor twice = covariance_times(gaussian, columns.mul(region));
      gain_.narrow(0, first, rows).copy_(gathered(twice, pixels_));
    }
    prior_ = covariance_.diagonal().clone();
  }

  // Returns by how much the sum over the region falls if each pixel is measured, [C].
  at::Tensor reductions(double noise_variance) const {
    const at::Tensor variance = covariance_.diagonal();
    const at::Tensor known = variance.le(prior_.mul(kKnown));
    return gain_.diagonal().div(variance.add(noise_variance)).masked_fill(known, 0.0);
  }

  // Σ ← Σ − ΣeeᵀΣ/s and with it ΣD_TΣ, s = Σ_ii + R. Returns the reduction.
  double measure(std::int64_t i, double noise_variance) {
    const double reduction = reductions(noise_variance)[i].item<double>();
    if (reduction <= 0.0) return 0.0;
    const double scale = 1.0 / (covariance_[i][i].item<double>() + noise_variance);
    const at::Tensor column = covariance_.select(1, i).mul(scale);
    const at::Tensor gain = gain_.select(1, i).clone();
    const double own = gain[i].item<double>();
    const at::Tensor half = gain.sub(column, 0.5 * own);
    gain_.addr_(half, column, 1, -1).addr_(column, half, 1, -1);
    covariance_.addr_(column, column, 1, -1.0 / scale);
    return reduction;
  }

  std::int64_t pixel(std::int64_t i) const { return pixels_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<std::int64_t> pixels_;
  at::Tensor covariance_;  // Σ among the pixels
  at::Tensor gain_;        // ΣD_TΣ among the pixels
  at::Tensor prior_;
};

std::vector<std::int64_t> optional_pixels(const at::Tensor& pixels,
                                          const ImageSize& size,
                                          std::vector<std::int64_t> otherwise) {
  if (!pixels.defined()) return otherwise;
  return checked_pixels("plan_measurements", pixels, size);
}

at::Tensor curve_tensor(const std::vector<double>& curve) {
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(curve.size())}, at::TensorOptions().dtype(at::kDouble));
  std::copy(curve.begin(), curve.end(), tensor.mutable_data_ptr<double>());
  return tensor;
}

void check_plan(const StructuredGaussian& gaussian, const MeasurementPlan& plan) {
  check_one_image("plan_measurements", gaussian);
  TORCH_CHECK(plan.count >= 0, "plan_measurements: count must not be negative, got ", plan.count);
  TORCH_CHECK(plan.grid_pixels > 0,
              "plan_measurements: grid_pixels must be positive, got ",
              plan.grid_pixels);
  TORCH_CHECK(!plan.variance.defined() || (plan.variance.sizes() == gaussian.mean().sizes() &&
                                           plan.variance.scalar_type() == at::kDouble),
              "plan_measurements: variance must be float64 ",
              gaussian.mean().sizes(),
              ", as marginal_variance gives it");
  TORCH_CHECK(std::isfinite(plan.noise_variance) && plan.noise_variance >= 0.0,
              "plan_measurements: noise_variance must be finite and not negative, got ",
              plan.noise_variance);
}

}  // namespace

ActiveMeasurement plan_measurements(const StructuredGaussian& gaussian,
                                    const MeasurementPlan& plan) {
  check_plan(gaussian, plan);
  const StructuredGaussian exact = in_float64_on_cpu(gaussian);
  const at::Tensor region = region_of(plan, exact.size());
  const std::vector<std::int64_t> measured = optional_pixels(plan.measured, exact.size(), {});
  std::vector<std::int64_t> pixels =
      optional_pixels(plan.candidates, exact.size(), grid(exact.size(), plan.grid_pixels));
  const auto candidates = static_cast<std::int64_t>(pixels.size());
  pixels.insert(pixels.end(), measured.begin(), measured.end());
  Choice choice(exact, std::move(pixels), region, plan.check);
  const at::Tensor variance = plan.variance.defined() ? plan.variance : marginal_variance(exact);
  double total = variance.mul(region).sum().item<double>();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    total -= choice.measure(candidates + static_cast<std::int64_t>(i), plan.noise_variance);
  }
  std::vector<std::int64_t> chosen;
  std::vector<double> curve{total};
  while (static_cast<std::int64_t>(chosen.size()) < plan.count && candidates > 0) {
    const at::Tensor reductions = choice.reductions(plan.noise_variance).narrow(0, 0, candidates);
    const std::int64_t best = reductions.argmax().item<std::int64_t>();
    const double reduction = choice.measure(best, plan.noise_variance);
    if (reduction <= 0.0) break;
    total -= reduction;
    chosen.push_back(choice.pixel(best));
    curve.push_back(std::max(0.0, total));
  }
  return {pixel_tensor(chosen), curve_tensor(curve)};
}

}  // namespace supn
