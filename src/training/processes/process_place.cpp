#include <cstdlib>
#include <string>

#include "supn/errors.hpp"
#include "supn/parse_number.hpp"
#include "supn/training/process_group.hpp"

namespace supn {
namespace {

constexpr const char* kRemedy =
    "; start with torchrun --nproc-per-node N --no-python supn_train ..., or unset WORLD_SIZE to "
    "train in one process";

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string required_text(const char* name) {
  std::string text = text_of(name);
  if (!text.empty()) return text;
  throw ConfigError(std::string(name) + ": not set, though WORLD_SIZE is " + text_of("WORLD_SIZE") +
                    kRemedy);
}

std::int64_t number_of(const char* name, const std::string& text, std::int64_t last) {
  const auto value = parse_number<std::int64_t>(text);
  if (value && value.value >= 0 && value.value <= last) return value.value;
  throw ConfigError(std::string(name) + ": expected a number from 0 to " + std::to_string(last) +
                    ", found '" + text + "'" + kRemedy);
}

}  // namespace

ProcessPlace process_place() {
  constexpr std::int64_t kMostProcesses = 65536;
  constexpr std::int64_t kLastPort = 65535;
  ProcessPlace place;
  const std::string size = text_of("WORLD_SIZE");
  if (size.empty()) return place;
  place.size = number_of("WORLD_SIZE", size, kMostProcesses);
  if (place.size <= 1) return {};
  place.rank = number_of("RANK", required_text("RANK"), place.size - 1);
  const std::string local_rank = text_of("LOCAL_RANK");
  place.local_rank =
      local_rank.empty() ? place.rank : number_of("LOCAL_RANK", local_rank, place.size - 1);
  place.address = required_text("MASTER_ADDR");
  place.port =
      static_cast<std::uint16_t>(number_of("MASTER_PORT", required_text("MASTER_PORT"), kLastPort));
  if (text_of("TORCHELASTIC_USE_AGENT_STORE") == "True") place.host = MeetingHost::kAgent;
  const std::string attempt = text_of("TORCHELASTIC_RESTART_COUNT");
  if (!attempt.empty()) place.attempt = attempt;
  return place;
}

}  // namespace supn
