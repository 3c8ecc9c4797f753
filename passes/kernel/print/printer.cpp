// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/kernel/print/printer.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "partita/base/error.hpp"
#include "partita/ir/window.hpp"
#include "passes/kernel/index_factors.hpp"

namespace partita::passes {
namespace {

using kernel::Expr;
using kernel::ExprId;
using kernel::ExprKind;
using kernel::no_expr;

bool is_index_leaf(ExprKind k) {
  return k == ExprKind::index_constant || k == ExprKind::index_variable ||
         k == ExprKind::index_scalar;
}

bool is_index_arithmetic(ExprKind k) { return k > ExprKind::to_index; }

class BodyPrinter {
 public:
  BodyPrinter(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names)
      : k_(kernel), text_(text), names_(names), uses_(std::size_t(kernel.pool.size())) {
    count_uses(k_.body);
    find_vector_registers(k_.body);
    has_register_ = having([](const Expr& e) { return e.kind == ExprKind::reg; });
  }

  std::string print() {
    statements(k_.body);
    return std::move(out_);
  }

 private:
  // --- Facts about expressions ---
  void count_uses(const std::vector<Stmt>& stmts) {
    for (const Stmt& s : stmts) {
      for (ExprId e : {s.value, s.other})
        if (e != no_expr) count_uses(e);
      count_uses(s.body);
    }
  }
  void count_uses(ExprId e) {
    if (uses_[std::size_t(e)]++ > 0) return;
    for (ExprId x : k_.pool[e].operands) count_uses(x);
  }

  /// For every expression whether it has a part for which `test` holds: operands come before users.
  std::vector<bool> having(const std::function<bool(const Expr&)>& test) const {
    std::vector<bool> found(uses_.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (uses_[i] == 0) continue;
      const Expr& e = k_.pool[ExprId(i)];
      found[i] = test(e) || std::ranges::any_of(
                                e.operands, [&](ExprId x) { return bool(found[std::size_t(x)]); });
    }
    return found;
  }

  [[nodiscard]] bool is_lane(std::int32_t slot) const {
    return names_.lane_registers.contains(slot);
  }
  [[nodiscard]] std::string register_name(std::int32_t slot) const {
    return cat("r", slot, is_lane(slot) ? names_.lane : "");
  }

  /// Whether evaluating `e` now would read memory or cost much, beyond what is already in variables.
  bool is_lazy(ExprId e) const {
    std::set<ExprId> seen;
    const std::function<bool(ExprId)> visit = [&](ExprId id) {
      if (name_.contains(id) || !seen.insert(id).second) return false;
      const Expr& x = k_.pool[id];
      return x.kind == ExprKind::load || x.kind == ExprKind::choose ||
             std::ranges::any_of(x.operands, visit);
    };
    return visit(e);
  }

  /// Adds what evaluating `e` evaluates in any case; branches of `choose` are not.
  void collect_certain(ExprId e, std::set<ExprId>& certain) const {
    if (!certain.insert(e).second) return;
    const Expr& x = k_.pool[e];
    const std::size_t n = x.kind == ExprKind::choose ? 1 : x.operands.size();
    for (std::size_t k = 0; k < n; ++k) collect_certain(x.operands[k], certain);
  }

  // --- Text ---
  void line(const std::string& s) {
    out_.append(std::size_t(depth_) * 2, ' ').append(s).append("\n");
  }

  void declare(ExprId e, const std::string& type, const std::string& value) {
    const std::string name = cat("v", next_name_++);
    line(cat("const ", type, " ", name, " = ", value, ";"));
    remember(e, name);
  }

  void remember(ExprId e, const std::string& name) {
    name_[e] = name;
    scopes_.back().push_back(e);
  }

  void open_scope() {
    scopes_.emplace_back();
    ++depth_;
  }
  void close_scope() {
    for (ExprId e : scopes_.back()) {
      name_.erase(e);
      vector_name_.erase(e);
    }
    scopes_.pop_back();
    --depth_;
  }

