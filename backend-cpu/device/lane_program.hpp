// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs lane code: each instruction is a compiled loop over a block of work-items, so that choosing
// instructions costs little beside carrying them out.
#pragma once

#include "backend-cpu/device/kernel_program.hpp"
#include "backend-cpu/format/lane_code.hpp"
#include "partita/artifact/artifact.hpp"
#include "partita/base/element_functions.hpp"

namespace partita::cpu {

/// An instruction with what it names looked up.
struct LaneStep {
  LaneInstruction::Op op;
  bool is_shared = false;  ///< the result is, or what a branch depends on
  bool is_masked = false;  ///< of a loop: the end differs between lanes
  DType dtype = DType::f32;
  int bytes = 0;  ///< of an element of the result, or of what is stored
  int result = -1, buffer = -1;
  int arguments[3] = {-1, -1, -1};
  int argument_count = 0;
  std::int64_t value = 0;
  ElementwiseFn row = nullptr;
  ConversionFn convert = nullptr;
  std::vector<LaneStep> body, other;
};

class LaneProgram final : public KernelProgram {
 public:
  /// Takes what `binary` holds; a user error where that is no lane code for the artifact's kernels.
  LaneProgram(const Artifact& artifact, const KernelBinary& binary);
  void run(int kernel, std::int64_t begin, std::int64_t end,
           const KernelArguments& arguments) const override;

 private:
  struct Kernel {
    LaneKernel code;
    std::vector<LaneStep> steps;
    std::int64_t shared_slots = 0, bytes_per_lane = 0;
    std::vector<std::int64_t> offsets;  ///< of slots, in shared slots or in bytes for each lane
  };
  std::vector<Kernel> kernels_;
};

}  // namespace partita::cpu
