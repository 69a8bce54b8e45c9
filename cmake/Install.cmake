# cmake --install, find_package(supn) and cpack -G DEB.
#
#   component dev    headers, static libraries, lib/cmake/supn
#   component apps   libexec/supn/<app>, and bin/<app>, which finds LibTorch and starts it
#
# LibTorch is no part of either: it comes from PyPI (docs/install.md).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(_supn_layers GLOBAL PROPERTY supn_layers)
list(TRANSFORM _supn_layers PREPEND supn_ OUTPUT_VARIABLE _supn_libraries)
get_property(_supn_apps GLOBAL PROPERTY supn_apps)
set(_supn_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supn)

install(DIRECTORY include/supn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(TARGETS ${_supn_libraries} EXPORT supnTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT supnTargets NAMESPACE supn:: DESTINATION ${_supn_package_dir} COMPONENT dev)
configure_package_config_file(cmake/supnConfig.cmake.in supnConfig.cmake
  INSTALL_DESTINATION ${_supn_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(supnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/supnConfig.cmake ${PROJECT_BINARY_DIR}/supnConfigVersion.cmake
  cmake/LibTorch.cmake DESTINATION ${_supn_package_dir} COMPONENT dev)

configure_file(cmake/launch.sh.in launch.sh @ONLY)
foreach(_app IN LISTS _supn_apps)
  install(TARGETS ${_app}_app RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/supn COMPONENT apps)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/launch.sh DESTINATION ${CMAKE_INSTALL_BINDIR}
    RENAME ${_app} COMPONENT apps)
endforeach()
if(_supn_apps)
  install(DIRECTORY configs docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT apps)
  install(FILES README.md python/supn/read_gaussian.py
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT apps)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT apps)
endif()

set(CPACK_PACKAGE_NAME supn)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_CONTACT "SUPN developers <supn@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL dev)
if(_supn_apps)
  list(PREPEND CPACK_COMPONENTS_ALL apps)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_APPS_PACKAGE_NAME supn)
set(CPACK_DEBIAN_APPS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_APPS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_APPS_PACKAGE_SUGGESTS python3)
set(CPACK_DEBIAN_APPS_DESCRIPTION
  "SUPN: ${PROJECT_DESCRIPTION}\n Needs LibTorch ${SUPN_TORCH_VERSION}, for example of PyPI's torch; SUPN_LIBTORCH names its directory.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${SUPN_TORCH_DIRECTORY}/lib)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsupn-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libopencv-dev, libyaml-cpp-dev, nlohmann-json3-dev, libhwy-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "SUPN: headers and static libraries, for find_package(supn)")
include(CPack)
