// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Statements that do the same for all lanes at once (Stmt::width).  What the dialect's vectors can
// compute is printed with them; the rest is a loop over lanes between arrays of elements.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/print/value_printer.hpp"

namespace partita::kernel {

class VectorPrinter {
 public:
  explicit VectorPrinter(ValuePrinter& values);

  /// Prints `s`, whose width is above 1.
  void statement(const Stmt& s);
  /// Whether a value differs between lanes.
  [[nodiscard]] bool has_lanes(scalar::ExprId id, std::int32_t lane);

 private:
  /// Of a statement: how many, counted by which index variable, and what it computes in.
  struct Lanes {
    int width;
    std::int32_t lane;
    DType dtype;
  };

  /// A buffer or an array, of elements that are kept as `stored` and computed as `dtype`.
  struct Memory {
    std::string name;
    DType stored, dtype;
  };

  void find_registers(const Block& stmts);
  bool is_native(scalar::ExprId id, DType d, std::int32_t lane);
  bool is_native_truth(scalar::ExprId id, DType d, std::int32_t lane);
  std::string first_lane(const std::string& memory, scalar::ExprId index, const Lanes& s);
  std::string first_lane(const scalar::Expr& read, const Lanes& s);
  std::string value(scalar::ExprId id, const Lanes& s);
  std::string row(const scalar::Expr& e, const Lanes& s);
  std::string truth(scalar::ExprId id, const Lanes& s);
  void spread(scalar::ExprId id, const Lanes& s, bool is_certain);
  void for_lanes(const Lanes& s, std::initializer_list<scalar::ExprId> roots,
                 const std::function<void()>& print_lane);
  void store(const Memory& to, scalar::ExprId index, scalar::ExprId element, const Lanes& s);
  void print(const Declare& x, const Lanes& s);
  void print(const Assign& x, const Lanes& s);
  void print(const MultiplyAdd& x, const Lanes& s);
  void print(const AddLanes& x, const Lanes& s);
  void print(const Store& x, const Lanes& s);
  void print(const StoreWide& x, const Lanes& s);
  void print(const AtomicCombine& x, const Lanes& s);
  void print(const StoreLocal& x, const Lanes& s);
  void print(const LoadMatrices& x, const Lanes& s);
  void print(const MultiplyMatrices& x, const Lanes& s);
  void print(const Barrier& x, const Lanes& s);
  void print(const Loop& x, const Lanes& s);
  void print(const When& x, const Lanes& s);

  ValuePrinter& values_;
  const scalar::ExprPool& pool_;
  kernel::ScalarText& text_;
  std::set<std::int32_t> registers_;  ///< that are vectors
  std::map<std::pair<scalar::ExprId, std::int32_t>, bool> has_lanes_;
};

}  // namespace partita::kernel
