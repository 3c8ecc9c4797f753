// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The objects behind partita_device, partita_buffer, partita_function and partita_event.
#pragma once

#include <memory>

#include "partita.h"
#include "partita/exec/function.hpp"
#include "runtime/c_api/boundary.hpp"

struct partita_device {
  std::shared_ptr<partita::Stream> stream;
};
struct partita_buffer {
  partita::DeviceArrayPtr array;  ///< null once it has been donated
};
struct partita_function {
  std::unique_ptr<partita::Function> function;
};
struct partita_event {
  partita::EventPtr event;
};

namespace partita::c_api {

/// The array of a buffer that has not been donated; `name` is the parameter's.
[[nodiscard]] const DeviceArrayPtr& array_of(const partita_buffer* buffer, const char* name);

}  // namespace partita::c_api