  /// Forgets variables whose value a statement may have changed.
  void forget(const std::function<bool(const Expr&)>& changed) {
    const std::vector<bool> is_changed = having(changed);
    for (auto& scope : scopes_)
      std::erase_if(scope, [&](ExprId e) {
        if (!is_changed[std::size_t(e)]) return false;
        name_.erase(e);
        vector_name_.erase(e);
        return true;
      });
  }

  std::string index_constant(const Expr& e) const {
    const auto value = std::int64_t(e.bits);
    const std::string s = std::to_string(value) + (names_.index_dtype == DType::i64 ? "L" : "");
    return value < 0 ? cat("(", s, ")") : s;
  }

  static const char* index_operator(ExprKind k) {
    switch (k) {
      case ExprKind::index_add:
        return " + ";
      case ExprKind::index_sub:
        return " - ";
      case ExprKind::index_mul:
        return " * ";
      case ExprKind::index_div:
        return " / ";
      case ExprKind::index_mod:
        return " % ";
      case ExprKind::index_less:
        return " < ";
      case ExprKind::index_less_equal:
        return " <= ";
      default:
        return " == ";
    }
  }

  std::string index_text(const Expr& e) {
    const std::string a = value(e.operands[0]), b = value(e.operands[1]);
    if (e.kind == ExprKind::index_min || e.kind == ExprKind::index_max)
      return cat("(", a, e.kind == ExprKind::index_min ? " < " : " > ", b, " ? ", a, " : ", b, ")");
    return cat("(", a, index_operator(e.kind), b, ")");
  }

  std::string leaf(const Expr& e) {
    switch (e.kind) {
      case ExprKind::constant:
        return text_.literal(e.dtype, e.bits);
      case ExprKind::reg: {
        const auto lane = lane_registers_.find(e.slot);
        return lane == lane_registers_.end() ? register_name(e.slot) : lane->second;
      }
      case ExprKind::index_constant:
        return index_constant(e);
      case ExprKind::index_variable:
        return cat("k", e.slot == unbounded_item ? 0 : e.slot);
      default:
        return cat("s", e.slot);
    }
  }

  /// The name of a variable (or literal) that holds e, emitting what is missing.
  std::string value(ExprId id) {
    if (const auto it = name_.find(id); it != name_.end()) return it->second;
    const Expr e = k_.pool[id];
    if (e.kind == ExprKind::constant || e.kind == ExprKind::reg || is_index_leaf(e.kind))
      return leaf(e);
    if (is_index_arithmetic(e.kind)) {
      const bool repeats = e.kind == ExprKind::index_min || e.kind == ExprKind::index_max;
      std::string text = index_text(e);
      if (uses_[std::size_t(id)] < 2 && !repeats && text.size() < 60) return text;
      const bool is_truth = e.kind >= ExprKind::index_less;
      declare(id, is_truth ? text_.value_type(DType::i1) : names_.index_type, text);
      return name_.at(id);
    }
    emit(id, e);
    return name_.at(id);
  }

  void emit(ExprId id, const Expr& e) {
    switch (e.kind) {
      case ExprKind::apply: {
        std::vector<std::string> operands;
        for (ExprId x : e.operands) operands.push_back(value(x));
        return declare(id, text_.value_type(e.dtype), text_.apply(e.name, e.source, operands));
      }
      case ExprKind::convert:
        return declare(id, text_.value_type(e.dtype),
                       text_.convert(value(e.operands[0]), e.source, e.dtype));
      case ExprKind::bitcast:
        return declare(id, text_.value_type(e.dtype),
                       text_.bitcast(value(e.operands[0]), e.source, e.dtype));
      case ExprKind::load: {
        const std::string index = value(e.operands[0]);
        return declare(id, text_.value_type(e.dtype), text_.load(e.dtype, cat("b", e.slot), index));
      }
      case ExprKind::from_index: {
        const std::string x = value(e.operands[0]);
        return declare(id, text_.value_type(e.dtype),
                       text_.convert(x, names_.index_dtype, e.dtype));
      }
      case ExprKind::to_index:
        return declare(id, names_.index_type,
                       cat("(", names_.index_type, ")", value(e.operands[0])));
      case ExprKind::choose:
        return emit_choose(id, e);
      default:
        throw_internal_error("an expression that cannot be printed");
    }
  }

