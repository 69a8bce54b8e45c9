#include "supn/ensemble/run_ensemble.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "first_image.hpp"
#include "image_pipeline.hpp"
#include "manifest.hpp"
#include "supn/errors.hpp"
#include "supn/serialization/input_file.hpp"
#include "supn/serialization/npy.hpp"

namespace supn {
namespace {

at::ScalarType file_dtype(const EnsembleConfig& config) {
  return config.dtype == SampleDtype::kFloat16 ? at::kHalf : at::kFloat;
}

// One sample file of a frame: where it lies and the shape that it must have.
struct SampleFile {
  std::filesystem::path path;
  std::vector<std::int64_t> shape;
};

// The files that an image is to have, found out from one image's maps.
class SampleLayout {
 public:
  SampleLayout(const DataConfig& data, const EnsembleMaps& maps) : samples_(data.samples) {
    for (const at::Tensor& scale : maps.logits) shapes_.push_back(scale.sizes().slice(1).vec());
    if (maps.log_scale.defined()) log_scale_shape_ = maps.log_scale.sizes().slice(1).vec();
  }

  std::vector<SampleFile> files(const Frame& frame) const {
    std::vector<SampleFile> files;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      files.push_back({sample_path(samples_, frame, static_cast<std::int64_t>(s)), shapes_[s]});
    }
    if (!log_scale_shape_.empty()) {
      files.push_back({log_scale_path(samples_, frame), log_scale_shape_});
    }
    return files;
  }

  std::vector<std::vector<std::int64_t>> scale_sizes() const {
    std::vector<std::vector<std::int64_t>> sizes;
    for (const auto& shape : shapes_) sizes.push_back({shape[1], shape[2]});
    return sizes;
  }

 private:
  std::filesystem::path samples_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::int64_t> log_scale_shape_;
};

// Tells whether a file is there and whole. A cut-off one counts as absent; a whole one of another
// kind is another ensemble's.
bool is_complete(const SampleFile& file, at::ScalarType dtype) {
  if (!is_there(file.path)) return false;
  NpyHeader header;
  try {
    header = read_npy_header(file.path);
  } catch (const IoError&) {
    return false;
  }
  if (header.shape != file.shape || header.dtype != dtype) {
    throw ConfigError(file.path.string() + ": holds " + c10::toString(header.dtype) + " " +
                      c10::str(at::IntArrayRef(header.shape)) + ", this ensemble gives " +
                      c10::toString(dtype) + " " + c10::str(at::IntArrayRef(file.shape)) +
                      "; choose another data.samples, or remove that folder");
  }
  return true;
}

bool all_complete(const std::vector<SampleFile>& files, at::ScalarType dtype) {
  for (const SampleFile& file : files) {
    if (!is_complete(file, dtype)) return false;
  }
  return true;
}

void check_same_size(const at::Tensor& maps, const at::Tensor& first, const Member& member) {
  if (maps.sizes().slice(2) == first.sizes().slice(2)) return;
  throw IoError(member.file(),
                "gives maps of " + c10::str(maps.sizes().slice(2)) + ", the first member of " +
                    c10::str(first.sizes().slice(2)) + "; members must agree");
}

void append(std::vector<MemberOutput>& outputs, MemberOutput output, const Member& member) {
  if (!outputs.empty()) {
    const MemberOutput& first = outputs.front();
    if (output.logits.size() != first.logits.size()) {
      throw IoError(member.file(),
                    "gives " + std::to_string(output.logits.size()) + " scales, the first member " +
                        std::to_string(first.logits.size()) + "; members must agree");
    }
    for (std::size_t s = 0; s < first.logits.size(); ++s) {
      check_same_size(output.logits[s], first.logits[s], member);
    }
  }
  outputs.push_back(std::move(output));
}

MemberOutput mirrored(MemberOutput output) {
  for (at::Tensor& scale : output.logits) scale = scale.flip(3);
  if (output.log_scale.defined()) output.log_scale = output.log_scale.flip(3);
  return output;
}

EnsembleMaps gather(const std::vector<MemberOutput>& outputs) {
  EnsembleMaps maps;
  const auto joined = [&](const auto& map_of) {
    std::vector<at::Tensor> all;
    for (const MemberOutput& output : outputs) all.push_back(map_of(output));
    return at::cat(all, 1);
  };
  for (std::size_t s = 0; s < outputs.front().logits.size(); ++s) {
    maps.logits.push_back(joined([s](const MemberOutput& output) { return output.logits[s]; }));
  }
  if (outputs.front().log_scale.defined()) {
    maps.log_scale = joined([](const MemberOutput& output) { return output.log_scale; });
  }
  for (const MemberOutput& output : outputs) maps.clamped += output.clamped;
  return maps;
}

// Computes the maps of a made-up image: their sizes are those of every image's. Checks them against
// the data's. Settles how the members are laid out.
SampleLayout probe(std::span<Member> members,
                   const EnsembleConfig& config,
                   const DataConfig& data) {
  // Two images where batches have more than one: a member's `view` may fail for those alone.
  const std::int64_t count = std::min<std::int64_t>(config.batch_size, 2);
  const at::Tensor ramp = at::linspace(0.0, 1.0, count * 3 * data.height * data.width)
                              .view({count, 3, data.height, data.width});
  std::vector<MemberOutput> outputs;
  for (Member& member : members) append(outputs, member.settle_layout(ramp), member);
  // Mirrored maps have the same sizes.
  for (std::size_t m = 0; config.horizontal_flip && m < members.size(); ++m) {
    outputs.push_back(outputs[m]);
  }
  const EnsembleMaps maps = gather(outputs);
  const at::Tensor& finest = maps.logits.front();
  if (finest.size(2) != data.height || finest.size(3) != data.width) {
    throw ConfigError("ensemble.output_keys: the finest maps are " +
                      c10::str(finest.sizes().slice(2)) + ", expected data.height, data.width = " +
                      c10::str(at::IntArrayRef({data.height, data.width})) +
                      "; list the finest output first, or set data.height and data.width");
  }
  return {data, maps};
}

void write_batch(const SampleLayout& layout,
                 std::span<const Frame> frames,
                 const EnsembleMaps& maps,
                 at::ScalarType dtype) {
  for (std::size_t b = 0; b < frames.size(); ++b) {
    const auto index = static_cast<std::int64_t>(b);
    const std::vector<SampleFile> files = layout.files(frames[b]);
    for (std::size_t s = 0; s < maps.logits.size(); ++s) {
      write_npy(files[s].path, maps.logits[s].select(0, index).to(dtype).contiguous());
    }
    if (maps.log_scale.defined()) {
      write_npy(files.back().path, maps.log_scale.select(0, index).to(dtype).contiguous());
    }
  }
}

std::vector<Member> load_members(const EnsembleConfig& config, at::Device device) {
  if (config.members.empty()) {
    throw ConfigError(
        "ensemble.members: expected TorchScript files, the list is empty; for example "
        "--set ensemble.members=[boot_0.ts,boot_1.ts]");
  }
  std::vector<Member> members;
  for (const auto& file : config.members) members.emplace_back(file, config, device);
  return members;
}

void warn_of_other_sizes(std::span<const Member> members,
                         const ImageSize& size,
                         const EnsembleObserver& observer) {
  for (const Member& member : members) {
    const std::optional<ImageSize> trained = member.trained_size();
    if (!trained || *trained == size) continue;
    observer.on_warning(member.file().string() + ": was trained at " + size_text(*trained) +
                        " and runs at " + size_text(size) +
                        ", which costs accuracy; set data.width and data.height to its size, or "
                        "make an ensemble of members of one size");
  }
}

std::vector<Frame> without_repeats(std::span<const Frame> frames) {
  std::unordered_set<std::string> seen;
  std::vector<Frame> distinct;
  for (const Frame& frame : frames) {
    if (seen.insert(frame.id()).second) distinct.push_back(frame);
  }
  return distinct;
}

}  // namespace

