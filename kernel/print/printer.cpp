// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/printer.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/ast/copied_neighbours.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/print/value_printer.hpp"
#include "kernel/print/vector_printer.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::no_expr;

class BodyPrinter {
 public:
  BodyPrinter(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names)
      : k_(kernel), text_(text), names_(names), values_(kernel, text, names), vectors_(values_) {}

  std::string print() {
    // Devices that have matrix units have such copies too; what stands in for the kernel does without either.
    copies_ahead_ = k_.plain != nullptr && has_copies(k_, k_.body);
    statements(k_.body);
    return values_.take_text();
  }

 private:
  void line(const std::string& s) { values_.line(s); }
  std::string value(ExprId id) { return values_.value(id); }

  void statements(const Block& stmts) {
    values_.with_statements(stmts, [&] {
      for (const Stmt& s : stmts) statement(s);
    });
  }
  void nested(const Block& stmts) {
    values_.open_scope();
    statements(stmts);
    values_.close_scope();
    line("}");
  }

  void statement(const Stmt& s) {
    if (s.width > 1) return vectors_.statement(s);
    std::visit([&](const auto& x) { print(x, s); }, s.what);
  }

  void print(const Declare& x, const Stmt& s) {
    if (!values_.is_of_item(x.slot))
      return line(cat(text_.value_type(x.dtype), " r", x.slot, " = ", value(x.value), ";"));
    line(cat(values_.register_name(x.slot), " = ", value(x.value), ";"));
    values_.forget(changes_of(s));
  }

  void print(const Assign& x, const Stmt& s) {
    if (const auto it = held_.find(&x); it != held_.end())
      return line(cat(
          it->second.name, " = ",
          filled(it->second, it->second.how.step, x, value(k_.pool[x.value].operands[1])), ";"));
    if (reordered_.contains(&x))
      reordered_step(x);
    else
      line(cat(values_.register_name(x.slot), " = ", value(x.value), ";"));
    values_.forget(changes_of(s));
  }

  void print(const MultiplyAdd& x, const Stmt& s) {
    multiply_add(x);
    values_.forget(changes_of(s));
  }

  void print(const AddLanes& /*x*/, const Stmt& /*s*/) {
    throw_internal_error("the sum of the lanes of what is no vector");
  }

  void print(const When& x, const Stmt& /*s*/) {
    line(cat("if (", value(x.condition), ") {"));
    nested(x.body);
  }

  void print(const Store& x, const Stmt& s) {
    if (!store_parts(x)) {
      const std::string v = value(x.value), at = value(x.index);
      line(cat(text_.store(x.dtype, cat("b", x.buffer), at, v), ";"));
    }
    values_.forget(changes_of(s));
  }

  void print(const StoreWide& x, const Stmt& s) {
    if (const auto from = copied_neighbours(k_, x); from && copies_ahead_) {
      const std::string to = value(x.index), at = value(from->index);
      line(cat(text_.snippet("copy_ahead"), "(a", x.buffer, ", ", to, ", b", from->buffer, ", ", at,
               ");"));
      return values_.forget(changes_of(s));
    }
    std::vector<std::string> values;
    for (const ExprId v : x.values) values.push_back(value(v));
    const std::string at = value(x.index);
    line(cat(
        text_.wide_store(x.dtype, cat(x.is_local ? "a" : "b", x.buffer), at, values, x.is_local),
        ";"));
    values_.forget(changes_of(s));
  }

  void print(const AtomicCombine& x, const Stmt& s) {
    const std::string v = value(x.value), at = value(x.index);
    line(cat(text_.snippet(cat("combine_", to_string(x.combiner), "_at_once")), "(b", x.buffer,
             " + ", at, ", ", v, ");"));
    values_.forget(changes_of(s));
  }

