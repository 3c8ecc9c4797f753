# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Open sets: folders are globbed and turned into explicit lists in the build tree, so that adding
# an op, a pass or a kernel is adding one file.

set(PARTITA_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)

# Writes `text` to `path` unless it is there already, so that nothing is rebuilt in vain.
function(partita_write_if_changed path text)
  if(EXISTS ${path})
    file(READ ${path} old)
    if(old STREQUAL text)
      return()
    endif()
  endif()
  file(WRITE ${path} "${text}")
endfunction()

# partita_generated/backends.hpp: PARTITA_BACKENDS(X) expands to X(name) for each enabled backend,
# PARTITA_KNOWN_BACKENDS(X) for each that has a folder.
function(partita_write_backend_list)
  set(calls "")
  foreach(backend IN LISTS ARGN)
    string(APPEND calls " X(${backend})")
  endforeach()
  file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backend-*/CMakeLists.txt)
  set(known "")
  foreach(folder IN LISTS folders)
    string(REGEX MATCH "backend-([a-z0-9_]+)/" matched ${folder})
    string(APPEND known " X(${CMAKE_MATCH_1})")
  endforeach()
  partita_write_if_changed(${PARTITA_GENERATED_DIR}/partita_generated/backends.hpp
"// Generated from PARTITA_BACKENDS in the top CMakeLists.txt.
#pragma once

#define PARTITA_BACKENDS(X)${calls}
#define PARTITA_KNOWN_BACKENDS(X)${known}
#define PARTITA_VERSION \"${PROJECT_VERSION}\"
")
endfunction()

# Stems of the files of `folder` that register something, sorted: X.cpp and X/X.cpp.  Other files of X/ help it,
# and a folder without X.cpp has only what several others share.
function(partita_glob_stems result folder)
  cmake_path(ABSOLUTE_PATH folder NORMALIZE OUTPUT_VARIABLE root)
  string(REGEX REPLACE "/$" "" root ${root})
  file(GLOB files CONFIGURE_DEPENDS ${root}/*.cpp)
  file(GLOB in_folders CONFIGURE_DEPENDS ${root}/*/*.cpp)
  set(stems "")
  foreach(file IN LISTS files in_folders)
    cmake_path(GET file STEM stem)
    if(file STREQUAL ${root}/${stem}.cpp OR file STREQUAL ${root}/${stem}/${stem}.cpp)
      list(APPEND stems ${stem})
    endif()
  endforeach()
  list(SORT stems)
  set(${result} ${stems} PARENT_SCOPE)
endfunction()

# op_list.cpp: register_all_ops() calls register_<stem>() of every ops/<stem>.cpp and ops/<stem>/<stem>.cpp.
function(partita_generate_op_list target)
  partita_glob_stems(stems .)
  set(declarations "")
  set(calls "")
  foreach(stem IN LISTS stems)
    string(APPEND declarations "void register_${stem}(OpRegistry& registry);\n")
    string(APPEND calls "  ops::register_${stem}(registry);\n")
  endforeach()
  set(source ${PARTITA_GENERATED_DIR}/op_list.cpp)
  partita_write_if_changed(${source}
"// Generated from the files of ops.
#include \"partita/ir/op.hpp\"

namespace partita::ir::ops {
${declarations}}

void partita::ir::register_all_ops([[maybe_unused]] OpRegistry& registry) {
${calls}}
")
  target_sources(${target} PRIVATE ${source})
endfunction()

# partita/builder/elementwise.hpp: a function of Arrays for each row of scalar/elementwise.def.
function(partita_generate_row_functions target)
  set(table ${PROJECT_SOURCE_DIR}/scalar/elementwise.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^PARTITA_ROW\\(")
  set(functions "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^PARTITA_ROW\\((.+), \"(.+)\", ([a-z]+)," matched "${row}")
    if(matched STREQUAL "")
      message(FATAL_ERROR "${table}: expected a name, an op and a signature in one line, found: ${row}")
    endif()
    set(name ${CMAKE_MATCH_1})
    set(signature ${CMAKE_MATCH_3})
    set(parameters "const Array& x")
    set(operands "x")
    if(NOT signature MATCHES "^(unary|test|part)$")
      string(APPEND parameters ", const Array& y")
      string(APPEND operands ", y")
    endif()
    if(signature MATCHES "^(ternary|choice)$")
      string(APPEND parameters ", const Array& z")
      string(APPEND operands ", z")
    endif()
    string(APPEND functions "inline Array ${name}(${parameters}) {
  return elementwise(\"${name}\", {${operands}});
}
")
  endforeach()
  partita_write_if_changed(${PARTITA_GENERATED_DIR}/include/partita/builder/elementwise.hpp
"// Generated from the rows of scalar/elementwise.def; docs/ops.md says what each means.
#pragma once

#include \"partita/builder/array.hpp\"

namespace partita::build {

${functions}
}  // namespace partita::build
")
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PARTITA_GENERATED_DIR}/include>)
endfunction()

# ${kind}_list.cpp: all_${kind}es() returns a ${type} from ${kind}_<stem>() of every <stem>.cpp and <stem>/<stem>.cpp of
# the current folder's `folder`, which is their namespace in that of the room too.
function(partita_generate_pass_list target room kind type folder header)
  partita_glob_stems(stems ${folder})
  set(declarations "")
  set(calls "")
  foreach(stem IN LISTS stems)
    string(APPEND declarations "${type} ${kind}_${stem}();\n")
    string(APPEND calls "  passes.push_back(${folder}::${kind}_${stem}());\n")
  endforeach()
  set(source ${PARTITA_GENERATED_DIR}/${kind}_list.cpp)
  partita_write_if_changed(${source}
"// Generated from the files of ${folder}.
#include <vector>

#include \"${header}\"

namespace partita::${room}::${folder} {
${declarations}}

std::vector<partita::${room}::${type}> partita::${room}::all_${kind}es() {
  std::vector<${type}> passes;
${calls}  return passes;
}
")
  target_sources(${target} PRIVATE ${source})
endfunction()

# lowering_list.cpp: register_all_lowerings() calls register_<stem>_lowering() of every lowering/ops/<stem>.cpp
# and lowering/control/<stem>.cpp, and of folders as ops have them.
function(partita_generate_lowering_list target)
  partita_glob_stems(ops ops)
  partita_glob_stems(control control)
  set(declarations "")
  set(calls "")
  foreach(stem IN LISTS ops control)
    string(APPEND declarations "void register_${stem}_lowering(Lowerings& all);\n")
    string(APPEND calls "  register_${stem}_lowering(all);\n")
  endforeach()
  set(source ${PARTITA_GENERATED_DIR}/lowering_list.cpp)
  partita_write_if_changed(${source}
"// Generated from the files of lowering/ops and lowering/control.
#include \"lowering/context/lowerings.hpp\"

namespace partita::lowering {
${declarations}
void register_all_lowerings(Lowerings& all) {
${calls}}
}  // namespace partita::lowering
")
  target_sources(${target} PRIVATE ${source})
endfunction()

# partita_embed(<target> <name> <files>...): the files' text as `partita::embedded::<name>`, an
# array of {name, text}, in the header partita_embedded/<name>.hpp of the build tree.
function(partita_embed target name)
  set(header ${PARTITA_GENERATED_DIR}/partita_embedded/${name}.hpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  set(list_file ${PARTITA_GENERATED_DIR}/partita_embedded/${name}.list)
  list(JOIN ARGN "\n" lines)
  partita_write_if_changed(${list_file} "${lines}")
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D LIST=${list_file} -D HEADER=${header} -P ${script}
    DEPENDS ${ARGN} ${list_file} ${script}
    COMMENT "Embedding ${name}"
    VERBATIM)
  add_custom_target(partita_embed_${name} DEPENDS ${header})
  add_dependencies(${target} partita_embed_${name})
endfunction()
