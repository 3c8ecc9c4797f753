// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/host_function.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "partita/base/error.hpp"

namespace partita {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, HostFunctionPtr> functions;
};

Table& table() {
  static Table instance;
  return instance;
}

}  // namespace

void set_host_function(const std::string& name, HostFunctionPtr function) {
  // What was there ends with the parameter, outside of the lock: it may take locks of its own as it does.
  const std::lock_guard lock(table().mutex);
  if (function == nullptr) {
    const auto found = table().functions.find(name);
    if (found == table().functions.end()) return;
    function = std::move(found->second);
    table().functions.erase(found);
  } else {
    std::swap(table().functions[name], function);
  }
}

HostFunctionPtr find_host_function(const std::string& name) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().functions.find(name);
  return found == table().functions.end() ? nullptr : found->second;
}

HostFunctionPtr get_host_function(const std::string& name) {
  HostFunctionPtr function = find_host_function(name);
  if (function == nullptr)
    throw_user_error(cat("partita.host_call: expected a function '", name,
                         "' that this process has registered, found none"));
  return function;
}

void call_host_function(const HostFunction& function, std::span<const Type> operand_types,
                        std::span<const Type> result_types, std::vector<const std::byte*> operands,
                        std::vector<std::byte*> results) {
  alignas(64) static std::byte no_elements;  // functions copy by memcpy, which takes no null
  std::replace(operands.begin(), operands.end(), static_cast<const std::byte*>(nullptr),
               static_cast<const std::byte*>(&no_elements));
  std::replace(results.begin(), results.end(), static_cast<std::byte*>(nullptr), &no_elements);
  function({.operand_types = operand_types,
            .result_types = result_types,
            .operands = operands,
            .results = results});
}

}  // namespace partita
