// Damaged files through the apps that read them: exit code 1, one line that names the file, nothing
// written; or, where the damage does no harm, all that an undamaged file gives.
//
// SUPN_MUTANTS files a format (8 by default), a function of SUPN_SEED; scripts/fuzz.sh apps.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "apps/gaussian_app_test.hpp"

namespace supn {

struct Damaged {
  std::string file;  // below the folder
  std::string app;
  std::vector<std::string> arguments;
  std::vector<std::string> named_by;  // the message holds one of these
  // Only so many bytes at the start are damaged: where the rest are numbers, any of which will do.
  std::size_t head = std::numeric_limits<std::size_t>::max();
};

std::string content_of(const std::filesystem::path& file);
// Makes its folder too.
void put(const std::filesystem::path& file, const std::string& content);

class DamagedFilesTest : public GaussianAppTest {
 protected:
  // Valid files of all formats go into good_; each run gets a copy. g.safetensors is there.
  void SetUp() override;
  void damage(const Damaged& damaged) const;

  std::filesystem::path good_;
};

}  // namespace supn
