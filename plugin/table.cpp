// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The one function that the library exports.
#include <array>
#include <string>

#include "plugin/error.hpp"
#include "plugin/executable.hpp"
#include "plugin/functions.hpp"
#include "plugin/layouts.hpp"

namespace partita::pjrt {

namespace {

constexpr std::array function_names{
#define PARTITA_PJRT_FUNCTION(name) #name,
#include "plugin/functions.def"
#undef PARTITA_PJRT_FUNCTION
};

template <std::size_t slot>
Error* unimplemented(void*) {
  return new Error{abi::unimplemented,
                   std::string("PJRT_") + function_names[slot] + " is not part of partita"};
}

template <std::size_t... slots>
void fill(abi::Table& table, std::index_sequence<slots...>) {
  const std::array<abi::Function, sizeof...(slots)> stubs{unimplemented<slots>...};
  std::size_t slot = 0;
#define PARTITA_PJRT_FUNCTION(name) table.name = stubs[slot++];
#include "plugin/functions.def"
#undef PARTITA_PJRT_FUNCTION
}

abi::Table make_table() {
  static abi::ShardingsExtension shardings{
      .base = {sizeof(abi::ShardingsExtension), abi::shardings_extension, nullptr},
      .parameter_shardings = parameter_shardings,
      .output_shardings = output_shardings,
  };
  static abi::LayoutsExtension layouts = layouts_table(&shardings.base);
  abi::Table table{};
  table.struct_size = sizeof(table);
  table.extensions = &layouts.base;
  table.version = {{sizeof(abi::Version), nullptr}, abi::major_version, abi::minor_version};
  fill(table, std::make_index_sequence<function_names.size()>());
  add_error_functions(table);
  add_event_functions(table);
  add_client_functions(table);
  add_topology_functions(table);
  add_device_functions(table);
  add_buffer_functions(table);
  add_executable_functions(table);
  return table;
}

}  // namespace

}  // namespace partita::pjrt

// The name is PJRT's. NOLINTBEGIN(readability-identifier-naming)

/// PJRT's way in: the table of functions, which stays.
extern "C" __attribute__((visibility("default"))) const partita::pjrt::abi::Table* GetPjrtApi() {
  static const partita::pjrt::abi::Table table = partita::pjrt::make_table();
  return &table;
}

// NOLINTEND(readability-identifier-naming)
