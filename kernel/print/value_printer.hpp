// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The text of a kernel's body as it grows: lines, and constant local variables in them that hold the
// values of expressions.  An expression is printed once in each scope that needs it.  It knows the
// statements only by what they change; printer.hpp prints those.
#pragma once

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ast/body_facts.hpp"
#include "kernel/ast/scoped_map.hpp"
#include "kernel/print/printer.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {

class ValuePrinter {
 public:
  ValuePrinter(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names);
  ValuePrinter(const ValuePrinter&) = delete;
  ValuePrinter& operator=(const ValuePrinter&) = delete;

  [[nodiscard]] std::string take_text() { return std::move(out_); }
  void line(const std::string& s);
  /// A name that nothing else has: `prefix` and a number.
  [[nodiscard]] std::string new_name(const char* prefix) { return cat(prefix, next_name_++); }

  /// What follows is indented, and its variables are gone at the end.
  void open_scope();
  void close_scope();
  /// Prints `stmts` by `print`, knowing what they evaluate in any case.
  template <class Print>
  void with_statements(const Block& stmts, const Print& print) {
    std::set<scalar::ExprId> outer = std::exchange(certain_, facts_.certain_in(stmts));
    print();
    certain_ = std::move(outer);
  }
  /// Forgets variables whose value a statement has changed.
  void forget(const Changes& changes);

  /// The name of a variable (or literal) that holds `id`, printing what is missing.
  std::string value(scalar::ExprId id);
  /// The same where the index variable `lane` is 0.
  std::string value_at_first_lane(std::int32_t lane, scalar::ExprId id);
  /// Prints what `roots` in a loop's body need in any case and the loop does not change.
  void value_before_loop(std::span<const scalar::ExprId> roots, const Changes& changes);
  [[nodiscard]] bool is_known(scalar::ExprId id) {
    return named(id).contains(id) || lane_elements_.contains(id);
  }

  /// Whether each item has a register of its own.
  [[nodiscard]] bool is_of_item(std::int32_t slot) const {
    return style_.item_registers.contains(slot);
  }
  [[nodiscard]] std::string register_name(std::int32_t slot) const;

  /// Variables that hold an expression for all lanes of a vector.
  [[nodiscard]] const std::string* vector(scalar::ExprId id) const { return vectors_.find(id); }
  void remember_vector(scalar::ExprId id, const std::string& name) { vectors_.put(id, name); }
  /// Until end_lanes(), a vector that is an expression's or a register's value is this element of it.
  void set_lane(scalar::ExprId id, const std::string& element);
  void end_lanes();

  [[nodiscard]] const BodyFacts& facts() const { return facts_; }
  [[nodiscard]] const Kernel& kernel() const { return k_; }
  [[nodiscard]] const scalar::ExprPool& pool() const { return k_.pool; }
  [[nodiscard]] kernel::ScalarText& text() { return text_; }
  [[nodiscard]] const BodyNames& style() const { return style_; }

 private:
  using Names = ScopedMap<scalar::ExprId, std::string>;

  /// Whether a value of lane 0 is printed that differs from those of other lanes.
  [[nodiscard]] bool is_of_first_lane(scalar::ExprId id) const;
  /// Where the variable of `id` is found.
  [[nodiscard]] Names& named(scalar::ExprId id) {
    return is_of_first_lane(id) ? first_lanes_ : names_;
  }
  [[nodiscard]] std::array<Names*, 4> all_names() {
    return {&names_, &first_lanes_, &vectors_, &wide_};
  }
  void declare(scalar::ExprId e, const std::string& type, const std::string& value);
  [[nodiscard]] std::string index_constant(const scalar::Expr& e) const;
  std::string index_text(scalar::ExprId id, const scalar::Expr& e);
  [[nodiscard]] std::string as_number(const std::string& index) const;
  [[nodiscard]] std::string leaf(const scalar::Expr& e);
  void print_index(scalar::ExprId id, const scalar::Expr& e);
  void print_element(scalar::ExprId id, const scalar::Expr& e);
  /// Whether only one part of a complex element in memory is asked for.
  [[nodiscard]] bool is_part_of_load(const scalar::Expr& e);
  /// Whether it chooses between a value and 0 by what all items of the innermost loop have in common.
  [[nodiscard]] bool is_kept_or_zero(const scalar::Expr& e) const;
  void print_choose(scalar::ExprId id, const scalar::Expr& e);
  void print_wide_load(scalar::ExprId id, const scalar::Expr& e);
  std::string wide_variable(const scalar::Expr& e);
  bool print_raw_bits(scalar::ExprId id, const scalar::Expr& e);
  /// What the neighbours that are read as one go by: the first of them that the kernel uses.
  [[nodiscard]] scalar::ExprId first_used_neighbour(const scalar::Expr& e) const;

  const Kernel& k_;
  kernel::ScalarText& text_;
  const BodyNames& style_;
  BodyFacts facts_;
  EarlyEvaluation early_;
  std::set<scalar::ExprId> certain_;  ///< evaluated by the statements at hand in any case
  std::string out_;
  int depth_ = 1, next_name_ = 0;
  Names names_, vectors_, wide_;
  Names first_lanes_;  ///< of expressions of a lane, where it is 0
  /// Set while values of lane 0 are printed: whether an expression is made of that lane.
  const std::vector<bool>* is_of_first_lane_ = nullptr;
  std::map<std::int32_t, std::vector<bool>> is_of_lane_;  ///< by index variable
  std::map<scalar::ExprId, std::string> lane_elements_;
  std::map<std::int32_t, std::string> lane_registers_;
};

}  // namespace partita::kernel
