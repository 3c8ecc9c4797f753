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
  void find_registers(const std::vector<Stmt>& stmts);
  bool is_native(scalar::ExprId id, DType d, std::int32_t lane);
  bool is_comparison(scalar::ExprId id, DType d, std::int32_t lane);
  std::string first_lane(std::int32_t buffer, scalar::ExprId index, const Stmt& s);
  std::string value(scalar::ExprId id, const Stmt& s);
  std::string row(const scalar::Expr& e, const Stmt& s);
  void spread(scalar::ExprId id, const Stmt& s, bool is_certain);
  void for_lanes(const Stmt& s, std::initializer_list<scalar::ExprId> roots,
                 const std::function<void()>& print_lane);
  void store(const Stmt& s);

  ValuePrinter& values_;
  const scalar::ExprPool& pool_;
  kernel::ScalarText& text_;
  std::set<std::int32_t> registers_;  ///< that are vectors
  std::map<std::pair<scalar::ExprId, std::int32_t>, bool> has_lanes_;
};

}  // namespace partita::kernel