  void print(const StoreLocal& x, const Stmt& s) {
    if (x.is_ahead && copies_ahead_) {
      const CopiedElement from = copied_element(k_.pool, x.value).value();
      const std::string to = value(x.index), at = value(from.index);
      line(cat(text_.snippet("copy_element_ahead"), "(a", x.array, ", ", to, ", b", from.buffer,
               ", ", from.lane > 0 ? cat(at, " + ", from.lane) : at, ");"));
      return values_.forget(changes_of(s));
    }
    const std::string v = value(x.value), at = value(x.index);
    line(cat(text_.store(x.dtype, cat("a", x.array), at, v), ";"));
    values_.forget(changes_of(s));
  }

  void print(const LoadMatrices& x, const Stmt& s) {
    std::string registers;
    for (const std::int32_t slot : x.slots) registers += cat(registers.empty() ? "r" : ", r", slot);
    const std::string at = value(x.index);
    line(cat(text_.value_type(DType::ui32), " ", registers, ";"));
    line(cat(text_.snippet(x.is_turned ? "load_matrices_turned" : "load_matrices"), "(", registers,
             ", a", x.array, ", ", at, ");"));
    values_.forget(changes_of(s));
  }

  void print(const MultiplyMatrices& x, const Stmt& s) {
    std::string arguments;
    for (const std::int32_t slot : x.sums) arguments += cat(arguments.empty() ? "r" : ", r", slot);
    for (const ExprId e : x.a) arguments += cat(", ", value(e));
    for (const ExprId e : x.b) arguments += cat(", ", value(e));
    const std::string_view units = x.dtype == DType::f32 ? "tf32" : info(x.dtype).name;
    line(cat(text_.snippet(cat("multiply_matrices_", units)), "(", arguments, ");"));
    values_.forget(changes_of(s));
  }

  void print(const Barrier& x, const Stmt& s) {
    PARTITA_ASSERT(!names_.barrier.empty());
    if (copies_ahead_) line(cat(text_.snippet("wait_for_copies"), "(", x.late, ");"));
    line(names_.barrier);
    values_.forget(changes_of(s));
  }

  /// Writes a complex element by its parts, where it is made of them.
  bool store_parts(const Store& s) {
    const Expr& e = k_.pool[s.value];
    if (!names_.has_flat_memory || e.kind != ExprKind::apply || e.name != "complex" ||
        values_.is_known(s.value))
      return false;
    const std::string re = value(e.operands[0]), im = value(e.operands[1]), at = value(s.index);
    const std::string part =
        cat("((", text_.value_type(e.source), "*)(b", s.buffer, " + ", at, "))");
    line(cat(part, "[0] = ", re, ";"));
    line(cat(part, "[1] = ", im, ";"));
    return true;
  }

  /// `register = row(register, value)`, whose order among the loop's others is free.
  void reordered_step(const Assign& s) {
    const Expr& e = k_.pool[s.value];
    const std::string operands[] = {values_.register_name(s.slot), value(e.operands[1])};
    const bool has_block = e.name == "add" || e.name == "multiply";
    if (has_block) line("{"), line(names_.reordered);
    line(cat(operands[0], " = ", text_.apply(e.name, e.source, operands), ";"));
    if (has_block) line("}");
  }

  void multiply_add(const MultiplyAdd& s) {
    const std::string a = value(s.a), b = value(s.b), r = values_.register_name(s.slot);
    if (is_float(s.dtype)) return line(cat(r, " = ", text_.multiply_add(s.dtype, a, b, r), ";"));
    const std::string product = values_.new_name("v");
    const std::string operands[] = {a, b};
    line(cat("const ", text_.value_type(s.dtype), " ", product, " = ",
             text_.apply("multiply", s.dtype, operands), ";"));
    const std::string sum[] = {r, product};
    line(cat(r, " = ", text_.apply("add", s.dtype, sum), ";"));
  }

