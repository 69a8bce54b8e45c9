#include "supn/gaussian/covariance.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <set>

#include "gaussian/in_float64.hpp"
#include "supn/gaussian/marginal.hpp"
#include "supn/gaussian/solve.hpp"

namespace supn {
namespace {

// Columns beyond twice those in use would cost time in every product.
constexpr std::int64_t kSpare = 16;

}  // namespace

at::Tensor covariance_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels) {
  const std::vector<std::int64_t> indices =
      checked_pixels("covariance_columns", pixels, gaussian.size());
  TORCH_CHECK(!indices.empty(), "covariance_columns: at least one pixel is needed, got none");
  const StructuredGaussian exact = in_float64(gaussian);
  const auto count = static_cast<std::int64_t>(indices.size());
  at::Tensor unit =
      at::zeros({exact.batch(), count, exact.height(), exact.width()}, exact.mean().options());
  const at::Tensor places = pixel_tensor(indices, unit.device()).view({1, count, 1});
  unit.view({exact.batch(), count, -1}).scatter_(2, places.expand({exact.batch(), count, 1}), 1.0);
  return solve_factor_transpose(exact, solve_factor(exact, unit));
}

CovarianceColumns::CovarianceColumns(const StructuredGaussian& gaussian, std::int64_t capacity)
    : given_(gaussian), exact_(in_float64(gaussian)), capacity_(capacity) {
  check_one_image("CovarianceColumns", gaussian);
  TORCH_CHECK(capacity > 0, "CovarianceColumns: capacity must be positive, got ", capacity);
  columns_ = at::empty({0, gaussian.pixels()}, exact_.mean().options());
}

bool CovarianceColumns::are_of(const StructuredGaussian& gaussian) const {
  return given_.log_diagonal().is_alias_of(gaussian.log_diagonal()) &&
         given_.off_diagonal().is_alias_of(gaussian.off_diagonal()) &&
         given_.neighbourhood() == gaussian.neighbourhood();
}

std::vector<std::int64_t> CovarianceColumns::rows_of(const std::vector<std::int64_t>& pixels) {
  std::set<std::int64_t> asked(pixels.begin(), pixels.end());
  const auto count = static_cast<std::int64_t>(asked.size());
  TORCH_CHECK(count <= capacity_,
              "CovarianceColumns: ",
              count,
              " pixels are more than the capacity of ",
              capacity_);
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> present;
  for (const std::int64_t pixel : asked) {
    (rows_.contains(pixel) ? present : missing).push_back(pixel);
  }
  const auto kept = static_cast<std::int64_t>(rows_.size() + missing.size());
  if (kept > capacity_ || kept > 2 * count + kSpare) keep_only(present);
  add(missing);
  std::vector<std::int64_t> rows;
  rows.reserve(pixels.size());
  for (const std::int64_t pixel : pixels) rows.push_back(rows_.at(pixel));
  return rows;
}

at::Tensor CovarianceColumns::all() const {
  return columns_.narrow(0, 0, static_cast<std::int64_t>(rows_.size()));
}

void CovarianceColumns::add(const std::vector<std::int64_t>& pixels) {
  // Each call lays the factor out anew, which takes as long as some columns; memory bounds the rest.
  const std::size_t at_once = 32 * static_cast<std::size_t>(at::get_num_threads());
  reserve(static_cast<std::int64_t>(rows_.size() + pixels.size()));
  for (std::size_t first = 0; first < pixels.size(); first += at_once) {
    const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::int64_t> part(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(at_once, pixels.size() - first)));
    const at::Tensor columns =
        covariance_columns(exact_, pixel_tensor(part)).view({-1, exact_.pixels()});
    columns_.narrow(0, static_cast<std::int64_t>(rows_.size()), columns.size(0)).copy_(columns);
    for (const std::int64_t pixel : part) {
      const auto row = static_cast<std::int64_t>(rows_.size());
      rows_.emplace(pixel, row);
    }
  }
}

// The kept columns get a tensor of their own: others may look at the old one.
void CovarianceColumns::keep_only(const std::vector<std::int64_t>& pixels) {
  std::vector<std::int64_t> rows;
  rows.reserve(pixels.size());
  for (const std::int64_t pixel : pixels) rows.push_back(rows_.at(pixel));
  columns_ = columns_.index_select(0, pixel_tensor(rows));
  rows_.clear();
  for (const std::int64_t pixel : pixels) {
    const auto row = static_cast<std::int64_t>(rows_.size());
    rows_.emplace(pixel, row);
  }
}

// Room for so many, doubled so that columns which come one by one are seldom copied.
void CovarianceColumns::reserve(std::int64_t columns) {
  if (columns <= columns_.size(0)) return;
  at::Tensor larger =
      at::empty({std::min(capacity_, std::max(columns, 2 * columns_.size(0))), exact_.pixels()},
                columns_.options());
  larger.narrow(0, 0, columns_.size(0)).copy_(columns_);
  columns_ = larger;
}

at::Tensor correlation_columns(const StructuredGaussian& gaussian, const at::Tensor& pixels) {
  const at::Tensor columns = covariance_columns(gaussian, pixels);
  const at::Tensor deviation = marginal_variance(gaussian).sqrt();
  const at::Tensor places = pixels.to(columns.device());
  const at::Tensor of_pixels =
      deviation.flatten(2).index_select(2, places).transpose(1, 2).unsqueeze(3);
  at::Tensor correlation = columns.div(of_pixels).div(deviation).clamp(-1.0, 1.0);
  const at::Tensor own = places.reshape({1, -1, 1}).expand({gaussian.batch(), -1, 1});
  correlation.view({gaussian.batch(), -1, gaussian.pixels()}).scatter_(2, own, 1.0);
  return correlation;
}

}  // namespace supn