  void emit_choose(ExprId id, const Expr& e) {
    const std::string condition = value(e.operands[0]);
    const std::string type = text_.value_type(e.dtype);
    if (!is_lazy(e.operands[1]) && !is_lazy(e.operands[2])) {
      const std::string a = value(e.operands[1]), b = value(e.operands[2]);
      return declare(id, type, cat(condition, " ? ", a, " : ", b));
    }
    evaluate_shared(e.operands[1], e.operands[2]);
    const std::string name = cat("v", next_name_++);
    line(cat(type, " ", name, ";"));
    for (const int branch : {1, 2}) {
      line(branch == 1 ? cat("if (", condition, ") {") : "} else {");
      open_scope();
      line(cat(name, " = ", value(e.operands[std::size_t(branch)]), ";"));
      close_scope();
    }
    line("}");
    remember(id, name);
  }

  /// Evaluates what both branches need, or what is needed after them in any case, before they fork.
  void evaluate_shared(ExprId a, ExprId b) {
    std::set<ExprId> in_a, in_b, visited;
    collect_certain(a, in_a);
    collect_certain(b, in_b);
    const std::function<void(ExprId)> visit = [&](ExprId id) {
      if (name_.contains(id) || !visited.insert(id).second) return;
      const Expr& e = k_.pool[id];
      if (e.kind == ExprKind::constant || e.kind == ExprKind::reg || is_index_leaf(e.kind)) return;
      if (!is_index_arithmetic(e.kind) &&
          ((in_a.contains(id) && in_b.contains(id)) || certain_.contains(id))) {
        value(id);
        return;
      }
      const std::vector<ExprId> operands = e.operands;
      for (ExprId x : operands) visit(x);
    };
    visit(a);
    visit(b);
  }

  // --- Statements ---
  void statements(const std::vector<Stmt>& stmts) {
    std::set<ExprId> certain;
    for (const Stmt& s : stmts)
      for (ExprId e : {s.value, s.other})
        if (e != no_expr) collect_certain(e, certain);
    // A register may have changed until then.
    std::erase_if(certain, [&](ExprId e) { return has_register_[std::size_t(e)]; });
    certain_.swap(certain);
    for (const Stmt& s : stmts) statement(s);
    certain_.swap(certain);
  }

  void statement(const Stmt& s) {
    if (s.width > 1) return vector_statement(s);
    switch (s.kind) {
      case Stmt::Kind::declare:
        if (!is_lane(s.slot))
          return line(cat(text_.value_type(s.dtype), " r", s.slot, " = ", value(s.value), ";"));
        [[fallthrough]];
      case Stmt::Kind::assign:
        if (reordered_.contains(&s)) return reordered_step(s);
        line(cat(register_name(s.slot), " = ", value(s.value), ";"));
        return forget_register(s.slot);
      case Stmt::Kind::multiply_add:
        return multiply_add(s);
      case Stmt::Kind::loop:
        return loop(s);
      case Stmt::Kind::when:
        line(cat("if (", value(s.value), ") {"));
        open_scope();
        statements(s.body);
        close_scope();
        return line("}");
      case Stmt::Kind::add_lanes:
        throw_internal_error("the sum of the lanes of what is no vector");
      case Stmt::Kind::store: {
        const std::string v = value(s.value), at = value(s.other);
        line(cat(text_.store(s.dtype, cat("b", s.slot), at, v), ";"));
        return forget([&](const Expr& e) { return e.kind == ExprKind::load && e.slot == s.slot; });
      }
    }
  }

  /// `register = row(register, value)`, whose order among the loop's others is free.
  void reordered_step(const Stmt& s) {
    const Expr e = k_.pool[s.value];
    const std::string operands[] = {register_name(s.slot), value(e.operands[1])};
    const bool has_block = e.name == "add" || e.name == "multiply";
    if (has_block) line("{"), line(names_.reordered);
    line(cat(operands[0], " = ", text_.apply(e.name, e.source, operands), ";"));
    if (has_block) line("}");
    forget_register(s.slot);
  }

