# supn_library(<layer> SOURCES ... [LINK ...] [LINK_PRIVATE ...] [TORCH_NN])
#   the library supn::<layer> from src/<layer>, public headers in include/supn/<layer>.
# supn_app(<name> SOURCES ... [LINK ...] [TORCH_NN])
#   the program bin/<name>, part of the target `apps`; links what all apps share.
# supn_tests(<layer> SOURCES ... LINK ... [LABEL unit|slow|gpu|app] [TORCH_NN])
#   one GoogleTest executable for a folder of tests/, its suites registered with CTest.
# TORCH_NN: the sources include torch::nn or torch::optim headers; use the shared precompiled header.
include_guard()

# LibTorch's and others' headers are most of a compile: precompiled headers take them in once.
#   torch       tensors                          (libraries)
#   torch_nn    modules and optimizers           (TORCH_NN: 23 s once instead of 10 s a file)
#   torch_app   tensors, command line, logging   (apps without TORCH_NN; made in Dependencies.cmake)
#   torch_test  tensors and GoogleTest           (tests without TORCH_NN; made in tests/)
function(supn_precompiled_header name)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}_pch.cpp CONTENT "")
  add_library(supn_${name}_pch OBJECT ${CMAKE_BINARY_DIR}/${name}_pch.cpp)
  target_link_libraries(supn_${name}_pch PRIVATE supn::torch supn_compile_options)
  target_precompile_headers(supn_${name}_pch PRIVATE ${ARGN})
  # CMake wants a source, of no use to us: compiled, it would instantiate the headers' templates.
  set_source_files_properties(${CMAKE_BINARY_DIR}/${name}_pch.cpp PROPERTIES
    COMPILE_OPTIONS "-E;-fpch-preprocess")
endfunction()

set(supn_tensor_headers <ATen/core/Tensor.h> <ATen/Context.h> <ATen/TensorOperators.h>
    <ATen/ops/empty.h> <ATen/ops/zeros.h> <c10/util/Exception.h>
    <algorithm> <cmath> <filesystem> <fstream> <functional> <map> <span> <sstream> <string> <vector>)
supn_precompiled_header(torch ${supn_tensor_headers})
supn_precompiled_header(torch_nn
  <ATen/ATen.h> <torch/nn/module.h> <torch/nn/modules/conv.h> <torch/nn/modules/batchnorm.h>
  <torch/nn/modules/linear.h> <torch/nn/modules/container/modulelist.h>
  <torch/csrc/autograd/custom_function.h> <torch/optim/adam.h>)
# header: torch, torch_nn, torch_app or torch_test
function(supn_common_settings target header)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:supn_compile_options>)
  target_precompile_headers(${target} REUSE_FROM supn_${header}_pch)
endfunction()

# For apps, tests and the layers without a loop over pixels: little time is spent in their own code,
# but much in compiling it. At -O0 the linker would put its slow copies of inline functions into the
# other layers' loops as well.
function(supn_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Headers, precompiled as they may be, and their templates cost more than a source of ours: two dozen
# sources, which take as long as three or four alone, share them.
function(supn_share_headers target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
endfunction()

function(supn_library layer)
  cmake_parse_arguments(ARG "TORCH_NN" "" "SOURCES;LINK;LINK_PRIVATE" ${ARGN})
  add_library(supn_${layer} STATIC ${ARG_SOURCES})
  add_library(supn::${layer} ALIAS supn_${layer})
  target_include_directories(supn_${layer} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  # An installed one gets supn::torch where it is used (supnConfig.cmake.in).
  target_link_libraries(supn_${layer}
    PUBLIC $<BUILD_INTERFACE:supn::torch> ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
  set_target_properties(supn_${layer} PROPERTIES EXPORT_NAME ${layer})
  set_property(GLOBAL APPEND PROPERTY supn_layers ${layer})
  if(ARG_TORCH_NN)
    supn_common_settings(supn_${layer} torch_nn)
  else()
    supn_common_settings(supn_${layer} torch)
  endif()
  supn_share_headers(supn_${layer})
endfunction()

# The target is <name>_app, since libraries are called supn_<layer>; the program is bin/<name>.
function(supn_app name)
  cmake_parse_arguments(ARG "TORCH_NN" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name}_app ${ARG_SOURCES})
  target_link_libraries(${name}_app PRIVATE supn_app_common ${ARG_LINK})
  set_target_properties(${name}_app PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(ARG_TORCH_NN)
    supn_common_settings(${name}_app torch_nn)
  else()
    supn_common_settings(${name}_app torch_app)
  endif()
  supn_optimise_little(${name}_app)
  supn_share_headers(${name}_app)
  add_dependencies(apps ${name}_app)
  set_property(GLOBAL APPEND PROPERTY supn_apps ${name})
endfunction()

# The executable itself lists its suites once it is linked. Those of label unit are short: four make
# a test of CTest's; of other labels each is one.
function(supn_register_suites target layer label)
  set(together 1)
  if(label STREQUAL unit)
    set(together 4)
  endif()
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DEXECUTABLE=$<TARGET_FILE:${target}> -DPREFIX=${layer}
      -DLABEL=${label} -DTOGETHER=${together} -DOUTPUT=${suites} -P ${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake
    BYPRODUCTS ${suites} VERBATIM)
  file(CONFIGURE OUTPUT ${target}_include.cmake CONTENT [[
if(EXISTS "@suites@")
  include("@suites@")
else()
  add_test(@target@_NOT_BUILT @target@_NOT_BUILT)
endif()
]] @ONLY)
  set_property(DIRECTORY APPEND PROPERTY
    TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()

function(supn_tests layer)
  cmake_parse_arguments(ARG "TORCH_NN" "LABEL" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    return()
  endif()
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(target ${layer}_${ARG_LABEL}_tests)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} supn_test_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE
    SUPN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SUPN_BINARY_DIR="${PROJECT_BINARY_DIR}"
    SUPN_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  if(ARG_TORCH_NN)
    supn_common_settings(${target} torch_nn)
  else()
    supn_common_settings(${target} torch_test)
  endif()
  supn_optimise_little(${target})
  supn_share_headers(${target})
  supn_register_suites(${target} ${layer} ${ARG_LABEL})
endfunction()
