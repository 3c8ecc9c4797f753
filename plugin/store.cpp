// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/store.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "partita/base/error.hpp"
#include "plugin/error.hpp"

namespace partita::pjrt {

namespace {

Error* make_error(int code, const char* text, std::size_t size) {
  return new Error{abi::ErrorCode(code), std::string(text, size)};
}

void throw_error(Error* error) {
  if (error == nullptr) return;
  const std::unique_ptr<Error> owned(error);
  throw Failure(owned->code, cat("jax.distributed: ", owned->text));
}

}  // namespace

SharedStore store_of(const abi::ClientCreate& call) {
  // Each client's own: every process makes as many, in order.
  static std::atomic<int> clients{0};
  const std::string prefix = cat("client ", clients++, "/");
  SharedStore store;
  if (call.get_callback == nullptr || call.put_callback == nullptr) return store;
  store.put = [prefix, put = call.put_callback, user = call.put_user](const std::string& name,
                                                                      const std::string& text) {
    const std::string key = prefix + name;
    abi::MakeError maker = make_error;
    abi::StorePut arguments{{sizeof arguments, nullptr},
                            key.data(),
                            key.size(),
                            text.data(),
                            text.size(),
                            &maker,
                            user};
    throw_error(put(&arguments));
  };
  store.get = [prefix, get = call.get_callback, user = call.get_user](
                  const std::string& name, std::chrono::milliseconds at_most) {
    const std::string key = prefix + name;
    abi::MakeError maker = make_error;
    abi::StoreGet arguments{{sizeof arguments, nullptr},
                            key.data(),
                            key.size(),
                            int(at_most.count()),
                            &maker,
                            user,
                            nullptr,
                            0,
                            nullptr};
    throw_error(get(&arguments));
    const std::string text(arguments.text, arguments.text_size);
    if (arguments.deleter != nullptr) arguments.deleter(arguments.text);
    return text;
  };
  return store;
}

}  // namespace partita::pjrt
