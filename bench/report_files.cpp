#include <c10/util/Exception.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report.hpp"

namespace supn::bench {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"p5", spread.low}, {"p95", spread.high}};
}

Json limits_json(const MachineLimits& limits) {
  return {{"dram_bytes_per_second", limits.dram_bytes_per_second},
          {"fma_f32_per_second", limits.fma_f32_per_second},
          {"fma_f64_per_second", limits.fma_f64_per_second}};
}

Json target_json(const Target& target, const Row& row) {
  Json json{{"quantity", target.quantity},
            {"comparison", target.comparison == Comparison::kAtLeast ? ">=" : "<="},
            {"bound", target.bound},
            {"measured", nullptr},
            {"met", nullptr}};
  if (row.refused.empty()) {
    json["measured"] = target.measured;
    json["met"] = target.met();
  }
  return json;
}

Json description_json(const Row& row) {
  return {{"section", row.section},
          {"subject", row.subject},
          {"height", row.size.height},
          {"width", row.size.width},
          {"order", row.order},
          {"factor", row.factor},
          {"dtype", row.dtype},
          {"samples", row.samples},
          {"known", row.known},
          {"threads", row.threads},
          {"unit", row.unit},
          {"ours", row.ours},
          {"peer", row.peer},
          {"peer_settings", row.peer_settings},
          {"difference", row.difference},
          {"tolerance", row.tolerance},
          {"refused", row.refused}};
}

Json row_json(const Row& row) {
  Json json = description_json(row);
  json["times"] = nullptr;
  if (row.times) {
    json["times"] = {{"ours_seconds", spread_json(row.times->ours)},
                     {"peer_seconds", spread_json(row.times->peer)},
                     {"ratio", spread_json(row.times->ratio)},
                     {"pairs", row.times->pairs}};
  }
  json["memory"] = nullptr;
  if (row.memory) {
    json["memory"] = {{"ours_bytes", row.memory->ours}, {"peer_bytes", nullptr}};
    if (row.memory->of_peer) json["memory"]["peer_bytes"] = *row.memory->of_peer;
  }
  json["limit"] = nullptr;
  if (row.limit) json["limit"] = {{"of", row.limit->limit}, {"share", row.limit->share}};
  json["targets"] = Json::array();
  for (const Target& target : row.targets) json["targets"].push_back(target_json(target, row));
  return json;
}

Json run_json(const RunRecord& record, const Suite& suite) {
  return {{"version", record.version},
          {"date", record.date},
          {"extent", record.extent == Extent::kQuick ? "quick" : "full"},
          {"seconds", record.seconds},
          {"threads", record.threads},
          {"cpu", record.machine.cpu},
          {"vector_extensions", record.machine.vector_extensions},
          {"cores", record.machine.cores},
          {"load_before", record.load_before},
          {"load_after", record.load_after},
          {"limits_one_thread", limits_json(suite.limits(1))},
          {"limits_all_threads", limits_json(suite.limits(record.threads))}};
}

std::ofstream opened(const std::filesystem::path& path) {
  std::ofstream file(path);
  TORCH_CHECK(file.is_open(), path.string(), ": cannot be written");
  return file;
}

std::string quoted(const Json& value) {
  if (!value.is_string()) return value.is_null() ? "" : value.dump();
  std::string text = "\"";
  for (const char c : value.get<std::string>()) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

// The row's JSON with nested fields joined by dots; targets are left to the JSON file.
void flatten(const std::string& prefix, const Json& json, Json& flat) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      flatten(prefix + key + ".", value, flat);
    } else if (!value.is_array()) {
      flat[prefix + key] = value;
    }
  }
}

// A row that has everything, for the columns.
Row complete_row() {
  Row row;
  row.times = PairedTimes{};
  row.memory = PeakMemory{};
  row.limit = LimitShare{};
  return row;
}

}  // namespace

void write_json(const std::filesystem::path& path, const RunRecord& record, const Suite& suite) {
  Json json{{"run", run_json(record, suite)}, {"rows", Json::array()}, {"curves", Json::array()}};
  for (const Row& row : suite.rows()) json["rows"].push_back(row_json(row));
  for (const CurvePoint& point : suite.points()) {
    json["curves"].push_back({{"panel", point.panel},
                              {"line", point.line},
                              {"x", point.x},
                              {"seconds", spread_json(point.seconds)}});
  }
  std::ofstream file = opened(path);
  file << json.dump(1) << "\n";
  file.flush();
  TORCH_CHECK(file.good(), path.string(), ": writing failed");
}

void write_csv(const std::filesystem::path& path, const std::vector<Row>& rows) {
  Json columns = Json::object();
  flatten("", row_json(complete_row()), columns);
  std::ostringstream text;
  std::string separator;
  for (const auto& [name, unused] : columns.items()) {
    text << separator << name;
    separator = ",";
  }
  text << "\n";
  for (const Row& row : rows) {
    Json flat = Json::object();
    flatten("", row_json(row), flat);
    separator.clear();
    for (const auto& [name, unused] : columns.items()) {
      text << separator << (flat.contains(name) ? quoted(flat[name]) : "");
      separator = ",";
    }
    text << "\n";
  }
  std::ofstream file = opened(path);
  file << text.str();
  file.flush();
  TORCH_CHECK(file.good(), path.string(), ": writing failed");
}

}  // namespace supn::bench
