// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Turns OpenCL and CLBlast status codes into device errors that hold the call's text, the code's
// name and where it was called.
#pragma once

#include <CL/cl.h>

#include <source_location>
#include <string>
#include <string_view>

namespace partita::opencl {

/// "CL_OUT_OF_RESOURCES", or "unknown OpenCL code".
[[nodiscard]] std::string_view error_name(cl_int code);
/// Name and number: "CL_OUT_OF_RESOURCES (-5)".
[[nodiscard]] std::string describe_code(cl_int code);

/// Throws a device error unless `code` is CL_SUCCESS; `call` is the text of what was called.
void check(cl_int code, std::string_view call,
           std::source_location where = std::source_location::current());

/// "file.cpp:12", the file without its folders.
[[nodiscard]] std::string short_location(const std::source_location& where);

}  // namespace partita::opencl

/// Evaluates an OpenCL call that returns a status and checks it.
#define PARTITA_CL(call) ::partita::opencl::check((call), #call)
