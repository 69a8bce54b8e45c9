# supn_version: the product's version and the git commit it was built from, for --version.
find_package(Git QUIET)
set(SUPN_GIT_HASH unknown)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE _supn_hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE _supn_git_result)
  if(_supn_git_result EQUAL 0)
    set(SUPN_GIT_HASH ${_supn_hash})
  endif()
endif()
