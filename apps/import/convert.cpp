#include "import/convert.hpp"

#include <spdlog/spdlog.h>

#include <set>
#include <string>

#include "common/run_app.hpp"
#include "supn/errors.hpp"
#include "supn/network/published_network.hpp"
#include "supn/serialization/file_names.hpp"
#include "supn/serialization/output_guard.hpp"

namespace supn {
namespace {

void check_names(const std::vector<NetworkFiles>& networks) {
  std::set<std::string> names;
  for (const NetworkFiles& network : networks) {
    if (names.insert(network.name).second) continue;
    throw IoError(network.encoder,
                  "would be written as the member " + network.name +
                      ", as another one would; convert them into different folders");
  }
}

std::filesystem::path member_file(const ConversionRequest& request,
                                  const NetworkFiles& files,
                                  std::int64_t pass) {
  const std::string suffix = request.dropout > 0.0 ? "_pass_" + std::to_string(pass) : "";
  return request.out / (shortened_name(files.name) + suffix + ".safetensors");
}

void check_outputs(const ConversionRequest& request) {
  OutputGuard guard;
  for (const NetworkFiles& files : request.networks) {
    guard.reads(files.encoder);
    guard.reads(files.decoder);
  }
  for (const NetworkFiles& files : request.networks) {
    for (std::int64_t pass = 0; pass < request.passes; ++pass) {
      guard.check_file(member_file(request, files, pass));
    }
  }
}

// Empty where the size is not known.
std::string trained_size_text(const ImageSize& size) {
  if (size.height == 0 || size.width == 0) return "";
  return ", trained at " + size_text(size);
}

MemberFile read_member(const NetworkFiles& files, double dropout) {
  throw_if_interrupted();
  const PublishedNetwork network = read_published_network(files.encoder, files.decoder);
  MemberFile member{network.config, network.size, network.tensors};
  member.config.dropout = dropout;
  member_shapes(member.config);  // refuses impossible dropout
  return member;
}

}  // namespace

std::vector<std::filesystem::path> convert_networks(const ConversionRequest& request) {
  check_names(request.networks);
  check_outputs(request);
  // All before the first is written: a damaged one leaves nothing behind.
  for (const NetworkFiles& files : request.networks) read_member(files, request.dropout);
  std::vector<std::filesystem::path> written;
  std::set<std::string> sizes;
  for (const NetworkFiles& files : request.networks) {
    MemberFile member = read_member(files, request.dropout);
    for (std::int64_t pass = 0; pass < request.passes; ++pass) {
      member.config.dropout_seed = pass;
      written.push_back(member_file(request, files, pass));
      write_member(written.back(), member);
      spdlog::info("{}: {}{}{}",
                   written.back().string(),
                   option_name(member.config.backbone),
                   member.config.log_scale == LogScaleHead::kPresent ? " with log-scales" : "",
                   trained_size_text(member.size));
      if (const std::string size = trained_size_text(member.size); !size.empty())
        sizes.insert(size);
    }
  }
  if (sizes.size() > 1) {
    spdlog::warn(
        "the members were trained at several sizes; supn_ensemble runs all of them at one "
        "(data.height, data.width): make one ensemble for each size");
  }
  return written;
}

}  // namespace supn
