#include "inference/output_place.hpp"

#include "supn/errors.hpp"
#include "supn/network/checkpoint_files.hpp"
#include "supn/serialization/input_file.hpp"

namespace supn {

OutputPlace output_place(const std::filesystem::path& out, const InputImage& image) {
  return {out / image.name, out / (image.name + ".png")};
}

void check_output_place(const OutputGuard& guard, const OutputPlace& place, FileNames names) {
  guard.check_file(place.picture);
  guard.check_folder(place.folder, names);
  if (!is_there(place.picture) || is_there(place.folder)) return;
  throw IoError(place.picture,
                "is there already, and not of an earlier call (without the folder " +
                    place.folder.filename().string() +
                    "/ beside it); write to another place, or move it away");
}

void check_output_file(const OutputGuard& guard,
                       const std::filesystem::path& file,
                       const OutputPlace& place) {
  if (file.empty()) return;
  guard.check_file(file);
  if (!lies_in(file, place.folder)) return;
  throw IoError(file,
                "lies in a folder that is replaced as a whole; name a place outside of " +
                    place.folder.string());
}

void remove_picture(const OutputPlace& place) {
  std::error_code error;
  std::filesystem::remove(place.picture, error);
  if (error) throw IoError(place.picture, "cannot be removed: " + error.message());
}

void reads_checkpoint(OutputGuard& guard, const std::filesystem::path& checkpoint) {
  if (checkpoint.empty()) return;
  guard.reads(checkpoint);
  for (const std::string_view name : kCheckpointFiles) guard.reads(checkpoint / name);
}

}  // namespace supn