  // --- Vectors ---
  void find_vector_registers(const std::vector<Stmt>& stmts) {
    for (const Stmt& s : stmts) {
      if (s.kind == Stmt::Kind::declare && s.width > 1) vector_registers_.insert(s.slot);
      find_vector_registers(s.body);
    }
  }

  /// Whether a value differs between lanes.
  bool has_lanes(ExprId id, std::int32_t lane) {
    const auto found = has_lanes_.find({id, lane});
    if (found != has_lanes_.end()) return found->second;
    const Expr& e = k_.pool[id];
    bool result = (e.kind == ExprKind::index_variable && e.slot == lane) ||
                  (e.kind == ExprKind::reg && vector_registers_.contains(e.slot));
    for (ExprId x : e.operands) result = result || has_lanes(x, lane);
    return has_lanes_[{id, lane}] = result;
  }

  static char arithmetic(std::string_view row) {
    return row == "add"        ? '+'
           : row == "subtract" ? '-'
           : row == "multiply" ? '*'
           : row == "divide"   ? '/'
                               : '\0';
  }

  static std::string_view comparison(std::string_view row) {
    static constexpr std::pair<std::string_view, std::string_view> rows[] = {
        {"compare_eq", " == "}, {"compare_ne", " != "}, {"compare_lt", " < "},
        {"compare_le", " <= "}, {"compare_gt", " > "},  {"compare_ge", " >= "}};
    for (const auto& [name, text] : rows)
      if (name == row) return text;
    return {};
  }

  /// Whether the dialect's vectors can compute the value: elements of dtype d, or a comparison of such.
  bool is_native(ExprId id, DType d, std::int32_t lane) {
    if (!has_lanes(id, lane)) return k_.pool[id].dtype == d;
    const Expr& e = k_.pool[id];
    const auto operands_are = [&](std::size_t from) {
      for (std::size_t k = from; k < e.operands.size(); ++k)
        if (!is_native(e.operands[k], d, lane)) return false;
      return true;
    };
    if (e.kind == ExprKind::reg) return e.dtype == d;
    if (e.kind == ExprKind::load)
      return e.dtype == d && factor_of(k_.pool, e.operands[0], lane) == 1;
    if (e.kind != ExprKind::apply || e.source != d) return false;
    if (arithmetic(e.name) != 0 || e.name == "negate" || e.name == "maximum" ||
        e.name == "minimum" || !comparison(e.name).empty())
      return operands_are(0);
    return e.name == "select" && is_comparison(e.operands[0], d, lane) && operands_are(1);
  }

  bool is_comparison(ExprId id, DType d, std::int32_t lane) {
    const Expr& e = k_.pool[id];
    return e.kind == ExprKind::apply && !comparison(e.name).empty() && has_lanes(id, lane) &&
           is_native(id, d, lane);
  }

  /// The element's address at lane 0.
  std::string first_lane(std::int32_t buffer, ExprId index, const Stmt& s) {
    scopes_.emplace_back();
    for (std::int32_t i = 0; i < k_.pool.size(); ++i)
      if (const Expr& e = k_.pool[ExprId(i)];
          e.kind == ExprKind::index_variable && e.slot == s.lane)
        remember(ExprId(i), "0");
    const std::string text = cat("b", buffer, " + ", value(index));
    for (ExprId e : scopes_.back()) name_.erase(e);
    scopes_.pop_back();
    return text;
  }

