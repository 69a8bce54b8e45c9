# Registers the suites of a GoogleTest executable with CTest, TOGETHER to a process: loading LibTorch
# takes longer than most suites. A test's name holds those of its suites. Run after linking:
#   cmake -DEXECUTABLE=... -DPREFIX=<layer> -DLABEL=unit -DTOGETHER=4 -DOUTPUT=<file for ctest>
#     -P ListSuites.cmake
execute_process(COMMAND ${EXECUTABLE} --gtest_list_tests
  OUTPUT_VARIABLE listing RESULT_VARIABLE failure ERROR_VARIABLE errors)
if(failure)
  message(FATAL_ERROR "${EXECUTABLE} cannot list its tests (${failure}): ${errors}")
endif()

string(REPLACE ";" "," listing "${listing}")
string(REPLACE "\n" ";" lines "${listing}")
set(suites "")
foreach(line IN LISTS lines)
  # "Suite." or "Suite/0.  # TypeParam = float"; the tests below are indented.
  if(line MATCHES "^([^ ]+)\\.( +#.*)?$")
    list(APPEND suites ${CMAKE_MATCH_1})
  endif()
endforeach()
if(NOT suites)
  message(FATAL_ERROR "${EXECUTABLE} lists no tests")
endif()

set(registrations "")
while(suites)
  list(SUBLIST suites 0 ${TOGETHER} some)
  list(REMOVE_ITEM suites ${some})
  list(JOIN some "," names)
  list(JOIN some ".*:" filter)
  string(APPEND registrations
    "add_test(${PREFIX}.${names} ${EXECUTABLE} --gtest_filter=${filter}.*)\n"
    "set_tests_properties(${PREFIX}.${names} PROPERTIES"
    " LABELS ${LABEL} TIMEOUT 1200 SKIP_RETURN_CODE 77)\n")
endwhile()
file(WRITE ${OUTPUT} "${registrations}")
