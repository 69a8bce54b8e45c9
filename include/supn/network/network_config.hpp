// The configuration names the network: backbone, order and sparsity of the factor, form of its
// off-diagonal maps, ablations. See docs/method.md "Network", "Forms of ψ", "From coarse to fine".
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "supn/gaussian/neighbourhood.hpp"
#include "supn/gaussian/vecchia.hpp"
#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Backbone {
  kResnet18,    // ResNet18 encoder and U-Net decoder, 4 scales, 14.3 M parameters
  kCompact,     // small encoder and decoder without skips or batch norm, 3 scales, 1.2 M parameters
  kCompactUnet  // compact with skips
};

template <>
struct OptionNames<Backbone> {
  static constexpr std::array<std::pair<std::string_view, Backbone>, 3> values{
      {{"resnet18", Backbone::kResnet18},
       {"compact", Backbone::kCompact},
       {"compact_unet", Backbone::kCompactUnet}}};
};

template <>
struct OptionNames<PixelOrder> {
  static constexpr std::array<std::pair<std::string_view, PixelOrder>, 2> values{
      {{"raster", PixelOrder::kRaster}, {"coarse_to_fine", PixelOrder::kCoarseToFine}}};
};

// Says how ψ follows from the raw maps M and φ in raster order (off_diagonal.hpp).
enum class OffDiagonalForm {
  kPaper,        // ψ_k = c_k tanh M_k
  kNone,         // ψ_k = M_k; the paper's ablation −ODS
  kRelative,     // ψ_k = e^φ c_k tanh M_k
  kContractive,  // ψ_k = e^φ M_k / (1 + Σ|M|): ρ < 1 whatever the maps
  kFactored,     // Lᵀ = D Π (I − a S), one-directional bounded recursions: samples stay finite
  kTwofold       // Lᵀ = D (I − A)(I − B), two bounded radius-1 stencils
};

template <>
struct OptionNames<OffDiagonalForm> {
  static constexpr std::array<std::pair<std::string_view, OffDiagonalForm>, 6> values{
      {{"paper", OffDiagonalForm::kPaper},
       {"none", OffDiagonalForm::kNone},
       {"relative", OffDiagonalForm::kRelative},
       {"contractive", OffDiagonalForm::kContractive},
       {"factored", OffDiagonalForm::kFactored},
       {"twofold", OffDiagonalForm::kTwofold}}};
};

// ν of a Matérn field: how often it can be differentiated, less than ν times.

template <>
struct OptionNames<Smoothness> {
  static constexpr std::array<std::pair<std::string_view, Smoothness>, 3> values{
      {{"1/2", Smoothness::kHalf},
       {"3/2", Smoothness::kThreeHalves},
       {"5/2", Smoothness::kFiveHalves}}};
};

// The stationary Matérn field that an untrained network of order coarse_to_fine draws
// (kriging.hpp).
struct StartingField {
  double std = 0.08;
  double length = 0.1;
  Smoothness smoothness = Smoothness::kHalf;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("std", self.std, "standard deviation in logits").range(1e-6, 100.0));
    visit(option("length", self.length, "correlation length in widths of the image")
              .range(1e-3, 100.0));
    visit(option("smoothness", self.smoothness, "1/2 is rough (exponential), 5/2 smooth"));
  }

  bool operator==(const StartingField&) const = default;
};

struct NetworkConfig {
  Backbone backbone = Backbone::kResnet18;
  PixelOrder order = PixelOrder::kRaster;
  std::int64_t neighbourhood_radius = 2;
  OffDiagonalForm off_diagonal = OffDiagonalForm::kPaper;
  bool coordinate_maps = true;
  bool diagonal_scaling = true;
  std::int64_t classes = 12;
  std::int64_t neighbours = 12;
  StartingField start = {};

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("backbone", self.backbone, "encoder and mean decoder"));
    visit(option("order",
                 self.order,
                 "of the factor's pixels: raster (the paper's) or coarse_to_fine, whose samples "
                 "are smooth and finite"));
    visit(option("neighbourhood_radius",
                 self.neighbourhood_radius,
                 "raster: radius r of the factor's (2r+1)x(2r+1) window; 0 = independent pixels")
              .range(0, 8));
    visit(option("off_diagonal",
                 self.off_diagonal,
                 "raster: form of the off-diagonal maps; factored needs radius 1 or 2, twofold "
                 "radius 2"));
    visit(option("coordinate_maps",
                 self.coordinate_maps,
                 "feed pixel coordinates to the SUPN decoder (false: the paper's ablation -PM)"));
    visit(option("diagonal_scaling",
                 self.diagonal_scaling,
                 "raster: scale and bound the diagonal per image (false: the paper's ablation "
                 "-DS)"));
    visit(option("classes",
                 self.classes,
                 "coarse_to_fine: classes of pixels that a level is filled with, 3 or 12")
              .range(3, 12));
    visit(option("neighbours",
                 self.neighbours,
                 "coarse_to_fine: nearest pixels, among those placed before, that each depends on")
              .range(12, 24));
    visit(
        section("start", self.start, "coarse_to_fine: the field that an untrained network draws"));
  }

  bool operator==(const NetworkConfig&) const = default;
};

// Throws ConfigError if the form does not exist for the radius, the number of classes is another
// than 3 and 12, or an option of one order is set with the other.
void check_network_config(const NetworkConfig& config);

// Returns the neighbourhood of the finest scale's factor.
Neighbourhood neighbourhood_of(const NetworkConfig& config);

// Input sizes must be multiples of this: 32 for resnet18, 16 for compact and compact_unet.
std::int64_t size_multiple(Backbone backbone);

// Throws ConfigError naming the nearest fitting size. Each side is at least two multiples, since
// the coarsest features are padded by reflection.
void check_input_size(Backbone backbone, const ImageSize& size);

}  // namespace supn
