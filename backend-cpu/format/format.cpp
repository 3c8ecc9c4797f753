// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/format/lane_code.hpp"
#include "partita/artifact/target_format.hpp"
#include "partita/base/error.hpp"

namespace partita::backends {
namespace {

std::string binary_file(std::string_view name) {
  return name == lane_code_name ? cat(name, ".json") : cat("module_", name, ".so");
}

}  // namespace

TargetFormat cpu_format();
TargetFormat cpu_format() {
  return {.target = "cpu",
          .text_extension = ".c",
          .library = "oneDNN",
          .gemm = "BLAS GEMM",
          .binary_file = binary_file};
}

}  // namespace partita::backends
