// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What scalar code needs in OpenCL C 1.2 without extensions other than cl_khr_fp64, and that only where
// f64 occurs.
#pragma once

#include "kernel/print/scalar_text.hpp"
#include "partita/base/target_info.hpp"

namespace partita::opencl::codegen {

[[nodiscard]] const kernel::Dialect& opencl_dialect(
    DeviceClass device_class = DeviceClass::multicore);

}  // namespace partita::opencl::codegen
