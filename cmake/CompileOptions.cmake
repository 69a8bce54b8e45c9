# Language level, warnings, sanitizers: one interface target that every target of ours links.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
if(SUPN_SANITIZE)
  # Checks at every access leave little to optimise, and -O3 doubles the time to compile them.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
endif()

add_library(supn_compile_options INTERFACE)
# at::parallel_for is a header template: without OpenMP where it is compiled, its loop is serial.
target_compile_options(supn_compile_options INTERFACE -fopenmp)
target_compile_options(supn_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  # False alarms of g++ 12 on "literal" + std::string (GCC bugs 105651 and 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # The one FMA order of the kernels is part of their contract: no contraction behind our back.
  -ffp-contract=off)
# g++ collects garbage while it compiles, which walks through all that precompiled headers hold: with
# LibTorch's that is an eighth of the time. It may use 4 GB (in kB) before it begins.
target_compile_options(supn_compile_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=4194304>)
if(SUPN_PYTHON)
  # Everywhere, since all targets share their precompiled headers.
  target_compile_options(supn_compile_options INTERFACE -fPIC -fno-semantic-interposition)
endif()
# Else ATen/TensorOperators.h takes in every operator of LibTorch.
target_compile_definitions(supn_compile_options INTERFACE AT_PER_OPERATOR_HEADERS)
if(SUPN_WARNINGS_AS_ERRORS)
  target_compile_options(supn_compile_options INTERFACE -Werror)
endif()
if(SUPN_SANITIZE)
  target_compile_options(supn_compile_options INTERFACE
    -fsanitize=${SUPN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(supn_compile_options INTERFACE -fsanitize=${SUPN_SANITIZE})
  target_compile_definitions(supn_compile_options INTERFACE SUPN_SANITIZE)
endif()
