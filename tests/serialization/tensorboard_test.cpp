// Writes event files for TensorBoard's own package to read: see tensorboard_test.py, which calls
// this program with a folder and a picture. Two files, as of a run that was stopped after step 3
// and goes on from step 2.
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "supn/serialization/event_file.hpp"

namespace {

void write_first(const std::string& folder) {
  supn::EventFile events(folder);
  for (const int step : {1, 2, 3}) {
    events.write_scalar({"loss/total", step}, 0.25 * step);
  }
  events.write_scalar({"loss/nan", 1}, std::nan(""));
  events.flush();
}

void write_second(const std::string& folder, const std::string& png) {
  supn::EventFile events(folder);
  events.write_restart(3);
  events.write_scalar({"loss/total", 3}, -3.5);
  events.write_histogram({"factor/phi", 3},
                         {.minimum = -1.5,
                          .maximum = 4.0,
                          .sum = 6.25,
                          .sum_of_squares = 30.0,
                          .limits = {-1.0, 0.0, 2.0, 5.0},
                          .counts = {1.0, 0.0, 300.0, 2.0}});
  events.write_image({"scene/mean", 3}, {2, 5}, png);
  events.flush();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream picture(arguments[2], std::ios::binary);
  const std::string png{std::istreambuf_iterator<char>(picture), {}};
  write_first(arguments[1]);
  // Files are read in the order of their names, which hold seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  write_second(arguments[1], png);
  return 0;
}
