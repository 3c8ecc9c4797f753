// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints a kernel's body as C text.  Every element expression becomes a constant local variable in
// the innermost scope where its operands exist; loads that a loop does not change move before it;
// the branches of `choose` are evaluated only where needed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/ast/kernel.hpp"
#include "kernel/print/scalar_text.hpp"

namespace partita::kernel {

/// How a language says that a loop combines into a register in any order.
struct LoopReduction {
  std::string clause;  ///< after BodyNames::reduction_loop; empty: it cannot
  /// Where the loop combines in another form: a variable's type, how it begins, what it is for a term
  /// and what the register is at the end, with @ for the register, # for the variable, $ for the term.
  std::string type = {}, begin = {}, step = {}, end = {};
};

struct BodyNames {
  std::string index_type = "int";  ///< C type of index arithmetic
  DType index_dtype = DType::i32;
  /// Put before a loop whose iterations are independent; none where empty.
  std::string parallel_loop = {};
  /// Begins the body of such a loop; nothing where empty.
  std::string parallel_body = {};
  /// Put before a loop that does nothing but `register = row(register, …)` on floats, followed by the
  /// clauses of each register's `reduction`; nothing where one has none.  `name` is what is combined into.
  std::string reduction_loop = {};
  std::function<LoopReduction(std::string_view row, DType d, const std::string& name)> reduction =
      {};
  /// The clause after `reduction_loop` and `parallel_lanes` by which a loop does so many iterations at a time, rather than as
  /// many as a vector of `vector_bytes` holds; never where empty.
  std::function<std::string(std::int64_t count)> lanes = {};
  std::int64_t vector_bytes = 0;
  /// Stands for `parallel_loop` where it is followed by that clause.
  std::string parallel_lanes = {};
  /// Put before a sum or product of floats that such a loop accumulates, in a block of its own: terms may
  /// be taken in any order.  Nothing where empty.
  std::string reordered = {};
  /// The statement of a barrier; empty: kernels of groups are not printed.
  std::string barrier = {};
  /// A variable of the index type that is 0, which the compiler does not know: the text keeps it from
  /// taking an index for a truth value.  None where empty.
  std::string unknown_zero = {};
  /// Whether pointers may be cast to point to other types: parts of complex elements are then read and
  /// written by themselves.
  bool has_flat_memory = false;
  /// `x` where the condition holds, else 0, of a float: without a branch for a condition that is the same for all items of
  /// the innermost loop, for which a compiler would make the loop twice.  Empty, and of other dtypes empty texts: none.
  std::function<std::string(DType d, const std::string& x, const std::string& condition)> kept = {};
  /// Registers of which every item of the innermost loop has its own, and what selects it: "[k0]".
  std::set<std::int32_t> item_registers = {};
  std::string item_place = {};
};

/// Statements, indented by two spaces.  Buffers are `b0, b1, …`, arrays `a0, …`, scalars `s0, …`, the work-item `k0`.
[[nodiscard]] std::string print_body(const Kernel& kernel, kernel::ScalarText& text,
                                     const BodyNames& names);

/// Declarations of the kernel's arrays, each a line that begins with `space` (such as "__local ").
[[nodiscard]] std::string declared_arrays(const Kernel& kernel, kernel::ScalarText& text,
                                          std::string_view space);

}  // namespace partita::kernel
