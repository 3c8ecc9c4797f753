// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of the host in C, over base/host_function.hpp.
#include "partita/base/host_function.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/c_api/boundary.hpp"

namespace {

using partita::cat;
using partita::Type;
using partita::c_api::guarded;
using partita::c_api::require;

partita_array to_c(const Type& type, void* data) {
  return {.struct_size = sizeof(partita_array),
          .dtype = partita::c_api::to_c(type.dtype),
          .rank = type.dims.size(),
          .dims = type.dims.data(),
          .data = data,
          .bytes = type.bytes()};
}

/// A function of C with what belongs to it, which is released with this.
class Function {
 public:
  Function(std::string name, partita_host_function function, void* user, void (*release)(void*))
      : name_(std::move(name)), function_(function), user_(user), release_(release) {}
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() {
    if (release_ != nullptr) release_(user_);
  }

  /// Its failure is an error of its kind, with its text.
  void call(const partita::HostFunctionArrays& arrays) const {
    std::vector<partita_array> operands, results;
    for (std::size_t k = 0; k < arrays.operands.size(); ++k)
      operands.push_back(to_c(arrays.operand_types[k], const_cast<std::byte*>(arrays.operands[k])));
    for (std::size_t k = 0; k < arrays.results.size(); ++k)
      results.push_back(to_c(arrays.result_types[k], arrays.results[k]));
    std::array<char, 65536> error;
    error.front() = '\0';
    const partita_status status = function_(operands.data(), operands.size(), results.data(),
                                            results.size(), error.data(), error.size(), user_);
    if (status == PARTITA_OK) return;
    error.back() = '\0';
    throw partita::Error(partita::c_api::to_kind(status),
                         cat("partita.host_call: ", name_, ": ", error.data()));
  }

 private:
  std::string name_;
  partita_host_function function_;
  void* user_;
  void (*release_)(void*);
};

}  // namespace

partita_status partita_host_function_set(const char* name, partita_host_function function,
                                         void* user, void (*release)(void*)) {
  return guarded([&] {
    const std::string key = &require(name, "name");
    if (key.empty()) partita::throw_user_error("argument 'name': expected a name, found \"\"");
    if (function == nullptr) return partita::set_host_function(key, nullptr);
    const auto held = std::make_shared<const Function>(key, function, user, release);
    partita::set_host_function(
        key, std::make_shared<const partita::HostFunction>(
                 [held](const partita::HostFunctionArrays& arrays) { held->call(arrays); }));
  });
}
