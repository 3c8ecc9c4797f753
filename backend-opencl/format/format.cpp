// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/format/format.hpp"

#include "partita/artifact/target_format.hpp"

namespace partita::backends {

TargetFormat opencl_format();
TargetFormat opencl_format() {
  return {.target = "opencl",
          .text_extension = ".cl",
          .library = "CLBlast",
          .gemm = "CLBlast GEMM",
          .find_problem = opencl::find_problem};
}

}  // namespace partita::backends
