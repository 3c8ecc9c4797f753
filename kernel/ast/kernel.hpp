// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel before printing: parameters and a few kinds of statements over scalar expressions.  It
// knows nothing of a backend; a printer with a dialect turns it into OpenCL C or C.  Work-item
// coordinate 0 is index variable 0, coordinate 1 may have one; every other index variable is a loop's.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partita/base/combiner.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::kernel {

/// The work-item's number before it is known to be one that has work: variable 0 is declared to lie
/// below the number of items, so a guard on it would fold away.
inline constexpr std::int32_t unbounded_item = -1;

struct Stmt;
using Block = std::vector<Stmt>;

/// A register starts with a value.
struct Declare {
  std::int32_t slot;
  DType dtype;
  scalar::ExprId value;
};

/// A register becomes a value.
struct Assign {
  std::int32_t slot;
  DType dtype;
  scalar::ExprId value;
};

/// A register += a · b; fused where `dtype` is floating.
struct MultiplyAdd {
  std::int32_t slot;
  DType dtype;
  scalar::ExprId a, b;
};

/// A register += the lanes of a vector.
struct AddLanes {
  std::int32_t slot;
  DType dtype;
  scalar::ExprId vector;
};

struct Store {
  std::int32_t buffer;
  DType dtype;  ///< of the value; of a statement for lanes: what it is computed in vectors of
  scalar::ExprId value, index;
};

/// Bytes that an item reads or writes as one at most.
inline constexpr std::size_t widest_access = 16;

/// Neighbouring elements as one, the first of them at `index`, which is a multiple of their number.
struct StoreWide {
  std::int32_t buffer;  ///< or array of the group, where `is_local`
  DType dtype;
  std::vector<scalar::ExprId> values;
  scalar::ExprId index;
  bool is_local = false;
};

/// Items of a sub-group, which run together and use matrix units.
inline constexpr std::int64_t matrix_items = 32;

/// The sub-group takes four matrices of 8 x 8 elements of ui16 from an array of the group, as PTX's ldmatrix does: item
/// i says where row i % 8 of matrix i / 8 begins, which is a multiple of 8.  New registers of ui32 have, for matrix m,
/// elements (i / 4, i % 4 * 2) and the next one of the row; where `is_turned`, of the matrix's transpose.
struct LoadMatrices {
  std::array<std::int32_t, 4> slots;
  std::int32_t array;
  scalar::ExprId index;
  bool is_turned;
};

/// Terms that matrix units multiply at once.
[[nodiscard]] constexpr std::int64_t matrix_terms(DType dtype) {
  return dtype == DType::f32 ? 8 : 16;
}

/// The sub-group adds to 16 x 8 sums of f32 the product of 16 x k by k x 8 elements of `dtype`, k being matrix_terms: of
/// bf16 or f16, or of f32 as tf32, of which the last 13 bits are not looked at.  Each item holds of all three what PTX's
/// mma.m16n8k16 and mma.m16n8k8 say: `a` and `b` are of ui32, `sums` registers of f32.
struct MultiplyMatrices {
  DType dtype;
  std::array<std::int32_t, 4> sums;
  std::array<scalar::ExprId, 4> a;
  std::array<scalar::ExprId, 2> b;
};

/// Whether an element can become what a combiner makes of it while others do the same: integers of 32 bits, whose
/// results no order changes.
[[nodiscard]] constexpr bool can_combine_at_once(Combiner combiner, DType d) {
  return (d == DType::i32 || d == DType::ui32) && combiner != Combiner::product;
}

/// An element of memory becomes what a combiner makes of it and a value, as if no two items were there at once.  Devices
/// of many items alone.
struct AtomicCombine {
  std::int32_t buffer;
  DType dtype;
  Combiner combiner;
  scalar::ExprId value, index;
};

/// Into an array of the group, which other items see after a barrier, or of the item.
struct StoreLocal {
  std::int32_t array;
  DType dtype;
  scalar::ExprId value, index;
  /// The value is an element of memory (copied_element), which may be on its way until the item's next barrier.
  bool is_ahead = false;
};

/// All items of the group come by before any goes on; in loops and branches that are the same for all.
struct Barrier {
  /// What the item has begun to copy between the last so many barriers and this one may still be on its way; what it began
  /// before has arrived.
  int late = 0;
};

