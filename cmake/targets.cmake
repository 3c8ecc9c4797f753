# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# partita_library(), partita_executable(), partita_test(): every target of the project is made by one of
# these; partita_room() and partita_backend() give the libraries their sources.

# Sources below folders; re-globbed at each build.
function(partita_glob_sources result)
  set(files "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND files ${found})
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# What every own target gets: settings, third-party headers, private includes from the source root.
function(partita_defaults target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:partita_settings>
                                          $<BUILD_INTERFACE:partita_third_party>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PARTITA_GENERATED_DIR})
endfunction()

# partita_precompile(<target> <header>...): for targets of so many files that reading these headers once is worth
# it; with the name of one in angle brackets, or its path from the source root.
function(partita_precompile target)
  if(PARTITA_PRECOMPILE)
    foreach(header IN LISTS ARGN)
      if(header MATCHES "^<(.*)>$")
        set(header "<${CMAKE_MATCH_1}$<ANGLE-R>")
      else()
        set(header "${PROJECT_SOURCE_DIR}/${header}")
      endif()
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endforeach()
  endif()
endfunction()

# partita_units(<target>): with PARTITA_UNITS, files of a folder are compiled together, up to eight at a time: most of the
# time goes into what they all include (decision 0035).  To be called once the target has its sources.
function(partita_units target)
  if(NOT PARTITA_UNITS)
    return()
  endif()
  set(most 8)
  set(folders "")
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE room)
    if(extension STREQUAL ".cpp" AND NOT room MATCHES "^(${PARTITA_SINGLE_FILES})(/|$)")
      list(APPEND folders ${folder})
      list(APPEND "files of ${folder}" ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH "files of ${folder}" files)
    math(EXPR units "(${files} + ${most} - 1) / ${most}")
    set(number 0)
    foreach(source IN LISTS "files of ${folder}")
      math(EXPR unit "${number} * ${units} / ${files}")
      math(EXPR number "${number} + 1")
      string(MAKE_C_IDENTIFIER "${folder}_${unit}" group)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes the files of a unit for headers, whose anonymous namespaces would be several.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# partita_library(<alias> OUTPUT_NAME <name>): the shared library partita_<alias>, known as
# partita::<alias>, of rooms.
function(partita_library alias)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME" "")
  set(target partita_${alias})
  add_library(${target} SHARED)
  add_library(partita::${alias} ALIAS ${target})
  partita_defaults(${target})
  partita_precompile(${target} cmake/precompiled.hpp)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${arg_OUTPUT_NAME}
    EXPORT_NAME ${alias}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN")
endfunction()

# partita_room(<alias> [WITHOUT <folder>]): the current folder, a room (docs/architecture.md), is part of that library, but for
# a folder that is a library of its own.
function(partita_room alias)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "WITHOUT" "")
  partita_glob_sources(sources ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${arg_WITHOUT}/")
  endif()
  target_sources(partita_${alias} PRIVATE ${sources})
  partita_public_headers(partita_${alias})
endfunction()

# Files of libpartita whose loops over elements are worth compiling as machine code of vectors.
function(partita_loop_sources)
  foreach(file IN LISTS ARGN)
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${file} TARGET_DIRECTORY partita_runtime
      PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math"
        SKIP_PRECOMPILE_HEADERS ON)  # which are compiled with other options
  endforeach()
endfunction()

# partita_lane_sources(<name>): files <name>_base.cpp, <name>_v3.cpp and <name>_v4.cpp of libpartita, which are one text for
# instruction sets: what the library is compiled for, x86-64-v3 and -v4.
function(partita_lane_sources name)
  foreach(level IN ITEMS base v3 v4)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name}_${level}.cpp)
    # Vectors as arguments of functions that are inlined have no interface that could differ.
    set(options -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -Wno-psabi)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT level STREQUAL base)
      list(APPEND options -march=x86-64-${level})
    endif()
    set_source_files_properties(${file} TARGET_DIRECTORY partita_runtime
      PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# Adds the current folder's include/ to the target's interface.
function(partita_public_headers target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# partita_backend(<name>): format/ and device/ go into the runtime, codegen/ into the compiler, and the files
# of kernels/ are embedded as partita_embedded/<name>_kernels.hpp, tuning/*.json as <name>_tuning.hpp.
function(partita_backend name)
  partita_glob_sources(device ${CMAKE_CURRENT_SOURCE_DIR}/format ${CMAKE_CURRENT_SOURCE_DIR}/device)
  partita_glob_sources(codegen ${CMAKE_CURRENT_SOURCE_DIR}/codegen)
  target_sources(partita_runtime PRIVATE ${device})
  target_sources(partita_compiler PRIVATE ${codegen})
  partita_public_headers(partita_runtime)
  file(GLOB kernels CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.cl ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.h
    ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
  partita_embed(partita_compiler ${name}_kernels ${kernels})
  file(GLOB tuning CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tuning/*.json)
  partita_embed(partita_compiler ${name}_tuning ${tuning})
endfunction()

# partita_executable(<name> <sources>...): an executable in bin/ that may use everything public.
function(partita_executable name)
  add_executable(${name} ${ARGN})
  partita_defaults(${name})
  list(LENGTH ARGN files)
  if(files GREATER 8)
    partita_precompile(${name} cmake/precompiled.hpp)
  endif()
  partita_units(${name})
  target_link_libraries(${name} PRIVATE partita::compiler partita::runtime)
  set_target_properties(${name} PROPERTIES
    BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endfunction()
