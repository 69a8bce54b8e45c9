# supn_version: for --version, the product's version and the git commit. The commit is written to
# supn_git_hash.hpp at build time, and only when it changed: a new commit recompiles one small file.
#
# Run as a script (cmake -DSOURCE_DIR=... -DOUTPUT=... -P Version.cmake) it writes that header.
if(CMAKE_SCRIPT_MODE_FILE)
  set(_hash unknown)
  find_package(Git QUIET)
  if(Git_FOUND)
    execute_process(
      COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE _described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _result)
    if(_result EQUAL 0)
      set(_hash ${_described})
    endif()
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define SUPN_GIT_HASH \"${_hash}\"\n")
  return()
endif()

set(_supn_generated_dir ${PROJECT_BINARY_DIR}/generated)
add_custom_target(supn_git_hash
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${_supn_generated_dir}/supn_git_hash.hpp -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${_supn_generated_dir}/supn_git_hash.hpp
  COMMENT "Reading the git commit" VERBATIM)
add_library(supn_version INTERFACE)
add_dependencies(supn_version supn_git_hash)
target_include_directories(supn_version INTERFACE ${_supn_generated_dir})
target_compile_definitions(supn_version INTERFACE SUPN_VERSION="${PROJECT_VERSION}")