/// The body for each value of an index variable.
struct Loop {
  std::int32_t variable;
  scalar::ExprId end;
  scalar::ExprId begin = scalar::no_expr;  ///< none: 0
  std::int64_t step = 1;
  bool is_parallel = false;  ///< no iteration depends on another
  Block body;
};

/// The body where the condition (i1) holds.
struct When {
  scalar::ExprId condition;
  Block body;
};

/// Elements of vectors; of integers, whose vectors are multiplied and added up alone, these wrap.
inline constexpr DType vector_dtypes[] = {DType::f32,  DType::f64, DType::i32,
                                          DType::ui32, DType::i64, DType::ui64};

struct Stmt {
  std::variant<Declare, Assign, MultiplyAdd, AddLanes, Store, StoreWide, StoreLocal, AtomicCombine,
               LoadMatrices, MultiplyMatrices, Barrier, Loop, When>
      what;
  /// Above 1: the statement does for all values of index variable `lane` below `width` what it says,
  /// at once; registers that it names are vectors.  Of vector_dtypes alone, and nothing with a body.
  int width = 1;
  std::int32_t lane = -1;
};

/// The statement as a T, or null.
template <class T>
[[nodiscard]] const T* as(const Stmt& s) {
  return std::get_if<T>(&s.what);
}
template <class T>
[[nodiscard]] T* as(Stmt& s) {
  return std::get_if<T>(&s.what);
}

/// What is inside a statement; empty where it has no body.
[[nodiscard]] const Block& body_of(const Stmt& s);
/// The same, or null.
[[nodiscard]] Block* body_of(Stmt& s);

/// The register that a statement gives a value, or null.
[[nodiscard]] const std::int32_t* register_of(const Stmt& s);
[[nodiscard]] std::int32_t* register_of(Stmt& s);

/// Element type that a statement names: of the register, or of what it stores.
[[nodiscard]] std::optional<DType> dtype_of(const Stmt& s);

/// The expressions that a statement names itself, in one order: what has a value first, then where it
/// goes; ends of loops before beginnings.
[[nodiscard]] std::vector<scalar::ExprId> roots_of(const Stmt& s);
/// Puts another expression in place of each of these.
void map_roots(Stmt& s, const std::function<scalar::ExprId(scalar::ExprId)>& map);

/// An array that the items of a group share, of no contents at first; in a kernel of items each has its own.
struct LocalArray {
  DType dtype = DType::f32;
  std::int64_t count = 0;
};

struct BufferParam {
  DType dtype = DType::f32;
  bool is_written = false;
  /// Elements of which the array's place is a multiple: as many as are read or written as one.
  std::int64_t alignment = 1;
};

struct Kernel {
  std::string stem;     ///< descriptive name; the final name adds a number where two differ
  std::string comment;  ///< nodes covered and shapes
  scalar::ExprPool pool;
  std::vector<BufferParam> buffers;
  int scalars = 0;  ///< 64-bit integer arguments, `index_scalar` slots 0…
  Block body;
  bool wide_index = false;  ///< index arithmetic needs 64 bits
  /// Each element is stored once, after all loads of it: an operand that is read nowhere but where
  /// the result is stored may be the same array.
  bool stores_last = false;
  /// No item stores what another one loads or stores: proven (independence.hpp).  Only then is code that
  /// runs items together told so.
  bool has_independent_items = false;
  /// Items of a group, which work together: variable 0 is the item within its group then, and launches
  /// are of whole groups along one dimension.  0: items do not know of each other.
  std::int64_t group_items = 0;
  std::int32_t group_variable = -1;  ///< the group's number
  std::vector<LocalArray> arrays;
  /// Of a kernel that uses matrix units, or copies beside what it computes: what runs where there are none, with the same
  /// parameters and groups.
  std::shared_ptr<const Kernel> plain;
  std::int32_t row_variable = -1;  ///< index variable of work-item coordinate 1; none below 0
  int next_variable = 1;           ///< index variable 0 is the work-item
  int next_register = 0;

  std::int32_t new_variable(std::int64_t extent) {
    pool.set_extent(next_variable, extent);
    return next_variable++;
  }
};

/// A kernel of items of the same name, memory, arguments and numbers of variables and registers; its pool and body are empty.
[[nodiscard]] Kernel without_body(const Kernel& kernel);

}  // namespace partita::kernel
