# Finds LibTorch and defines the imported target supn::torch.
#
# Looked for, in this order: -DSUPN_LIBTORCH=<dir>, the environment's SUPN_LIBTORCH, the project's
# .venv, CMAKE_PREFIX_PATH (an unpacked libtorch archive), the active Python's site-packages. The
# wheel's and the archive's layouts are the same. The wheel's own find_package(Torch) is not used: it
# demands nvcc and rewrites the CUDA flags of the whole build.

# Of find_package(supn) a missing LibTorch is a missing supn, and its caller's to judge.
macro(supn_refuse_torch message)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "supn")
    set(supn_FOUND FALSE)
    set(supn_NOT_FOUND_MESSAGE "${message}")
    return()
  endif()
  message(FATAL_ERROR "${message}")
endmacro()

set(SUPN_LIBTORCH "" CACHE PATH "Directory of LibTorch (holds include/ and lib/)")

set(_supn_torch_candidates ${SUPN_LIBTORCH})
if(NOT SUPN_LIBTORCH)
  list(APPEND _supn_torch_candidates $ENV{SUPN_LIBTORCH})
  file(GLOB _supn_venv_torch ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
  list(APPEND _supn_torch_candidates ${_supn_venv_torch})
  foreach(_prefix IN LISTS CMAKE_PREFIX_PATH)
    list(APPEND _supn_torch_candidates ${_prefix} ${_prefix}/libtorch)
  endforeach()
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(Python3_Interpreter_FOUND)
    list(APPEND _supn_torch_candidates ${Python3_SITELIB}/torch)
  endif()
endif()

set(_supn_torch_dir "")
foreach(_candidate IN LISTS _supn_torch_candidates)
  if(EXISTS ${_candidate}/lib/libtorch_cpu.so AND EXISTS ${_candidate}/include/ATen/ATen.h)
    set(_supn_torch_dir ${_candidate})
    break()
  endif()
endforeach()
if(NOT _supn_torch_dir)
  supn_refuse_torch("LibTorch was not found (looked in: ${_supn_torch_candidates}). \
Run scripts/setup.sh, or pass -DSUPN_LIBTORCH=<directory with include/ and lib/>.")
endif()

file(STRINGS ${_supn_torch_dir}/include/torch/headeronly/version.h _supn_torch_version_lines
     REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" _supn_torch_version_list "${_supn_torch_version_lines}")
string(REPLACE ";" "." SUPN_TORCH_VERSION "${_supn_torch_version_list}")
if(NOT SUPN_TORCH_VERSION)
  file(STRINGS ${_supn_torch_dir}/include/torch/csrc/api/include/torch/version.h
       _supn_torch_version_lines REGEX "#define TORCH_VERSION \"")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" SUPN_TORCH_VERSION "${_supn_torch_version_lines}")
endif()
if(SUPN_TORCH_VERSION VERSION_LESS 2.7)
  supn_refuse_torch("LibTorch ${SUPN_TORCH_VERSION} in ${_supn_torch_dir} is too old: 2.7 or \
newer is needed (older wheels use the old C++ ABI). Run scripts/setup.sh to install a fitting one.")
endif()

set(SUPN_TORCH_DIRECTORY ${_supn_torch_dir})

set(_supn_torch_has_cuda NO)
if(EXISTS ${_supn_torch_dir}/lib/libtorch_cuda.so)
  set(_supn_torch_has_cuda YES)
endif()
message(STATUS "LibTorch ${SUPN_TORCH_VERSION}, CUDA libraries ${_supn_torch_has_cuda}: ${_supn_torch_dir}")

add_library(supn_torch INTERFACE)
add_library(supn::torch ALIAS supn_torch)
# -idirafter, because torch carries fmt 12 while the system's spdlog is built on its own fmt.
target_compile_options(supn_torch INTERFACE
  "SHELL:-idirafter ${_supn_torch_dir}/include"
  "SHELL:-idirafter ${_supn_torch_dir}/include/torch/csrc/api/include")
target_link_directories(supn_torch INTERFACE ${_supn_torch_dir}/lib)
# A process has one OpenMP library: with two, every thread of the one is thread 0 of the other, and
# sums are wrong. g++ takes LibTorch's, libgomp. clang needs LLVM's, which has libgomp's entry points
# as well: named before LibTorch, it serves both.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_link_options(supn_torch INTERFACE -fopenmp LINKER:--no-as-needed -lomp)
else()
  target_link_libraries(supn_torch INTERFACE gomp)
endif()
# For programs in the build's folders; CMake takes it out of what is installed.
list(APPEND CMAKE_BUILD_RPATH ${_supn_torch_dir}/lib)
if(SUPN_CUDA)
  if(NOT _supn_torch_has_cuda)
    message(FATAL_ERROR "SUPN_CUDA=ON, but ${_supn_torch_dir}/lib has no libtorch_cuda.so: "
                        "run scripts/setup.sh --cuda.")
  endif()
  # Nothing of ours names a symbol of these two: without --no-as-needed they would be dropped and
  # torch::cuda::is_available() would stay false.
  target_link_libraries(supn_torch INTERFACE
    "-Wl,--no-as-needed" torch_cuda c10_cuda torch_cpu c10 "-Wl,--as-needed" torch_cpu c10)
else()
  target_link_libraries(supn_torch INTERFACE torch_cpu c10)
endif()
