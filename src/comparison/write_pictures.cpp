#include "supn/comparison/write_pictures.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "supn/io/line_plot.hpp"
#include "supn/serialization/atomic_file.hpp"

namespace supn {
namespace {

// Models have the same colour in every picture.
class Colours {
 public:
  std::int64_t of(const std::string& model) {
    const auto found = std::find(models_.begin(), models_.end(), model);
    if (found == models_.end()) {
      models_.push_back(model);
      return static_cast<std::int64_t>(models_.size()) - 1;
    }
    return found - models_.begin();
  }

 private:
  std::vector<std::string> models_;
};

enum class Legend { kShown, kHidden };

void add_lines(const std::vector<ModelCurve>& curves,
               LineStyle style,
               Legend legend,
               Colours& colours,
               LinePlot& plot) {
  for (const ModelCurve& curve : curves) {
    plot.lines.push_back({.label = legend == Legend::kShown ? curve.model : "",
                          .x = curve.x,
                          .y = curve.y,
                          .style = style,
                          .colour = colours.of(curve.model)});
  }
}

PlotLine reference_line(const std::string& label, double first, double last) {
  return {.label = label,
          .x = {0.0, 1.0},
          .y = {first, last},
          .style = LineStyle::kDashed,
          .colour = -1};
}

// The ends of curves' keys (curve_sheet.hpp) for people.
const std::map<std::string, std::string>& words_by_name() {
  static const std::map<std::string, std::string> words = {
      {"abs_rel", "relative error (AbsRel)"},
      {"rmse", "root mean squared error in metres (RMSE)"},
      {"a1", "share of pixels off by 25 % or more (1 - A1)"},
      {"pixels", "the members' pixels"},
      {"regions", "the members' means over regions"},
      {"differences", "the members' differences between pixels"},
      {"truth_points", "ground-truth points"},
      {"truth_regions", "means of ground-truth points over regions"},
      {"truth_differences", "differences between ground-truth points"}};
  return words;
}

std::string in_words(const std::string& name) {
  const auto found = words_by_name().find(name);
  return found == words_by_name().end() ? name : found->second;
}

// Those of an earlier evaluation would be taken for pictures of the tables beside them. A folder
// that is not to be changed is an error of the writing that follows.
void remove_pictures(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& [name, words] : words_by_name()) {
    for (const char* kind : {"sparsification_", "coverage_", "pit_"}) {
      std::filesystem::remove(folder / (kind + name + ".svg"), ignored);
    }
  }
}

LinePlot labelled_plot(const std::string& key) {
  LinePlot plot;
  if (key.starts_with("sparsification_")) {
    plot.title = "Error without the most uncertain pixels (dashed: best possible order)";
    plot.x_label = "share of the most uncertain pixels left out";
    plot.y_label = in_words(key.substr(15));
  } else if (key.starts_with("coverage_")) {
    plot.title = "Intervals against " + in_words(key.substr(9)) + " (above the line: too wide)";
    plot.x_label = "probability of the central interval";
    plot.y_label = "share that lies inside";
  } else {
    plot.title = "Where " + in_words(key.substr(4)) + " fall (hump: too wide, bowl: too narrow)";
    plot.x_label = "probability that the model gives to smaller values";
    plot.y_label = "density (1 is right)";
  }
  return plot;
}

// A sparsification curve ends in a 0 that stands for no pixels at all and belongs to the area
// alone.
std::vector<ModelCurve> drawn_curves(const CurveSheet& curves, const std::string& key) {
  std::vector<ModelCurve> drawn = curves.curves(key);
  if (!key.starts_with("sparsification_")) return drawn;
  for (ModelCurve& curve : drawn) {
    curve.x.pop_back();
    curve.y.pop_back();
  }
  return drawn;
}

}  // namespace

void write_pictures(const CurveSheet& curves, const std::filesystem::path& folder) {
  remove_pictures(folder);
  Colours colours;
  for (const std::string& key : curves.keys()) {
    if (key.ends_with("_oracle") || key.ends_with("_exact")) continue;
    LinePlot plot = labelled_plot(key);
    add_lines(drawn_curves(curves, key), LineStyle::kSolid, Legend::kShown, colours, plot);
    add_lines(
        drawn_curves(curves, key + "_oracle"), LineStyle::kDashed, Legend::kHidden, colours, plot);
    if (key.starts_with("coverage_")) plot.lines.push_back(reference_line("right", 0.0, 1.0));
    if (key.starts_with("pit_")) plot.lines.push_back(reference_line("right", 1.0, 1.0));
    write_file_atomically(folder / (key + ".svg"), line_plot_svg(plot));
  }
}

}  // namespace supn