  /// The name of a vector that holds e for all lanes, emitting what is missing.
  std::string vector_value(ExprId id, const Stmt& s) {
    if (const auto it = vector_name_.find(id); it != vector_name_.end()) return it->second;
    const Expr e = k_.pool[id];
    const DType d = s.dtype;
    if (!has_lanes(id, s.lane)) return text_.vector_call("splat", d, s.width, value(id));
    if (e.kind == ExprKind::reg) return cat("r", e.slot);
    std::string text, type = text_.vector_type(d, s.width);
    if (!is_native(id, d, s.lane)) {
      const std::string array = cat("a", next_name_++);
      line(cat(text_.value_type(d), " ", array, "[", s.width, "];"));
      for_lanes(s, {id}, [&] { line(cat(array, "[k", s.lane, "] = ", value(id), ";")); });
      text = text_.vector_call("load", d, s.width, array);
    } else if (e.kind == ExprKind::load) {
      text = text_.vector_call("load", d, s.width, first_lane(e.slot, e.operands[0], s));
    } else {
      text = vector_row(e, s);
    }
    const std::string name = cat("v", next_name_++);
    line(cat("const ", type, " ", name, " = ", text, ";"));
    vector_name_[id] = name;
    scopes_.back().push_back(id);
    return name;
  }

  std::string vector_row(const Expr& e, const Stmt& s) {
    std::vector<std::string> x;
    for (std::size_t k = e.name == "select" ? 1 : 0; k < e.operands.size(); ++k)
      x.push_back(vector_value(e.operands[k], s));
    if (e.name == "negate") return cat("-", x[0]);
    if (const char op = arithmetic(e.name)) return cat(x[0], " ", op, " ", x[1]);
    if (e.name != "select")
      return text_.vector_call(e.name, s.dtype, s.width, cat(x[0], ", ", x[1]));
    const Expr c = k_.pool[e.operands[0]];
    const std::string a = vector_value(c.operands[0], s), b = vector_value(c.operands[1], s);
    return text_.vector_call("choose", s.dtype, s.width,
                             cat(a, comparison(c.name), b, ", ", x[0], ", ", x[1]));
  }

  /// Puts the vectors that `id` is made of into arrays and names their elements.
  void spread(ExprId id, const Stmt& s, bool is_certain, std::vector<ExprId>& spread_values) {
    if (!has_lanes(id, s.lane) || name_.contains(id)) return;
    const Expr e = k_.pool[id];
    const bool is_vector = e.kind == ExprKind::reg ||
                           (is_certain && (e.kind == ExprKind::apply || e.kind == ExprKind::load) &&
                            e.dtype == s.dtype && is_native(id, s.dtype, s.lane));
    if (is_vector) {
      const std::string v = vector_value(id, s), array = cat("a", next_name_++);
      line(cat(text_.value_type(s.dtype), " ", array, "[", s.width, "];"));
      line(cat(text_.vector_call("store", s.dtype, s.width, cat(v, ", ", array)), ";"));
      if (e.kind == ExprKind::reg)
        lane_registers_[e.slot] = cat(array, "[k", s.lane, "]");
      else
        name_[id] = cat(array, "[k", s.lane, "]");
      spread_values.push_back(id);
      return;
    }
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      spread(e.operands[k], s, is_certain && (e.kind != ExprKind::choose || k == 0), spread_values);
  }

  /// Scalar code for each lane; vectors that `roots` are made of are elements of arrays in it.
  void for_lanes(const Stmt& s, std::initializer_list<ExprId> roots,
                 const std::function<void()>& emit_lane) {
    std::vector<ExprId> spread_values;
    for (ExprId id : roots) spread(id, s, true, spread_values);
    line(cat("for (", names_.index_type, " k", s.lane, " = 0; k", s.lane, " < ", s.width, "; ++k",
             s.lane, ") {"));
    open_scope();
    emit_lane();
    close_scope();
    line("}");
    lane_registers_.clear();
    for (ExprId id : spread_values) name_.erase(id);
  }