  /// The statements of a loop, where each is `register = row(register, …)` on floats and nothing else
  /// reads these registers; empty otherwise.  Short sums keep their order (decision 0009).
  [[nodiscard]] std::vector<const Assign*> reduction_steps(const Loop& s) const {
    if (k_.pool.bounds(s.end).high <= few_terms) return {};
    const When* const guard = s.body.size() == 1 ? as<When>(s.body[0]) : nullptr;
    std::set<std::int32_t> slots;
    std::vector<const Assign*> steps;
    for (const Stmt& inner : guard != nullptr ? guard->body : s.body) {
      const Assign* const step = as<Assign>(inner);
      if (step == nullptr || !is_float(step->dtype) || values_.is_of_item(step->slot)) return {};
      if (!slots.insert(step->slot).second) return {};
      steps.push_back(step);
    }
    const std::vector<bool> reads = values_.facts().having(
        [&](const Expr& e) { return e.kind == ExprKind::reg && slots.contains(e.slot); });
    if (guard != nullptr && reads[std::size_t(guard->condition)]) return {};
    for (const Assign* step : steps) {
      const Expr& e = k_.pool[step->value];
      if (e.kind != ExprKind::apply || e.operands.size() != 2 || e.dtype != step->dtype) return {};
      const Expr& held = k_.pool[e.operands[0]];
      if (held.kind != ExprKind::reg || held.slot != step->slot ||
          reads[std::size_t(e.operands[1])])
        return {};
    }
    return steps;
  }

  /// How many iterations at a time a short loop takes least time with, where that is fewer than a vector holds: those that are
  /// left behind the last vector are done one by one.  Else 0.
  [[nodiscard]] std::int64_t lanes_of(const Loop& s) const {
    constexpr double one_by_one = 1.5, worth = 0.75;
    constexpr std::int64_t few_vectors = 4, least = 4;
    const std::int64_t trips =
        k_.pool.bounds(s.end).high - (s.begin == scalar::no_expr ? 0 : k_.pool.bounds(s.begin).low);
    const bool stays_scalar = s.is_parallel && !names_.parallel_body.empty();
    if (!names_.lanes || stays_scalar || trips < least || has_vectors(s.body) ||
        std::ranges::any_of(s.body, [](const Stmt& inner) { return as<Loop>(inner) != nullptr; }))
      return 0;
    bool computes = false;
    std::size_t bytes = sizeof(double);
    for (const scalar::ExprId id : reachable(k_.pool, s.body)) {
      const Expr& e = k_.pool[id];
      computes |= e.kind == ExprKind::apply;
      if ((e.kind == ExprKind::apply || e.kind == ExprKind::load) && e.dtype != DType::i1)
        bytes = std::min(bytes, byte_size(e.dtype));
    }
    const std::int64_t all = names_.vector_bytes / std::int64_t(bytes);
    if (!computes || trips > few_vectors * all) return 0;
    const auto time = [&](std::int64_t lanes) {
      const std::int64_t vectors = trips / lanes;
      return double(vectors) + one_by_one * double(trips % lanes);
    };
    std::int64_t best = all;
    for (std::int64_t lanes = all / 2; lanes >= least; lanes /= 2)
      if (time(lanes) < time(best)) best = lanes;
    return time(best) < worth * time(all) ? best : 0;
  }

  /// Lines before a loop that say how it may run.
  void loop_hints(const Loop& s) {
    const std::int64_t lanes = lanes_of(s);
    const std::string at_a_time = lanes > 0 ? names_.lanes(lanes) : "";
    if (s.is_parallel && !names_.parallel_loop.empty())
      line(lanes > 0 ? cat(names_.parallel_lanes, at_a_time) : names_.parallel_loop);
    const std::vector<const Assign*> steps = reduction_steps(s);
    if (!names_.reordered.empty()) reordered_.insert(steps.begin(), steps.end());
    if (!names_.reduction || steps.empty()) return;
    std::string clauses;
    std::map<const Assign*, HeldReduction> held;
    for (const Assign* step : steps) {
      const std::string_view row = k_.pool[step->value].name;
      HeldReduction h{.how = {}, .name = values_.new_name("q")};
      h.how = names_.reduction(row, step->dtype, h.name);
      if (h.how.type.empty())
        clauses += names_.reduction(row, step->dtype, cat("r", step->slot)).clause;
      else
        clauses += h.how.clause;
      if (h.how.clause.empty()) return;
      if (!h.how.type.empty()) held.emplace(step, std::move(h));
    }
    for (const Assign* step : steps)
      if (const auto it = held.find(step); it != held.end())
        line(cat(it->second.how.type, " ", it->second.name, " = ",
                 filled(it->second, it->second.how.begin, *step), ";"));
    line(cat(names_.reduction_loop, at_a_time, clauses));
    held_.merge(held);
  }

