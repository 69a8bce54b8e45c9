// Prints a hash of what each kernel computes from fixed inputs. The bits may depend neither on the
// instruction set, which this program checks by itself, nor on the processor: scripts/cross_check.sh
// compares this machine's lines with those of another architecture. It needs Highway alone.
#include "gaussian/kernels/targets.hpp"
// Below targets.hpp, which says which sets there are.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "at_the_end.hpp"
#include "gaussian/aligned_buffer.hpp"
#include "gaussian/kernels/grid_rows.hpp"
#include "gaussian/kernels/interleaving.hpp"
#include "gaussian/kernels/normals.hpp"
#include "gaussian/kernels/planes.hpp"
#include "gaussian/kernels/regression.hpp"
#include "gaussian/kernels/rows.hpp"
#include "gaussian/kernels/rows_in_lanes.hpp"
#include "gaussian/kernels/samples_by_class.hpp"
#include "gaussian/kernels/samples_in_lanes.hpp"
#include "gaussian/kernels/scattering.hpp"
#include "numbers.hpp"

namespace supn {
namespace {

constexpr std::int64_t kHeight = 19;
constexpr std::int64_t kWidth = 45;
constexpr std::int64_t kPixels = kHeight * kWidth;
constexpr std::int64_t kSamples = 11;

template <typename T>
struct Maps {
  explicit Maps(std::int64_t radius)
      : phi(numbers<T>(kPixels, 0.5, 1)),
        psi(numbers<T>(tap_count(radius) * kPixels, 0.3, 2)),
        field(numbers<T>(kSamples * kPixels, 2.0, 3)),
        view{phi.data(), psi.data(), kHeight, kWidth, radius} {}
  Values<T> phi;
  Values<T> psi;
  Values<T> field;
  FactorView<T> view;
};

template <typename T>
Values<T> normals() {
  Values<T> out(1001);
  fill_standard_normal(out.data(), {7, 3, 5}, 1001);
  return out;
}

template <Side kSide, typename T>
Values<T> products() {
  const Maps<T> maps(2);
  Values<T> out(kPixels);
  for (std::int64_t y = 0; y < kHeight; ++y) {
    const std::int64_t at = y * kWidth;
    row::product<kSide>(
        out.data() + at,
        row::FactorRow<T>{maps.view, y, maps.phi.data() + at, maps.field.data() + at});
  }
  return out;
}

template <typename T>
Values<T> exponentials() {
  const Values<T> x = numbers<T>(999, 80.0, 4);
  Values<T> out(x.size());
  row::exponential(out.data(), x.data(), T(-1), static_cast<std::int64_t>(x.size()));
  const auto count = static_cast<std::int64_t>(out.size());
  const Values<T> small = numbers<T>(count, 1.0, 5);
  out.push_back(static_cast<T>(row::sum_of_squares(small.data(), count)));
  out.push_back(static_cast<T>(row::sum(small.data(), count)));
  return out;
}

template <Side kSide, typename T>
Values<T> samples() {
  const Maps<T> maps(2);
  Values<T> out(kSamples * kPixels);
  std::array<double, kSamples> residuals{}, squares{};
  const bool later = kSide == Side::kLater;
  solve_samples_in_lanes<kSide, T>(
      maps.view,
      {later ? nullptr : maps.field.data(), {7, 0, 0}},
      {out.data(), nullptr, later ? residuals.data() : nullptr, squares.data(), Store::kCached},
      kSamples);
  for (const double square : squares) out.push_back(static_cast<T>(square));
  return out;
}

template <Side kSide, typename T>
Values<T> rows_of_one_sample() {
  const Maps<T> maps(2);
  Values<T> out(kPixels);
  std::atomic<std::int64_t> progress[2] = {0, 0};
  for (std::int64_t first = 0, i = 0; first < kHeight; first += rows_of_strip<T>(), ++i) {
    progress[i % 2] = 0;
    const std::int64_t rows = std::min(rows_of_strip<T>(), kHeight - first);
    const std::int64_t top = kSide == Side::kLater ? kHeight - first - rows : first;
    solve_rows_in_lanes<kSide, T>(maps.view,
                                  {first, maps.field.data() + top * kWidth, out.data()},
                                  {i == 0 ? nullptr : &progress[(i + 1) % 2], &progress[i % 2]});
  }
  return out;
}

template <typename T>
Values<T> planes_of_samples() {
  const Values<T> coefficients = numbers<T>(3 * kWidth, 0.4, 6);
  const Values<T> fields = numbers<T>(3 * kPixels, 2.0, 7);
  Values<T> rows = numbers<T>(kPixels, 1.0, 8);
  std::vector<planes::Term<T>> terms;
  for (int i = 0; i < 3; ++i) {
    terms.push_back({coefficients.data() + i * kWidth, fields.data() + i * kPixels});
  }
  const planes::RowShape shape{kWidth, kHeight, kWidth};
  planes::substitute(planes::Substitution<T>{terms, coefficients.data(), rows.data()}, shape);
  const AtTheEnd<T> targets(numbers<T>(kPixels, 1.0, 9));
  Values<T> sums(4 * kWidth);
  const planes::SampleSum<T> sum{targets.data(), sums.data()};
  planes::sum_over_samples(
      planes::SampleSums<T>{
          rows.data(), kWidth, fields.data(), sums.data() + kWidth, std::span(&sum, 1)},
      shape);
  const std::array<T*, 4> parts{sums.data() + 2 * kWidth,
                                sums.data() + 2 * kWidth + 12,
                                sums.data() + 2 * kWidth + 24,
                                sums.data() + 2 * kWidth + 36};
  planes::deinterleave(rows.data(), kWidth, std::span<T* const>(parts));
  rows.insert(rows.end(), sums.begin(), sums.begin() + 3 * kWidth);
  return rows;
}

// A row whose odd columns are two classes, each with a neighbour that some pixels lack, and whose
// even ones are handed on.
template <typename T>
Values<T> grid_rows() {
  constexpr std::int64_t kColumns = 64;
  const Values<T> maps = numbers<T>(2 * kWidth, 0.4, 15);
  const Values<T> fields = numbers<T>((kSamples + 1) * kColumns, 2.0, 16);
  Values<T> coarser(2 * planes::kBlock);
  Values<T> z(2 * kSamples * kColumns);
  const std::array<const T*, 2> coefficients{maps.data(), maps.data() + kWidth};
  const std::array<planes::Tap, 2> left{{{0, 0, 11}, {1, 2, 11}}};
  const std::array<planes::Tap, 2> right{{{3, 0, 11}, {0, 1, 9}}};
  const std::array<planes::ClassProducts<T>, 4> classes{
      {{},
       {left.data(), 2, 11, fields.data(), z.data()},
       {},
       {right.data(), 1, 9, fields.data(), z.data() + kSamples * kColumns}}};
  planes::multiply(planes::GridRow<T>{coefficients, classes, coarser.data(), planes::kBlock},
                   {kWidth, kSamples, kColumns},
                   kColumns);
  Values<T> out;
  for (std::int64_t i = 0; i < 2 * kSamples; ++i) {
    const T* const row = z.data() + i * kColumns;
    out.insert(out.end(), row, row + 11);
  }
  // No tap of the last pixel lies beyond the memory of these.
  const AtTheEnd<T> sums(numbers<T>((kSamples - 1) * kColumns + 14, 1.0, 17));
  std::array<planes::ClassProducts<T>, 4> targets = classes;
  for (planes::ClassProducts<T>& target : targets) target.z = sums.data();
  planes::scatter(planes::GridRow<T>{coefficients, targets, coarser.data(), planes::kBlock},
                  {kWidth, kSamples, kColumns});
  out.insert(out.end(), sums.begin(), sums.end());
  for (std::int64_t k = 0; k < 2; ++k) {
    const T* const row = coarser.data() + k * planes::kBlock;
    out.insert(out.end(), row, row + (kWidth + 1) / 2);
  }
  return out;
}

template <typename T>
Values<T> samples_of_a_class() {
  const ImageSize size{kHeight, kWidth};
  const by_class::Places places(size, 2);
  const std::int64_t count = by_class::kMostLanes<T>;
  const AlignedBuffer<T> field(places.count() * count);
  const by_class::Group<T> group{field.data(), size, places, count};
  for (std::int64_t y = 0; y < kHeight; ++y) {
    by_class::read(group, RightHandSide<T>{nullptr, {7, 0, 0}}, y, nullptr);
  }
  const Values<T> coefficients = numbers<T>(2 * kWidth, 0.4, 9);
  const Values<T> inverse = numbers<T>(kWidth, 1.0, 10);
  const std::array<by_class::Neighbour, 2> neighbours{{{0, 2, 0}, {1, 4, 2}}};
  for (std::int64_t y = 5; y < 8; ++y) {
    by_class::substitute(group,
                         by_class::ClassRow<T>{.row = y,
                                               .column = 1,
                                               .apart = 2,
                                               .count = kWidth / 2 - 1,
                                               .inner_begin = 1,
                                               .inner_end = kWidth / 2 - 2,
                                               .inverse = inverse.data(),
                                               .coefficients = coefficients.data(),
                                               .channel_apart = kWidth,
                                               .row_apart = 0,
                                               .neighbours = neighbours},
                         nullptr);
  }
  Values<T> out(static_cast<std::size_t>(count * kPixels));
  for (std::int64_t y = 0; y < kHeight; ++y) {
    by_class::write(group, Sink<T>{out.data(), nullptr, nullptr, nullptr, Store::kCached}, y);
  }
  return out;
}

Values<double> regression() {
  constexpr std::int64_t kRadius = 2;
  const std::int64_t words = (kWidth + 2 * kRadius) * window::kLanes;
  Values<double> panels = numbers<double>(3 * words, 1.0, 11);
  const Values<double> weights = numbers<double>(kWidth * tap_count(kRadius), 0.3, 12);
  const auto panel = [&](std::int64_t i) {
    double* const data = panels.data() + i * words;
    std::fill(data, data + kRadius * window::kLanes, 0.0);
    std::fill(data + words - kRadius * window::kLanes, data + words, 0.0);
    return data + kRadius * window::kLanes;
  };
  const std::array<const double*, 2> later{panel(1), panel(2)};
  double* const own = panel(0);
  window::regress({weights.data(), later.data(), own, kRadius, own}, 0, kWidth - 1);
  return panels;
}

Values<double> sparse_steps() {
  constexpr std::int64_t kLanes = 16;
  Values<double> sums = numbers<double>(40 * kLanes, 1.0, 13);
  Values<double> value(kLanes);
  const Values<double> coefficients = numbers<double>(12, 0.4, 14);
  std::array<std::int32_t, 12> neighbours{};
  for (std::int32_t pixel = 0; pixel < 20; ++pixel) {
    std::iota(neighbours.begin(), neighbours.end(), pixel + 1);
    scattering::solve_step(
        {sums.data() + pixel * kLanes, value.data(), 1.25, neighbours, coefficients, sums.data()},
        kLanes);
    scattering::add_inner_products(
        {coefficients, neighbours}, sums.data(), kLanes, sums.data() + 39 * kLanes);
    const std::array<scattering::LanePair, 2> pairs{{{0, 5}, {8, 11}}};
    scattering::add_lane_products(value.data(), pairs, sums.data() + 38 * kLanes);
  }
  return sums;
}

using Hashes = std::map<std::string, std::uint64_t>;

template <typename T>
void add_hashes(const std::string& type, Hashes& all) {
  all["normals " + type] = hash(normals<T>());
  all["product with the later " + type] = hash(products<Side::kLater, T>());
  all["product with the earlier " + type] = hash(products<Side::kEarlier, T>());
  all["exponential and sums " + type] = hash(exponentials<T>());
  all["samples in lanes, later " + type] = hash(samples<Side::kLater, T>());
  all["samples in lanes, earlier " + type] = hash(samples<Side::kEarlier, T>());
  all["rows in lanes, later " + type] = hash(rows_of_one_sample<Side::kLater, T>());
  all["rows in lanes, earlier " + type] = hash(rows_of_one_sample<Side::kEarlier, T>());
  all["planes " + type] = hash(planes_of_samples<T>());
  all["grid rows " + type] = hash(grid_rows<T>());
  all["samples by class " + type] = hash(samples_of_a_class<T>());
}

Hashes hashes() {
  Hashes all;
  add_hashes<float>("float32", all);
  add_hashes<double>("float64", all);
  all["regression float64"] = hash(regression());
  all["scattering float64"] = hash(sparse_steps());
  return all;
}

}  // namespace
}  // namespace supn

int main() {
  supn::Hashes first;
  bool is_same = true;
  for (const std::int64_t set : supn::instruction_sets()) {
    hwy::SetSupportedTargetsForTest(set);
    const supn::Hashes all = supn::hashes();
    std::fprintf(stderr, "instruction set %s\n", hwy::TargetName(set));
    if (first.empty()) first = all;
    for (const auto& [name, value] : all) {
      if (value == first[name]) continue;
      std::fprintf(stderr, "%s differs\n", name.c_str());
      is_same = false;
    }
  }
  for (const auto& [name, value] : first) {
    std::printf("%016llx %s\n", static_cast<unsigned long long>(value), name.c_str());
  }
  return is_same ? 0 : 1;
}
