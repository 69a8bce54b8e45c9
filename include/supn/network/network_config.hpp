// Which network: backbone, sparsity of the factor, form of its off-diagonal maps, ablations.
// See docs/method.md "Network", "Forms of ψ".
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "supn/image_size.hpp"
#include "supn/option_fields.hpp"

namespace supn {

enum class Backbone {
  kResnet18,  // ResNet18 encoder and U-Net decoder, 4 scales, 14.3 M parameters
  kCompact    // small encoder and decoder without skips or batch norm, 3 scales, 1.2 M parameters
};

template <>
struct OptionNames<Backbone> {
  static constexpr std::array<std::pair<std::string_view, Backbone>, 2> values{
      {{"resnet18", Backbone::kResnet18}, {"compact", Backbone::kCompact}}};
};

// How ψ follows from the raw maps M and φ (off_diagonal.hpp).
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

struct NetworkConfig {
  Backbone backbone = Backbone::kResnet18;
  std::int64_t neighbourhood_radius = 2;
  OffDiagonalForm off_diagonal = OffDiagonalForm::kPaper;
  bool coordinate_maps = true;
  bool diagonal_scaling = true;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(option("backbone", self.backbone, "encoder and mean decoder"));
    visit(option("neighbourhood_radius",
                 self.neighbourhood_radius,
                 "radius r of the factor's (2r+1)x(2r+1) window; 0 = independent pixels")
              .range(0, 8));
    visit(option("off_diagonal",
                 self.off_diagonal,
                 "form of the off-diagonal maps; factored needs radius 1 or 2, twofold radius 2"));
    visit(option("coordinate_maps",
                 self.coordinate_maps,
                 "feed pixel coordinates to the SUPN decoder (false: the paper's ablation -PM)"));
    visit(option("diagonal_scaling",
                 self.diagonal_scaling,
                 "scale and bound the diagonal per image (false: the paper's ablation -DS)"));
  }

  bool operator==(const NetworkConfig&) const = default;
};

// Throws ConfigError if the form does not exist for the radius.
void check_network_config(const NetworkConfig& config);

// Input sizes must be multiples of this: 32 for resnet18, 16 for compact.
std::int64_t size_multiple(Backbone backbone);

// Throws ConfigError naming the nearest fitting size. Each side is at least two multiples, since
// the coarsest features are padded by reflection.
void check_input_size(Backbone backbone, const ImageSize& size);

}  // namespace supn
