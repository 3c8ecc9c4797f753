// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What each source of this folder puts into PJRT's table.
#pragma once

#include "plugin/abi.hpp"

namespace partita::pjrt {

void add_error_functions(abi::Table& table);
void add_event_functions(abi::Table& table);
void add_client_functions(abi::Table& table);
void add_topology_functions(abi::Table& table);
void add_device_functions(abi::Table& table);
void add_buffer_functions(abi::Table& table);
void add_executable_functions(abi::Table& table);

}  // namespace partita::pjrt
