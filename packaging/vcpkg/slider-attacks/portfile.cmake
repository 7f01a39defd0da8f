# An overlay port of this checkout: vcpkg install slider-attacks --overlay-ports=packaging/vcpkg. For the registry, SOURCE_PATH comes
# from vcpkg_from_github. Needs cargo, which vcpkg does not install.
find_program(CARGO cargo REQUIRED)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(OPTIONS)
if("readers" IN_LIST FEATURES)
  list(APPEND OPTIONS --features readers)
endif()
set(ENV{CARGO_TARGET_DIR} "${CURRENT_BUILDTREES_DIR}/${TARGET_TRIPLET}")
vcpkg_execute_required_process(
  COMMAND "${SOURCE_PATH}/capi/install" "${CURRENT_PACKAGES_DIR}" ${OPTIONS}
  WORKING_DIRECTORY "${SOURCE_PATH}"
  LOGNAME "install-${TARGET_TRIPLET}"
)

# Either the shared library or the static one.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
  file(GLOB SHARED "${CURRENT_PACKAGES_DIR}/lib/libslider_attacks.so*" "${CURRENT_PACKAGES_DIR}/lib/libslider_attacks*.dylib")
  file(REMOVE ${SHARED})
else()
  file(REMOVE "${CURRENT_PACKAGES_DIR}/lib/libslider_attacks.a")
endif()
# There is no other build for debugging.
if(NOT VCPKG_BUILD_TYPE)
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/debug")
  file(COPY "${CURRENT_PACKAGES_DIR}/lib" DESTINATION "${CURRENT_PACKAGES_DIR}/debug")
endif()
vcpkg_cmake_config_fixup(PACKAGE_NAME slider_attacks CONFIG_PATH lib/cmake/slider_attacks)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-MIT" "${SOURCE_PATH}/LICENSE-APACHE")
