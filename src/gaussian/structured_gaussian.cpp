#include "supn/gaussian/structured_gaussian.hpp"

#include <c10/util/Exception.h>

#include <utility>
#include <vector>

namespace supn {
namespace {

void check_map(const char* name, const at::Tensor& map, std::vector<std::int64_t> shape) {
  TORCH_CHECK(map.defined(), "StructuredGaussian: ", name, " is an undefined tensor");
  TORCH_CHECK(map.sizes() == at::IntArrayRef(shape),
              "StructuredGaussian: ",
              name,
              " must have the shape ",
              at::IntArrayRef(shape),
              ", got ",
              map.sizes());
}

void check_like_mean(const char* name, const at::Tensor& map, const at::Tensor& mean) {
  TORCH_CHECK(map.scalar_type() == mean.scalar_type() && map.device() == mean.device(),
              "StructuredGaussian: ",
              name,
              " must be ",
              mean.scalar_type(),
              " on ",
              mean.device(),
              " like the mean, got ",
              map.scalar_type(),
              " on ",
              map.device());
}

}  // namespace

StructuredGaussian::StructuredGaussian(at::Tensor mean,
                                       at::Tensor log_diagonal,
                                       at::Tensor off_diagonal,
                                       Neighbourhood neighbourhood)
    : mean_(std::move(mean)),
      log_diagonal_(std::move(log_diagonal)),
      off_diagonal_(std::move(off_diagonal)),
      neighbourhood_(std::move(neighbourhood)) {
  TORCH_CHECK(mean_.defined() && mean_.dim() == 4 && mean_.size(1) == 1 && mean_.numel() > 0,
              "StructuredGaussian: mean must be [B,1,H,W] with B, H, W > 0, got ",
              mean_.defined() ? mean_.sizes() : at::IntArrayRef());
  TORCH_CHECK(mean_.scalar_type() == at::kFloat || mean_.scalar_type() == at::kDouble,
              "StructuredGaussian: mean must be float32 or float64, got ",
              mean_.scalar_type());
  check_map("log_diagonal", log_diagonal_, {batch(), 1, height(), width()});
  check_map("off_diagonal", off_diagonal_, {batch(), neighbourhood_.size(), height(), width()});
  check_like_mean("log_diagonal", log_diagonal_, mean_);
  check_like_mean("off_diagonal", off_diagonal_, mean_);
}

StructuredGaussian StructuredGaussian::to(at::ScalarType dtype) const {
  return {mean_.to(dtype), log_diagonal_.to(dtype), off_diagonal_.to(dtype), neighbourhood_};
}

StructuredGaussian StructuredGaussian::to(at::Device device) const {
  return {mean_.to(device), log_diagonal_.to(device), off_diagonal_.to(device), neighbourhood_};
}

StructuredGaussian StructuredGaussian::detach() const {
  return {mean_.detach(), log_diagonal_.detach(), off_diagonal_.detach(), neighbourhood_};
}

StructuredGaussian StructuredGaussian::image(std::int64_t b) const {
  TORCH_CHECK(b >= 0 && b < batch(),
              "StructuredGaussian::image: the index must be in [0, ",
              batch(),
              "), got ",
              b);
  return {mean_.narrow(0, b, 1),
          log_diagonal_.narrow(0, b, 1),
          off_diagonal_.narrow(0, b, 1),
          neighbourhood_};
}

StructuredGaussian StructuredGaussian::rows_from(std::int64_t row) const {
  TORCH_CHECK(neighbourhood_.is_raster() && row >= 0 && row < height(),
              "StructuredGaussian::rows_from: the order must be raster and the row in [0, ",
              height(),
              "), got ",
              neighbourhood_.description(),
              " and row ",
              row);
  const auto rest = [&](const at::Tensor& map) { return map.narrow(2, row, height() - row); };
  return {rest(mean_), rest(log_diagonal_), rest(off_diagonal_), neighbourhood_};
}

}  // namespace supn
