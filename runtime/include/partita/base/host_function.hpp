// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of the host application that programs call by name (custom calls @partita.host_call): one table for the
// process.  Interpreter and executor call the same function.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/base/type.hpp"

namespace partita {

/// Arrays of one call, dense and row-major, elements as in memory of devices.  They last as long as the call.  No pointer is
/// null, that of an array without elements neither.
struct HostFunctionArrays {
  std::span<const Type> operand_types, result_types;
  std::span<const std::byte* const> operands;
  std::span<std::byte* const> results;  ///< to be written, every element
};

/// May be called by several threads at once.  What it throws fails the execution with that text.
using HostFunction = std::function<void(const HostFunctionArrays&)>;
using HostFunctionPtr = std::shared_ptr<const HostFunction>;

/// Puts the function in the table, in the place of one of that name; null takes it out.
void set_host_function(const std::string& name, HostFunctionPtr function);

/// Null where there is none of that name.
[[nodiscard]] HostFunctionPtr find_host_function(const std::string& name);
/// A user error where there is none of that name.
[[nodiscard]] HostFunctionPtr get_host_function(const std::string& name);

/// Calls `function` with these arrays; pointers that are null are replaced.
void call_host_function(const HostFunction& function, std::span<const Type> operand_types,
                        std::span<const Type> result_types, std::vector<const std::byte*> operands,
                        std::vector<std::byte*> results);

}  // namespace partita
