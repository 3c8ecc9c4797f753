# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# The install tree: libraries, public headers, the partita tool, a CMake package and a pkg-config
# file. tests/consume builds a program against it.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/partita)

install(TARGETS partita_runtime partita_compiler EXPORT partita_targets)
install(TARGETS partita_mpi partita_pjrt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET partita)
  install(TARGETS partita)
endif()
set(include_folders runtime scalar manager ir frontend passes kernel lowering driver compiler_api)
foreach(backend IN LISTS PARTITA_BACKENDS)
  list(APPEND include_folders backend-${backend})
endforeach()
foreach(folder IN LISTS include_folders)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include)
    install(DIRECTORY ${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
  endif()
endforeach()
install(DIRECTORY ${PARTITA_GENERATED_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT partita_targets NAMESPACE partita:: FILE partitaTargets.cmake
  DESTINATION ${package_dir})

configure_package_config_file(cmake/partitaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/partitaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/partitaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/partitaConfig.cmake
              ${PROJECT_BINARY_DIR}/partitaConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH PARTITA_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PARTITA_PC_PREFIX "${PARTITA_PC_PREFIX}")
configure_file(cmake/partita.pc.in ${PROJECT_BINARY_DIR}/partita.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/partita.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
