#include "training/records/metrics_table.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace supn {
namespace {

struct Column {
  std::string_view name;
  const char* place;  // JSON pointer into an epoch's line
};

constexpr std::array<Column, 25> kColumns{{
    {"epoch", "/epoch"},
    {"stage", "/stage"},
    {"steps", "/steps"},
    {"seconds", "/seconds"},
    {"images_per_second", "/images_per_second"},
    {"waiting", "/waiting"},
    {"train_loss", "/train/loss"},
    {"train_l1", "/train/l1/0"},
    {"train_log_likelihood", "/train/log_likelihood/0"},
    {"train_residual_variance", "/train/residual_variance"},
    {"largest_gradient_norm", "/train/largest_gradient_norm"},
    {"val_mean_l1", "/val/mean_l1"},
    {"val_log_likelihood", "/val/log_likelihood/0"},
    {"val_residual_variance", "/val/residual_variance"},
    {"val_std_ratio", "/val/std_ratio/median"},
    {"val_std_ratio_about_mean", "/val/std_ratio_about_mean/median"},
    {"val_roughness_ratio", "/val/texture_ratio/roughness"},
    {"val_length_ratio_rows", "/val/texture_ratio/length_rows"},
    {"val_length_ratio_columns", "/val/texture_ratio/length_columns"},
    {"val_coupled_share", "/val/coupled_share"},
    {"val_lowest_phi", "/val/phi/lowest"},
    {"val_highest_phi", "/val/phi/highest"},
    {"val_abs_rel", "/val/abs_rel"},
    {"val_images", "/val/images"},
    {"best", "/best"},
}};

std::string field(const Json& epoch, const char* place) {
  const Json::json_pointer pointer(place);
  if (!epoch.contains(pointer) || epoch.at(pointer).is_null()) return "";
  const Json& value = epoch.at(pointer);
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string metrics_table_header() {
  std::string line;
  for (const Column& column : kColumns) (line += line.empty() ? "" : ",") += column.name;
  return line += '\n';
}

std::string metrics_table_row(const Json& epoch) {
  std::string line;
  for (const Column& column : kColumns) {
    if (&column != kColumns.data()) line += ',';
    line += field(epoch, column.place);
  }
  return line += '\n';
}

}  // namespace supn
