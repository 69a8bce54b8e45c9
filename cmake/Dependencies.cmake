# What the layers above gaussian and network need; all of it is in Debian (scripts/setup.sh).
find_package(OpenCV 4 REQUIRED COMPONENTS core imgproc imgcodecs videoio)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)

# Here and not in apps/, since Ninja begins with what the top folder makes: ten apps wait for it.
supn_precompiled_header(torch_app ${supn_tensor_headers}
  <CLI/App.hpp> <nlohmann/json.hpp> <spdlog/spdlog.h>)
target_link_libraries(supn_torch_app_pch PRIVATE
  CLI11::CLI11 nlohmann_json::nlohmann_json spdlog::spdlog)
