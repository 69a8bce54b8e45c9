// The command line of supn_covariance.
#pragma once

#include <CLI/App.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "inference/gaussian_source.hpp"

namespace supn {

// Places count pixels of the image where there is one, else of the maps.
struct Place {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

struct Region {
  Place corner;  // top left
  std::int64_t width = 1;
  std::int64_t height = 1;
};

struct Difference {
  Place first;
  Place second;
};

enum class Extra { kLeave, kAdd };

struct CovarianceArguments {
  SourceArguments source;
  std::filesystem::path image;
  std::filesystem::path out;
  std::vector<Place> pixels;
  std::vector<Region> regions;
  std::vector<Difference> differences;
  std::vector<std::filesystem::path> functionals;  // .npy
  Extra marginals = Extra::kLeave;
  Extra local_correlation = Extra::kLeave;
  std::uint64_t seed = 1;                      // of the samples beside the marginals
  std::optional<double> scale = std::nullopt;  // of depth = scale/disparity; none = relative depth
};

// Bad values are parse errors.
void declare_covariance_options(CLI::App& options, CovarianceArguments& arguments);

// Throws ConfigError if nothing is asked for, or --out or the image is missing.
void check_covariance_arguments(const CovarianceArguments& arguments);

}  // namespace supn
