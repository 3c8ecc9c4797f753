# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# The third-party libraries, found once. docs/decisions/0001-dependencies.md says why each is here.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenCL REQUIRED)
find_package(CLBlast CONFIG REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)
find_package(dnnl CONFIG REQUIRED)  # oneDNN
find_package(CLI11 CONFIG REQUIRED)
# Debian's libzip CMake package wants executables of other packages; its pkg-config file does not.
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

# What every target of this project may include. Never part of the installed interface.
add_library(partita_third_party INTERFACE)
target_link_libraries(partita_third_party INTERFACE
  OpenCL::OpenCL clblast Boost::json Boost::headers PkgConfig::libzip Threads::Threads)
target_compile_definitions(partita_third_party INTERFACE
  CL_TARGET_OPENCL_VERSION=120  # the floor; headers then offer nothing newer
  OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
