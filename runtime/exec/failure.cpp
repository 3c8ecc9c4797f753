// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/failure.hpp"

#include "partita/base/error.hpp"
#include "partita/collective/communicator.hpp"

namespace partita {

namespace {

bool is_consequence(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CollectiveError&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

std::string describe(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.located_message();
  } catch (const std::bad_alloc&) {
    return "out of host memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown error";
  }
}

void rethrow_cause(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    if (!is_consequence(error)) std::rethrow_exception(error);
    if (!first) first = error;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace partita