EnsembleMaps predict_ensemble(std::span<const Member> members,
                              const EnsembleConfig& config,
                              const at::Tensor& images) {
  const c10::InferenceMode inference;
  std::vector<MemberOutput> outputs;
  for (const Member& member : members) append(outputs, member.predict(images), member);
  if (config.horizontal_flip) {
    const at::Tensor flipped = images.flip(3);
    for (const Member& member : members) {
      append(outputs, mirrored(member.predict(flipped)), member);
    }
  }
  return gather(outputs);
}

EnsembleReport run_ensemble(const EnsembleConfig& ensemble,
                            const DataConfig& data,
                            std::span<const Frame> frames,
                            at::Device device,
                            const EnsembleObserver& observer) {
  if (data.samples.empty()) {
    throw ConfigError("data.samples: expected the folder to write to; add --set data.samples=DIR");
  }
  std::vector<Member> members = load_members(ensemble, device);
  const SampleLayout layout = probe(members, ensemble, data);
  warn_of_other_sizes(members, data.size(), observer);
  const std::string manifest = manifest_text(ensemble, layout.scale_sizes());
  std::vector<std::filesystem::path> files;
  for (const Frame& frame : frames) files.push_back(layout.files(frame).front().path);
  check_samples_folder(data.samples, manifest, files);

  EnsembleReport report;
  std::vector<Frame> missing;
  for (const Frame& frame : without_repeats(frames)) {
    if (all_complete(layout.files(frame), file_dtype(ensemble))) {
      ++report.kept;
    } else {
      missing.push_back(frame);
    }
  }
  if (report.kept > 0) observer.on_images(ImageOutcome::kKept, report.kept);
  if (!missing.empty()) {
    const at::Tensor image = load_image(data, missing.front()).unsqueeze(0);
    check_first_image(members, ensemble, predict_ensemble(members, ensemble, image));
  }
  claim_samples_folder(data.samples, manifest);
  ImagePipeline pipeline(data, std::move(missing), ensemble.batch_size);
  while (const std::optional<LoadedImages> batch = pipeline.next()) {
    EnsembleMaps maps = predict_ensemble(members, ensemble, at::stack(batch->images));
    report.written += static_cast<std::int64_t>(batch->frames.size());
    report.clamped += maps.clamped;
    for (const at::Tensor& scale : maps.logits) {
      report.values += scale.numel();
    }
    pipeline.write([&layout, frames = batch->frames, maps = std::move(maps), &ensemble] {
      write_batch(layout, frames, maps, file_dtype(ensemble));
    });
    observer.on_images(ImageOutcome::kWritten, static_cast<std::int64_t>(batch->frames.size()));
  }
  pipeline.finish();
  return report;
}

}  // namespace supn
