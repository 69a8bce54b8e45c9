// The whole configuration has one section per layer, each the layer's own struct. Objects get their
// own section, never the whole.
//
// Files are YAML, read strictly: an unknown or duplicate key, a wrong type, a value out of range or
// an unknown choice is a ConfigError "<file>:<line>: <key>: ..." that names the nearest valid key
// or the valid choices. `base: other.yaml` at the top starts from another file (relative to this
// one); what follows replaces it key by key, lists as a whole. Paths are relative to the file that
// names them, or, in an override, to the current directory; what comes back is absolute. An empty
// path is unset.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/ensemble/ensemble_config.hpp"
#include "supn/evaluation/evaluation_config.hpp"
#include "supn/network/network_config.hpp"
#include "supn/option_fields.hpp"
#include "supn/training/option_changes.hpp"
#include "supn/training/training_config.hpp"

namespace supn {

struct Config {
  DataConfig data;
  NetworkConfig network;
  EnsembleConfig ensemble;
  TrainingConfig training;
  EvaluationConfig evaluation;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(section("data", self.data, "images, ground truth, ensemble samples, loading"));
    visit(section("network", self.network, "architecture and form of the factor"));
    visit(section("ensemble", self.ensemble, "the members and what they output"));
    visit(section("training", self.training, "losses, optimizer, schedule"));
    visit(section("evaluation", self.evaluation, "protocol, scale, samples"));
  }
};

// Overrides are "section.key=value", applied in order on top of the file; value is written as in
// YAML: 3, true, name, [a, b]. Throws IoError for a file that cannot be read, ConfigError as above
// (its place is "--set section.key=value" for an override).
Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides);

// Writes every key with its value: load_config of this text, from any folder, gives the same
// configuration.
std::string to_yaml(const Config& config);

// The options whose values differ, in the order of declaration.
std::vector<OptionChange> option_changes(const Config& before, const Config& now);

// Returns all options as a Markdown page, a table per section: name, type, default, range or
// choices, meaning.
std::string configuration_page();

}  // namespace supn
