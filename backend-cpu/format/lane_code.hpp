// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels as instructions that compiled code carries out for many work-items at once: what an
// artifact for the CPU holds in place of machine code.  A slot is either one value that all lanes
// share or one value for each lane; code generation decides which.  Indices are 64-bit integers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "partita/base/dtype.hpp"

namespace partita {

struct LaneInstruction {
  enum class Op : std::uint8_t {
    row,      ///< row `name` over elements of `dtype`
    convert,  ///< from `source` to `dtype`
    splat,    ///< a shared value to all lanes
    ramp,     ///< index: shared argument 0 + lane · value
    add,      ///< of indices, as are those up to `equal`
    subtract,
    multiply,
    divide,  ///< by a positive number, of a non-negative one
    modulo,
    least,
    most,
    less,  ///< gives i1, as do the next two
    less_equal,
    equal,
    select,        ///< argument 0 (i1) ? argument 1 : argument 2
    multiply_add,  ///< argument 0 += argument 1 · argument 2, of `dtype`, in lanes that are active
    assign,        ///< argument 0 to `result` in lanes that are active
    load,          ///< element of `buffer` at index argument 0; inactive lanes read nothing
    load_row,      ///< the same at shared argument 0 + lane · value
    store,         ///< argument 1 to element argument 0 of `buffer`
    store_row,     ///< argument 1 to elements shared argument 0 + lane · value
    when,          ///< `body` in lanes where argument 0 holds
    choose,  ///< `body`, then argument 1, where argument 0 holds; `other`, then argument 2, elsewhere
    loop,    ///< index `result` from argument 0 below argument 1 by `value`: `body`
  };
  Op op = Op::row;
  int result = -1;  ///< slot
  std::vector<int> arguments;
  DType dtype = DType::f32, source = DType::f32;
  std::string name;
  int buffer = -1;
  std::int64_t value = 0;
  std::vector<LaneInstruction> body, other;
};

struct LaneSlot {
  int bytes = 8;  ///< of one value
  bool is_shared = false;
};

/// A value that a slot has before the first instruction.
struct LaneConstant {
  int slot = 0;
  std::int64_t bits = 0;
};

/// Slot 0 is the number of the first lane's work-item, slots 1… are the scalar arguments; all shared.
struct LaneKernel {
  std::vector<DType> buffers;
  int scalars = 0;
  std::vector<LaneSlot> slots;
  std::vector<LaneConstant> constants;
  std::vector<LaneInstruction> code;
};

/// In the order of Artifact::kernels.
struct LaneCode {
  std::vector<LaneKernel> kernels;
};

/// Name of the binary that holds lane code.
inline constexpr std::string_view lane_code_name = "lanes";

[[nodiscard]] std::string lane_code_to_json(const LaneCode& code);
/// That the code can be run on buffers as large as it expects, and written; a user error at
/// `name_for_errors` otherwise.
void check_lane_code(const LaneCode& code, const std::string& name_for_errors);
/// Checks what it reads by check_lane_code.
[[nodiscard]] LaneCode lane_code_from_json(std::string_view text,
                                           const std::string& name_for_errors);

}  // namespace partita
