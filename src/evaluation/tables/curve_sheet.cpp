#include "supn/evaluation/tables/curve_sheet.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "evaluation/tables/table_format.hpp"
#include "supn/evaluation/tables/table.hpp"

namespace supn {
namespace {

using table_format::short_number;

std::vector<double> places(const std::string& key, std::size_t count) {
  const bool bins = key.starts_with("pit_");
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto position = static_cast<double>(i);
    x[i] = bins ? (position + 0.5) / static_cast<double>(count)
                : position / static_cast<double>(count - 1);
  }
  return x;
}

}  // namespace

void CurveSheet::add(const std::string& model, const std::vector<ImageCurve>& curves) {
  for (const ImageCurve& curve : curves) {
    const bool finite = std::all_of(
        curve.values.begin(), curve.values.end(), [](double v) { return std::isfinite(v); });
    if (!finite) continue;
    auto sum = std::find_if(sums_.begin(), sums_.end(), [&](const Sum& candidate) {
      return candidate.key == curve.key && candidate.model == model;
    });
    if (sum == sums_.end()) {
      sums_.push_back({curve.key, model, std::vector<double>(curve.values.size(), 0.0), 0});
      sum = sums_.end() - 1;
    }
    TORCH_CHECK(sum->values.size() == curve.values.size(),
                "CurveSheet::add: curves ",
                curve.key,
                " of different lengths");
    for (std::size_t i = 0; i < curve.values.size(); ++i) sum->values[i] += curve.values[i];
    ++sum->images;
  }
}

std::vector<std::string> CurveSheet::keys() const {
  std::vector<std::string> result;
  for (const Sum& sum : sums_) {
    if (std::find(result.begin(), result.end(), sum.key) == result.end()) result.push_back(sum.key);
  }
  return result;
}

std::vector<ModelCurve> CurveSheet::curves(const std::string& key) const {
  std::vector<ModelCurve> result;
  for (const Sum& sum : sums_) {
    if (sum.key != key) continue;
    ModelCurve curve{sum.model, places(key, sum.values.size()), sum.values};
    for (double& value : curve.y) value /= static_cast<double>(sum.images);
    result.push_back(std::move(curve));
  }
  return result;
}

std::string CurveSheet::csv() const {
  std::string text = "curve,model,x,y,images\n";
  for (const Sum& sum : sums_) {
    const std::vector<double> x = places(sum.key, sum.values.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      text += csv_field(sum.key) + "," + csv_field(sum.model) + "," + short_number(x[i]) + "," +
              short_number(sum.values[i] / static_cast<double>(sum.images)) + "," +
              std::to_string(sum.images) + "\n";
    }
  }
  return text;
}

}  // namespace supn
