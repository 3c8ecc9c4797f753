// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/error.hpp"

#include <new>

#include "partita/base/error.hpp"
#include "plugin/functions.hpp"

namespace partita::pjrt {

namespace {

abi::ErrorCode code_of(const partita::Error& error) {
  switch (error.kind()) {
    case ErrorKind::user:
      return abi::invalid_argument;
    case ErrorKind::device:
      return std::string_view(error.what()).starts_with("out of device memory")
                 ? abi::resource_exhausted
                 : abi::internal;
    case ErrorKind::internal:
      break;
  }
  return abi::internal;
}

void destroy(abi::ErrorDestroy& call) { delete call.error; }

void message(abi::ErrorMessage& call) {
  call.message = call.error->text.data();
  call.message_size = call.error->text.size();
}

void get_code(abi::ErrorGetCode& call) { call.code = call.error->code; }

}  // namespace

Error* error_of(const std::exception_ptr& exception) {
  if (!exception) return nullptr;
  try {
    std::rethrow_exception(exception);
  } catch (const Failure& failure) {
    return new Error{failure.code(), failure.what()};
  } catch (const partita::Error& error) {
    return new Error{code_of(error), error.located_message()};
  } catch (const std::bad_alloc&) {
    return new Error{abi::resource_exhausted, "out of memory on the host"};
  } catch (const std::exception& error) {
    return new Error{abi::internal, error.what()};
  } catch (...) {
    return new Error{abi::unknown, "an unknown exception"};
  }
}

void add_error_functions(abi::Table& table) {
  table.Error_Destroy = call<destroy>;
  table.Error_Message = call<message>;
  table.Error_GetCode = call<get_code>;
}

}  // namespace partita::pjrt
