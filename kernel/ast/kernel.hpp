// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel before printing: parameters and a few kinds of statements over scalar expressions.  It
// knows nothing of a backend; a printer with a dialect turns it into OpenCL C or C.  Work-item
// coordinate 0 is index variable 0, coordinate 1 may have one; every other index variable is a loop's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "partita/scalar/expr.hpp"

namespace partita::kernel {

/// The work-item's number before it is known to be one that has work: variable 0 is declared to lie
/// below the number of items, so a guard on it would fold away.
inline constexpr std::int32_t unbounded_item = -1;

struct Stmt {
  enum class Kind : std::uint8_t {
    declare,       ///< register `slot` of `dtype`, initialised with `value`
    assign,        ///< register `slot` = `value`
    multiply_add,  ///< register `slot` += value · other; fused where `dtype` is floating
    loop,          ///< for index variable `slot` from index `other` (none: 0) to `value`: body
    when,          ///< if `value` (i1): body
    store,  ///< buffer `slot` at index `other` = `value`; of `dtype`, or computed with vectors of it
    add_lanes,  ///< register `slot` += the lanes of vector `value` of `width`
  };
  Kind kind = Kind::store;
  std::int32_t slot = 0;
  DType dtype = DType::f32;
  scalar::ExprId value = scalar::no_expr, other = scalar::no_expr;
  std::vector<Stmt> body = {};
  /// Above 1: the statement does for all values of index variable `lane` below `width` what it says,
  /// at once; registers that it names are vectors.  f32 and f64 alone.
  int width = 1;
  std::int32_t lane = -1;
  std::int64_t step = 1;     ///< of a loop
  bool is_parallel = false;  ///< of a loop: no iteration depends on another
};

struct BufferParam {
  DType dtype = DType::f32;
  bool is_written = false;
};

struct Kernel {
  std::string stem;     ///< descriptive name; the final name adds a number where two differ
  std::string comment;  ///< nodes covered and shapes
  scalar::ExprPool pool;
  std::vector<BufferParam> buffers;
  int scalars = 0;  ///< 64-bit integer arguments, `index_scalar` slots 0…
  std::vector<Stmt> body = {};
  bool wide_index = false;  ///< index arithmetic needs 64 bits
  /// Each element is stored once, after all loads of it: an operand that is read nowhere but where
  /// the result is stored may be the same array.
  bool stores_last = false;
  /// No item stores what another one loads or stores: proven (independence.hpp).  Only then is code that
  /// runs items together told so.
  bool has_independent_items = false;
  std::int32_t row_variable = -1;  ///< index variable of work-item coordinate 1; none below 0
  int next_variable = 1;           ///< index variable 0 is the work-item
  int next_register = 0;

  std::int32_t new_variable(std::int64_t extent) {
    pool.set_extent(next_variable, extent);
    return next_variable++;
  }
};

}  // namespace partita::kernel
