// Damaged files of torch.save, both formats: shown, and converted.
#include "apps/damaged_files.hpp"
#include "serialization/pth_fixture.hpp"
#include "supn/network/member_network.hpp"

namespace supn {
namespace {

using test::legacy_file;
using test::zip_file;
using test::pickled::dict;
using test::pickled::integer;
using test::pickled::list;
using test::pickled::Storage;
using test::pickled::tensor;
using test::pickled::text;

std::string small_object() {
  const Storage floats{.count = 6};
  return dict({{"state_dict",
                dict({{"weight", tensor(floats, {0, {2, 3}, {3, 1}})},
                      {"transposed", tensor(floats, {1, {2, 2}, {1, 2}})},
                      {"expanded", tensor(floats, {5, {7}, {0}})}})},
               {"epoch", integer(20)},
               {"sizes", list({integer(32), integer(64)})},
               {"name", text("a")}});
}

// The compact network: every tensor is the beginning of one storage of half-precision numbers.
struct NetworkObjects {
  std::string encoder;
  std::string decoder;
  std::int64_t encoder_count = 0;
  std::int64_t decoder_count = 0;
};

std::int64_t numbers_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

NetworkObjects compact_network() {
  const auto shapes = member_shapes({.backbone = Backbone::kCompact});
  NetworkObjects network;
  const auto is_of_encoder = [](const std::string& name) { return !name.starts_with("decoder."); };
  for (const auto& [name, shape] : shapes) {
    std::int64_t& count = is_of_encoder(name) ? network.encoder_count : network.decoder_count;
    count = std::max(count, numbers_of(shape));
  }
  std::vector<std::pair<std::string, std::string>> encoder{{"height", integer(32)},
                                                           {"width", integer(64)}};
  std::vector<std::pair<std::string, std::string>> decoder;
  for (const auto& [name, shape] : shapes) {
    const std::int64_t count = is_of_encoder(name) ? network.encoder_count : network.decoder_count;
    (is_of_encoder(name) ? encoder : decoder)
        .emplace_back(
            name, tensor({.type = "HalfStorage", .count = count}, {0, shape, strides_of(shape)}));
  }
  network.encoder = dict(encoder);
  network.decoder = dict(decoder);
  return network;
}

std::string halves(std::int64_t count) {
  return std::string(2 * static_cast<std::size_t>(count), '\x11');
}

class HostilePth : public DamagedFilesTest {
 protected:
  void show(const std::string& content) const {
    put(good_ / "a.pth", content);
    damage({"a.pth", "supn_import", {"a.pth"}, {"a.pth"}});
  }

  // Two networks, the second of which is damaged: its first half, or its second.
  void convert(const std::string& file, const std::string& object) const {
    const NetworkObjects network = compact_network();
    for (const std::string boot : {"boot_1", "boot_2"}) {
      const auto folder = good_ / "nets" / boot / "weights_0";
      put(folder / "encoder.pth",
          zip_file(network.encoder, {{"0", halves(network.encoder_count)}}));
      put(folder / "depth.pth",
          legacy_file(network.decoder, {{"0", halves(network.decoder_count)}}, 2));
    }
    damage({"nets/boot_2/weights_0/" + file,
            "supn_import",
            {"nets", "--out", "members"},
            {"boot_2"},
            object.size() + 200});
  }
};

TEST_F(HostilePth, ZipFile) {
  show(zip_file(small_object(), {{"0", test::bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})}}));
}

TEST_F(HostilePth, LegacyFile) {
  show(legacy_file(small_object(), {{"0", test::bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})}}));
}

TEST_F(HostilePth, ZipFileToConvert) { convert("encoder.pth", compact_network().encoder); }

TEST_F(HostilePth, LegacyFileToConvert) { convert("depth.pth", compact_network().decoder); }

}  // namespace
}  // namespace supn