  void vector_statement(const Stmt& s) {
    const std::string r = cat("r", s.slot);
    switch (s.kind) {
      case Stmt::Kind::declare:
        return line(
            cat(text_.vector_type(s.dtype, s.width), " ", r, " = ", vector_value(s.value, s), ";"));
      case Stmt::Kind::assign:
        line(cat(r, " = ", vector_value(s.value, s), ";"));
        return forget_register(s.slot);
      case Stmt::Kind::multiply_add: {
        const std::string a = vector_value(s.value, s), b = vector_value(s.other, s);
        line(cat(r, " = ", text_.vector_call("fma", s.dtype, s.width, cat(a, ", ", b, ", ", r)),
                 ";"));
        return forget_register(s.slot);
      }
      case Stmt::Kind::add_lanes: {
        const std::string v = vector_value(s.value, s);
        line(cat(r, " += ", text_.vector_call("sum", s.dtype, s.width, v), ";"));
        return forget_register(s.slot);
      }
      case Stmt::Kind::store: {
        const bool is_one = factor_of(k_.pool, s.other, s.lane) == 1 &&
                            k_.buffers[std::size_t(s.slot)].dtype == s.dtype &&
                            k_.pool[s.value].dtype == s.dtype;
        if (is_one) {
          const std::string v = vector_value(s.value, s);
          line(cat(text_.vector_call("store", s.dtype, s.width,
                                     cat(v, ", ", first_lane(s.slot, s.other, s))),
                   ";"));
        } else {
          const DType d = k_.buffers[std::size_t(s.slot)].dtype;
          for_lanes(s, {s.value, s.other}, [&] {
            const std::string v = value(s.value), at = value(s.other);
            line(cat(text_.store(d, cat("b", s.slot), at, v), ";"));
          });
        }
        return forget([&](const Expr& e) { return e.kind == ExprKind::load && e.slot == s.slot; });
      }
      default:
        throw_internal_error("a statement that has no form for vectors");
    }
  }

  void forget_register(std::int32_t slot) {
    forget([&](const Expr& e) { return e.kind == ExprKind::reg && e.slot == slot; });
  }

  void multiply_add(const Stmt& s) {
    const std::string a = value(s.value), b = value(s.other), r = register_name(s.slot);
    if (is_float(s.dtype)) return line(cat(r, " = ", text_.multiply_add(s.dtype, a, b, r), ";"));
    const std::string product = cat("v", next_name_++);
    const std::string operands[] = {a, b};
    line(cat("const ", text_.value_type(s.dtype), " ", product, " = ",
             text_.apply("multiply", s.dtype, operands), ";"));
    const std::string sum[] = {r, product};
    line(cat(r, " = ", text_.apply("add", s.dtype, sum), ";"));
  }

  /// What a statement list changes: loop variables, registers, memory.
  struct Changes {
    std::set<std::int32_t> variables, registers, buffers;
  };
  static void collect(const std::vector<Stmt>& stmts, Changes& c) {
    for (const Stmt& s : stmts) {
      if (s.kind == Stmt::Kind::loop)
        c.variables.insert(s.slot);
      else if (s.kind == Stmt::Kind::store)
        c.buffers.insert(s.slot);
      else if (s.kind != Stmt::Kind::when)
        c.registers.insert(s.slot);
      collect(s.body, c);
    }
  }

  /// Evaluates the parts of `e` that a loop does not change and that are worth a variable.
  void hoist(ExprId id, const std::vector<bool>& is_variant, std::set<ExprId>& seen) {
    if (name_.contains(id) || !seen.insert(id).second) return;
    const Expr& e = k_.pool[id];
    if (e.kind == ExprKind::constant || e.kind == ExprKind::reg || is_index_leaf(e.kind)) return;
    if (!is_index_arithmetic(e.kind) && !is_variant[std::size_t(id)]) {
      value(id);
      return;
    }
    const std::vector<ExprId> operands = e.operands;
    const std::size_t certain = e.kind == ExprKind::choose ? 1 : operands.size();
    for (std::size_t k = 0; k < certain; ++k) hoist(operands[k], is_variant, seen);
  }

