// Runs an ensemble over images and writes what its members predict: per image and scale one file of
// logits [S,h,w], S = members, then, if asked for, all members once more on the mirrored image (so
// that member m's mirrored map is at S/2 + m); log_scale_0.npy beside, where members have
// log-scales.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "supn/data/data_config.hpp"
#include "supn/data/kitti.hpp"
#include "supn/ensemble/ensemble_config.hpp"
#include "supn/ensemble/member.hpp"

namespace supn {

struct EnsembleMaps {
  std::vector<at::Tensor> logits;  // per scale, finest first: [B,S,h,w] float32
  at::Tensor log_scale;            // [B,S,H,W] float32, or undefined
  std::int64_t clamped = 0;
};

// Runs all members (and mirrored members) on a batch [B,3,H,W] of RGB in [0,1]. Throws IoError as
// Member::predict, and where a member's maps differ in size from the first member's.
EnsembleMaps predict_ensemble(std::span<const Member> members,
                              const EnsembleConfig& config,
                              const at::Tensor& images);

struct EnsembleReport {
  std::int64_t written = 0;  // images
  std::int64_t kept = 0;     // images whose files were complete
  std::int64_t clamped = 0;  // saturated values among those written
  std::int64_t values = 0;   // logits written
};

enum class ImageOutcome { kWritten, kKept };
struct EnsembleObserver {
  std::function<void(ImageOutcome, std::int64_t count)> on_images;  // done
  // Warns before the first image of a member that was trained at another size than the data's.
  std::function<void(const std::string&)> on_warning = [](const std::string&) {};
};

// Reads data.root, writes data.samples, at data.height × data.width. Frames that occur twice are
// done once. A file that is complete is kept, one that is cut off is written anew; each is written
// aside and renamed. <samples>/ensemble.json holds what the files were made with: throws
// ConfigError where it differs, or a complete file has another shape or dtype, rather than mixing
// two ensembles; ConfigError also for no members or no samples folder, and, after the first image
// and before anything is written, where the maps cannot be what ensemble.quantity says or two
// members give the same. IoError names the image or
// member at fault.
EnsembleReport run_ensemble(const EnsembleConfig& ensemble,
                            const DataConfig& data,
                            std::span<const Frame> frames,
                            at::Device device,
                            const EnsembleObserver& observer);

}  // namespace supn
