# Registers the suites of a GoogleTest executable with CTest, a process each: loading LibTorch takes
# longer than most tests. Run after linking:
#   cmake -DEXECUTABLE=... -DPREFIX=<layer> -DLABEL=unit -DOUTPUT=<file for ctest> -P ListSuites.cmake
execute_process(COMMAND ${EXECUTABLE} --gtest_list_tests
  OUTPUT_VARIABLE listing RESULT_VARIABLE failure ERROR_VARIABLE errors)
if(failure)
  message(FATAL_ERROR "${EXECUTABLE} cannot list its tests (${failure}): ${errors}")
endif()

string(REPLACE ";" "," listing "${listing}")
string(REPLACE "\n" ";" lines "${listing}")
set(registrations "")
foreach(line IN LISTS lines)
  # "Suite." or "Suite/0.  # TypeParam = float"; the tests below are indented.
  if(NOT line MATCHES "^([^ ]+)\\.( +#.*)?$")
    continue()
  endif()
  set(suite ${CMAKE_MATCH_1})
  string(APPEND registrations
    "add_test(${PREFIX}.${suite} ${EXECUTABLE} --gtest_filter=${suite}.*)\n"
    "set_tests_properties(${PREFIX}.${suite} PROPERTIES"
    " LABELS ${LABEL} TIMEOUT 1200 SKIP_RETURN_CODE 77)\n")
endforeach()
if(registrations STREQUAL "")
  message(FATAL_ERROR "${EXECUTABLE} lists no tests")
endif()
file(WRITE ${OUTPUT} "${registrations}")