  /// The statements of a loop, where each is `register = row(register, …)` on floats and nothing else
  /// reads these registers; empty otherwise.  Short sums keep their order (decision 0009).
  [[nodiscard]] std::vector<const Stmt*> reduction_steps(const Stmt& s) const {
    if (k_.pool.bounds(s.value).high <= ir::few_terms) return {};
    const bool is_guarded = s.body.size() == 1 && s.body[0].kind == Stmt::Kind::when;
    std::set<std::int32_t> slots;
    std::vector<const Stmt*> steps;
    for (const Stmt& step : is_guarded ? s.body[0].body : s.body) {
      if (step.kind != Stmt::Kind::assign || !is_float(step.dtype) || is_lane(step.slot)) return {};
      if (!slots.insert(step.slot).second) return {};
      steps.push_back(&step);
    }
    const std::vector<bool> reads =
        having([&](const Expr& e) { return e.kind == ExprKind::reg && slots.contains(e.slot); });
    if (is_guarded && reads[std::size_t(s.body[0].value)]) return {};
    for (const Stmt* step : steps) {
      const Expr& e = k_.pool[step->value];
      if (e.kind != ExprKind::apply || e.operands.size() != 2 || e.dtype != step->dtype) return {};
      const Expr& held = k_.pool[e.operands[0]];
      if (held.kind != ExprKind::reg || held.slot != step->slot ||
          reads[std::size_t(e.operands[1])])
        return {};
    }
    return steps;
  }

  /// Lines before a loop that say how it may run.
  void loop_hints(const Stmt& s) {
    if (s.is_parallel && !names_.parallel_loop.empty()) line(names_.parallel_loop);
    const std::vector<const Stmt*> steps = reduction_steps(s);
    if (!names_.reordered.empty()) reordered_.insert(steps.begin(), steps.end());
    if (!names_.reduction) return;
    std::string clauses;
    for (const Stmt* step : steps) {
      const std::string clause =
          names_.reduction(k_.pool[step->value].name, step->dtype, cat("r", step->slot));
      if (clause.empty()) return;
      clauses += clause;
    }
    if (!clauses.empty()) line(cat(names_.reduction_loop, clauses));
  }

  void loop(const Stmt& s) {
    Changes c;
    c.variables.insert(s.slot);
    collect(s.body, c);
    const std::vector<bool> is_variant = having([&](const Expr& e) {
      return (e.kind == ExprKind::index_variable && c.variables.contains(e.slot)) ||
             (e.kind == ExprKind::reg &&
              (c.registers.contains(e.slot) || (is_lane(e.slot) && c.variables.contains(0)))) ||
             (e.kind == ExprKind::load && c.buffers.contains(e.slot));
    });
    std::set<ExprId> seen;
    for (const Stmt& inner : s.body)
      for (ExprId e : {inner.value, inner.other})
        if (e != no_expr && (inner.width == 1 || !has_lanes(e, inner.lane)))
          hoist(e, is_variant, seen);
    const std::string i = cat("k", s.slot);
    const std::string begin = s.other == no_expr ? "0" : value(s.other), end = value(s.value);
    loop_hints(s);
    line(cat("for (", names_.index_type, " ", i, " = ", begin, "; ", i, " < ", end, "; ",
             s.step == 1 ? cat("++", i) : cat(i, " += ", s.step), ") {"));
    open_scope();
    statements(s.body);
    close_scope();
    line("}");
    forget([&](const Expr& e) {
      return (e.kind == ExprKind::reg && c.registers.contains(e.slot)) ||
             (e.kind == ExprKind::load && c.buffers.contains(e.slot));
    });
  }

  const Kernel& k_;
  kernel::ScalarText& text_;
  const BodyNames& names_;
  std::vector<int> uses_;
  std::vector<bool> has_register_;
  std::set<ExprId> certain_;  ///< evaluated by the statements at hand, whatever branches are taken
  std::string out_;
  int depth_ = 1, next_name_ = 0;
  std::unordered_map<ExprId, std::string> name_;
  std::unordered_map<ExprId, std::string> vector_name_;
  std::map<std::pair<ExprId, std::int32_t>, bool> has_lanes_;
  std::set<std::int32_t> vector_registers_;
  std::set<const Stmt*> reordered_;  ///< steps of a loop whose terms may be taken in any order
  std::map<std::int32_t, std::string> lane_registers_;  ///< a lane of a register, inside for_lanes
  std::vector<std::vector<ExprId>> scopes_{1};
};

}  // namespace

std::string print_body(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names) {
  return BodyPrinter(kernel, text, names).print();
}

}  // namespace partita::passes
