// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/host_function.hpp"

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

}  // namespace partita