  /// A register whose loop combines into a variable of another form.
  struct HeldReduction {
    LoopReduction how;
    std::string name;
  };
  static std::string filled(const HeldReduction& h, std::string_view text, const Assign& step,
                            std::string_view term = {}) {
    std::string result;
    for (const char c : text) {
      if (c == '@')
        result += cat("r", step.slot);
      else if (c == '#')
        result += h.name;
      else if (c == '$')
        result += term;
      else
        result += c;
    }
    return result;
  }

  /// What registers are after the loops of `stmts` that held them in another form.
  void end_reductions(const Block& stmts) {
    for (const Stmt& s : stmts) {
      const Assign* const step = as<Assign>(s);
      if (const auto it = held_.find(step); step != nullptr && it != held_.end()) {
        line(cat("r", step->slot, " = ", filled(it->second, it->second.how.end, *step), ";"));
        held_.erase(it);
      }
      end_reductions(body_of(s));
    }
  }

  void print(const Loop& x, const Stmt& s) {
    Changes changes = changes_of(s);
    // Each item has registers of its own.
    if (changes.variables.contains(0))
      changes.registers.insert(names_.item_registers.begin(), names_.item_registers.end());
    std::vector<ExprId> roots;
    for (const Stmt& inner : x.body)
      for (const ExprId e : roots_of(inner))
        if (inner.width == 1 || !vectors_.has_lanes(e, inner.lane)) roots.push_back(e);
    values_.value_before_loop(roots, changes);
    const std::string i = cat("k", x.variable);
    const std::string begin = x.begin == no_expr ? "0" : value(x.begin), end = value(x.end);
    loop_hints(x);
    line(cat("for (", names_.index_type, " ", i, " = ", begin, "; ", i, " < ", end, "; ",
             x.step == 1 ? cat("++", i) : cat(i, " += ", x.step), ") {"));
    // What the loop changes has another value in its second turn, and behind it.
    values_.forget(changes);
    if (x.is_parallel && !names_.parallel_body.empty()) line(cat("  ", names_.parallel_body));
    nested(x.body);
    if (!held_.empty()) end_reductions(x.body);
    values_.forget(changes);
  }

  const Kernel& k_;
  kernel::ScalarText& text_;
  const BodyNames& names_;
  ValuePrinter values_;
  VectorPrinter vectors_;
  std::set<const Assign*> reordered_;  ///< steps of a loop whose terms may be taken in any order
  std::map<const Assign*, HeldReduction> held_;
  bool copies_ahead_ = false;
};

}  // namespace

std::string print_body(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names) {
  return BodyPrinter(kernel, text, names).print();
}

std::string declared_arrays(const Kernel& kernel, kernel::ScalarText& text,
                            std::string_view space) {
  std::string lines;
  // Neighbouring elements are read as one where the array's place allows it; an item's may be those of a vector.
  const int alignment = kernel.group_items > 0 ? 16 : 64;
  for (std::size_t a = 0; a < kernel.arrays.size(); ++a)
    lines += cat("  ", space, text.stored_type(kernel.arrays[a].dtype), " __attribute__((aligned(",
                 alignment, "))) a", a, "[", kernel.arrays[a].count, "];\n");
  return lines;
}

}  // namespace partita::kernel
