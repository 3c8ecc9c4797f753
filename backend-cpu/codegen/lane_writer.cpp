// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/lane_writer.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/ir/elementwise.hpp"

namespace partita::passes {
namespace {

using kernel::Expr;
using kernel::ExprId;
using kernel::ExprKind;
using kernel::no_expr;
using Op = LaneInstruction::Op;
using Code = std::vector<LaneInstruction>;

bool is_index_leaf(ExprKind k) {
  return k == ExprKind::index_constant || k == ExprKind::index_variable ||
         k == ExprKind::index_scalar;
}

/// Whether the value of an expression is an index (comparisons of indices are elements).
bool is_index(ExprKind k) { return k >= ExprKind::index_constant && k < ExprKind::index_less; }

/// Where a value is: in a slot; an index may also be shared slot + lane · stride.
struct Place {
  int slot = -1;
  bool is_shared = false;
  std::int64_t stride = 0;
};

class LaneWriter {
 public:
  explicit LaneWriter(const Kernel& kernel) : k_(kernel), used_(std::size_t(kernel.pool.size())) {
    mark(k_.body);
    has_register_ = having([](const Expr& e) { return e.kind == ExprKind::reg; });
  }

  LaneKernel write() {
    for (const BufferParam& b : k_.buffers) to_.buffers.push_back(b.dtype);
    to_.scalars = k_.scalars;
    for (int s = 0; s <= k_.scalars; ++s) to_.slots.push_back({8, true});
    variables_[0] = {.slot = 0, .is_shared = true, .stride = 1};
    variables_[unbounded_item] = variables_[0];
    code_ = &to_.code;
    statements(k_.body);
    return std::move(to_);
  }

 private:
  // --- Facts about expressions ---
  void mark(const std::vector<Stmt>& stmts) {
    for (const Stmt& s : stmts) {
      if (s.width > 1 || s.kind == Stmt::Kind::add_lanes)
        throw_internal_error(cat("lane code of kernel ", k_.stem, ", which has vectors"));
      for (ExprId e : {s.value, s.other})
        if (e != no_expr) mark(e);
      mark(s.body);
    }
  }
  void mark(ExprId e) {
    if (used_[std::size_t(e)]) return;
    used_[std::size_t(e)] = true;
    for (ExprId x : k_.pool[e].operands) mark(x);
  }

  /// For every expression whether it has a part for which `test` holds: operands come before users.
  [[nodiscard]] std::vector<bool> having(const std::function<bool(const Expr&)>& test) const {
    std::vector<bool> found(used_.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!used_[i]) continue;
      const Expr& e = k_.pool[ExprId(i)];
      found[i] = test(e) || std::ranges::any_of(
                                e.operands, [&](ExprId x) { return bool(found[std::size_t(x)]); });
    }
    return found;
  }

  /// Whether evaluating `e` now would read memory or branch, beyond what is already known.
  [[nodiscard]] bool is_lazy(ExprId e) const {
    std::set<ExprId> seen;
    const std::function<bool(ExprId)> visit = [&](ExprId id) {
      if (places_.contains(id) || !seen.insert(id).second) return false;
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

  // --- Slots and scopes ---
  int new_slot(std::size_t bytes, bool is_shared) {
    std::vector<int>& free = free_[{bytes, is_shared}];
    int slot = int(to_.slots.size());
    if (free.empty()) {
      to_.slots.push_back({int(bytes), is_shared});
    } else {
      slot = free.back();
      free.pop_back();
    }
    scopes_.back().slots.push_back(slot);
    return slot;
  }

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() {
    for (ExprId e : scopes_.back().places) places_.erase(e);
    for (const auto& key : scopes_.back().spread) spread_.erase(key);
    for (const int slot : scopes_.back().slots) {
      const LaneSlot& s = to_.slots[std::size_t(slot)];
      free_[{std::size_t(s.bytes), s.is_shared}].push_back(slot);
    }
    scopes_.pop_back();
  }

  Place remember(ExprId e, Place place) {
    places_[e] = place;
    scopes_.back().places.push_back(e);
    return place;
  }

  /// Forgets values that a statement may have changed.
  void forget(const std::function<bool(const Expr&)>& changed) {
    const std::vector<bool> is_changed = having(changed);
    for (Scope& scope : scopes_)
      std::erase_if(scope.places, [&](ExprId e) {
        if (!is_changed[std::size_t(e)]) return false;
        places_.erase(e);
        return true;
      });
  }
  void forget_register(std::int32_t slot) {
    forget([&](const Expr& e) { return e.kind == ExprKind::reg && e.slot == slot; });
  }

  LaneInstruction& emit(LaneInstruction x) { return code_->emplace_back(std::move(x)); }

  /// A constant of all lanes or shared, there from the start.
  int constant(std::uint64_t bits, std::size_t bytes, bool is_shared) {
    const auto [it, is_new] =
        constants_.emplace(std::tuple(bits, bytes, is_shared), int(to_.slots.size()));
    if (is_new) {
      to_.slots.push_back({int(bytes), is_shared});
      to_.constants.push_back({it->second, std::int64_t(bits)});
      constant_bits_[it->second] = bits;
    }
    return it->second;
  }

  /// The slot that holds a value for each lane.
  int lanes_of(Place p) {
    if (!p.is_shared) return p.slot;
    const auto bytes = std::size_t(to_.slots[std::size_t(p.slot)].bytes);
    if (const auto it = constant_bits_.find(p.slot); p.stride == 0 && it != constant_bits_.end())
      return constant(it->second, bytes, false);
    const std::pair key(p.slot, p.stride);
    if (p.slot <= k_.scalars)
      if (const auto it = spread_.find(key); it != spread_.end()) return it->second;
    const int slot = new_slot(bytes, false);
    emit({.op = p.stride == 0 ? Op::splat : Op::ramp,
          .result = slot,
          .arguments = {p.slot},
          .value = p.stride});
    // Slots that never change are spread once for a scope.
    if (p.slot <= k_.scalars) {
      spread_[key] = slot;
      scopes_.back().spread.push_back(key);
    }
    return slot;
  }

  // --- Indices ---
  Place index_leaf(const Expr& e) {
    if (e.kind == ExprKind::index_constant)
      return {.slot = constant(e.bits, 8, true), .is_shared = true};
    if (e.kind == ExprKind::index_scalar) return {.slot = 1 + e.slot, .is_shared = true};
    return variables_.at(e.slot);
  }

  Place index(ExprId id) {
    if (const auto it = places_.find(id); it != places_.end()) return it->second;
    const Expr& e = k_.pool[id];
    if (is_index_leaf(e.kind)) return index_leaf(e);
    if (e.kind == ExprKind::to_index) {
      const Place x = value(e.operands[0]);
      return remember(id, conversion(x, k_.pool[e.operands[0]].dtype, DType::i64));
    }
    const Place a = index(e.operands[0]), b = index(e.operands[1]);
    const bool is_sum = e.kind == ExprKind::index_add || e.kind == ExprKind::index_sub;
    if (is_sum && a.is_shared && b.is_shared) {
      const std::int64_t sign = e.kind == ExprKind::index_add ? 1 : -1;
      return remember(id, {.slot = operation(e.kind, a.slot, b.slot, true),
                           .is_shared = true,
                           .stride = a.stride + sign * b.stride});
    }
    if (e.kind == ExprKind::index_mul && a.is_shared && b.is_shared) {
      // A ramp times a constant is a ramp.
      const auto factor = [&](std::size_t k) { return std::int64_t(k_.pool[e.operands[k]].bits); };
      const bool of_a = a.stride == 0 || k_.pool.is_index_constant(e.operands[1]);
      const bool of_b = b.stride == 0 || k_.pool.is_index_constant(e.operands[0]);
      if (of_a && of_b)
        return remember(id, {.slot = operation(e.kind, a.slot, b.slot, true),
                             .is_shared = true,
                             .stride = a.stride != 0   ? a.stride * factor(1)
                                       : b.stride != 0 ? b.stride * factor(0)
                                                       : 0});
    }
    const bool is_shared = a.is_shared && b.is_shared && a.stride == 0 && b.stride == 0;
    const int slot = is_shared ? operation(e.kind, a.slot, b.slot, true)
                               : operation(e.kind, lanes_of(a), lanes_of(b), false);
    return remember(id, {.slot = slot, .is_shared = is_shared});
  }

  int operation(ExprKind kind, int a, int b, bool is_shared) {
    const Op op = Op(int(Op::add) + (int(kind) - int(ExprKind::index_add)));
    const int slot = new_slot(op >= Op::less ? 1 : 8, is_shared);
    emit({.op = op, .result = slot, .arguments = {a, b}});
    return slot;
  }

  Place conversion(Place x, DType from, DType to) {
    if (from == to) return x;
    if (x.is_shared && x.stride != 0) x = {.slot = lanes_of(x)};
    const int slot = new_slot(byte_size(to), x.is_shared);
    emit({.op = Op::convert, .result = slot, .arguments = {x.slot}, .dtype = to, .source = from});
    return {.slot = slot, .is_shared = x.is_shared};
  }

  // --- Elements ---
  Place value(ExprId id) {
    if (const auto it = places_.find(id); it != places_.end()) return it->second;
    const Expr e = k_.pool[id];
    switch (e.kind) {
      case ExprKind::constant:
        return {.slot = constant(e.bits, byte_size(e.dtype), true), .is_shared = true};
      case ExprKind::reg:
        return {.slot = registers_.at(e.slot)};
      case ExprKind::apply:
        return remember(id, row(e));
      case ExprKind::convert:
        return remember(id, conversion(value(e.operands[0]), e.source, e.dtype));
      case ExprKind::from_index: {
        // Elements have no stride.
        const Place x = index(e.operands[0]);
        return remember(
            id, conversion(x.stride == 0 ? x : Place{.slot = lanes_of(x)}, DType::i64, e.dtype));
      }
      case ExprKind::bitcast:
        return remember(id, value(e.operands[0]));
      case ExprKind::load:
        return remember(id, load(e));
      case ExprKind::choose:
        return remember(id, choose(e));
      case ExprKind::index_less:
      case ExprKind::index_less_equal:
      case ExprKind::index_equal:
        return index(id);
      default:
        throw_internal_error("an index where lane code needs an element");
    }
  }

  Place row(const Expr& e) {
    std::vector<Place> operands;
    for (ExprId x : e.operands) operands.push_back(value(x));
    const bool is_shared = std::ranges::all_of(operands, &Place::is_shared);
    LaneInstruction x{.op = Op::row, .dtype = e.source, .name = std::string(e.name)};
    for (const Place& p : operands) x.arguments.push_back(is_shared ? p.slot : lanes_of(p));
    x.result = new_slot(byte_size(e.dtype), is_shared);
    const Place place{.slot = x.result, .is_shared = is_shared};
    emit(std::move(x));
    return place;
  }

  Place load(const Expr& e) {
    const Place at = index(e.operands[0]);
    const bool is_row = at.is_shared && at.stride != 0;
    const Place place{.slot = new_slot(byte_size(e.dtype), at.is_shared && !is_row),
                      .is_shared = at.is_shared && !is_row};
    emit({.op = is_row ? Op::load_row : Op::load,
          .result = place.slot,
          .arguments = {at.slot},
          .buffer = e.slot,
          .value = at.stride});
    return place;
  }

  Place choose(const Expr& e) {
    const Place condition = value(e.operands[0]);
    const std::size_t bytes = byte_size(e.dtype);
    if (!is_lazy(e.operands[1]) && !is_lazy(e.operands[2])) {
      const Place a = value(e.operands[1]), b = value(e.operands[2]);
      const bool is_shared = condition.is_shared && a.is_shared && b.is_shared;
      const auto slot_of = [&](Place p) { return is_shared ? p.slot : lanes_of(p); };
      const std::vector<int> arguments{slot_of(condition), slot_of(a), slot_of(b)};
      const int slot = new_slot(bytes, is_shared);
      emit({.op = Op::select, .result = slot, .arguments = arguments});
      return {.slot = slot, .is_shared = is_shared};
    }
    evaluate_shared(e.operands[1], e.operands[2]);
    // Both before the branches, whose slots are used again.
    const int lanes = new_slot(bytes, false), shared = new_slot(bytes, true);
    LaneInstruction x{.op = Op::choose, .arguments = {condition.slot, -1, -1}};
    Place places[2];
    bool is_shared = condition.is_shared;
    for (const std::size_t branch : {0, 1}) {
      Code& code = branch == 0 ? x.body : x.other;
      Code* const outer = std::exchange(code_, &code);
      open_scope();
      places[branch] = value(e.operands[branch + 1]);
      is_shared = is_shared && places[branch].is_shared;
      code_ = outer;
      close_scope();
    }
    for (const std::size_t branch : {0, 1}) {
      if (!is_shared && places[branch].is_shared) {
        // The slot still holds it at the branch's end: nothing has run since.
        Code* const outer = std::exchange(code_, branch == 0 ? &x.body : &x.other);
        open_scope();
        places[branch].slot = lanes_of(places[branch]);
        code_ = outer;
        close_scope();
      }
      x.arguments[branch + 1] = places[branch].slot;
    }
    x.result = is_shared ? shared : lanes;
    const Place place{.slot = x.result, .is_shared = is_shared};
    emit(std::move(x));
    return place;
  }

  /// Evaluates what both branches need, or what is needed after them in any case, before they fork.
  void evaluate_shared(ExprId a, ExprId b) {
    std::set<ExprId> in_a, in_b, visited;
    collect_certain(a, in_a);
    collect_certain(b, in_b);
    const std::function<void(ExprId)> visit = [&](ExprId id) {
      if (places_.contains(id) || !visited.insert(id).second) return;
      const Expr& e = k_.pool[id];
      if (e.kind == ExprKind::constant || e.kind == ExprKind::reg || is_index_leaf(e.kind)) return;
      if ((in_a.contains(id) && in_b.contains(id)) || certain_.contains(id)) {
        evaluate(id);
        return;
      }
      for (ExprId x : e.operands) visit(x);
    };
    visit(a);
    visit(b);
  }

  void evaluate(ExprId id) {
    if (is_index(k_.pool[id].kind) || k_.pool[id].kind == ExprKind::to_index)
      (void)index(id);
    else
      (void)value(id);
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
    switch (s.kind) {
      case Stmt::Kind::declare: {
        const int from = lanes_of(value(s.value));
        registers_[s.slot] = new_slot(byte_size(s.dtype), false);
        emit({.op = Op::assign, .result = registers_[s.slot], .arguments = {from}});
        return forget_register(s.slot);
      }
      case Stmt::Kind::assign:
        emit({.op = Op::assign,
              .result = registers_.at(s.slot),
              .arguments = {lanes_of(value(s.value))}});
        return forget_register(s.slot);
      case Stmt::Kind::multiply_add:
        multiply_add(s);
        return forget_register(s.slot);
      case Stmt::Kind::loop:
        return loop(s);
      case Stmt::Kind::when: {
        const Place condition = value(s.value);
        LaneInstruction x{.op = Op::when, .arguments = {condition.slot}};
        nested(x.body, s.body);
        emit(std::move(x));
        return;
      }
      case Stmt::Kind::store:
        store(s);
        return forget([&](const Expr& e) { return e.kind == ExprKind::load && e.slot == s.slot; });
      case Stmt::Kind::add_lanes:
        throw_internal_error("the sum of the lanes of what is no vector");
    }
  }

  void nested(Code& code, const std::vector<Stmt>& body) {
    Code* const outer = std::exchange(code_, &code);
    open_scope();
    statements(body);
    close_scope();
    code_ = outer;
  }

  void multiply_add(const Stmt& s) {
    const int a = lanes_of(value(s.value)), b = lanes_of(value(s.other));
    const int sum = registers_.at(s.slot);
    if (is_float(s.dtype)) {
      emit({.op = Op::multiply_add, .result = sum, .arguments = {sum, a, b}, .dtype = s.dtype});
      return;
    }
    const int product = new_slot(byte_size(s.dtype), false);
    emit({.op = Op::row,
          .result = product,
          .arguments = {a, b},
          .dtype = s.dtype,
          .name = "multiply"});
    emit({.op = Op::row,
          .result = product,
          .arguments = {sum, product},
          .dtype = s.dtype,
          .name = "add"});
    emit({.op = Op::assign, .result = sum, .arguments = {product}});
  }

  void store(const Stmt& s) {
    const int from = lanes_of(value(s.value));
    const Place at = index(s.other);
    emit({.op = at.is_shared ? Op::store_row : Op::store,
          .arguments = {at.slot, from},
          .buffer = s.slot,
          .value = at.stride});
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

  /// Evaluates the parts of `e` that a loop does not change.
  void hoist(ExprId id, const std::vector<bool>& is_variant, std::set<ExprId>& seen) {
    if (places_.contains(id) || !seen.insert(id).second) return;
    const Expr& e = k_.pool[id];
    if (e.kind == ExprKind::constant || e.kind == ExprKind::reg || is_index_leaf(e.kind)) return;
    if (!is_variant[std::size_t(id)]) return evaluate(id);
    const std::size_t certain = e.kind == ExprKind::choose ? 1 : e.operands.size();
    for (std::size_t k = 0; k < certain; ++k) hoist(e.operands[k], is_variant, seen);
  }

  void loop(const Stmt& s) {
    Changes c;
    c.variables.insert(s.slot);
    collect(s.body, c);
    const std::vector<bool> is_variant = having([&](const Expr& e) {
      return (e.kind == ExprKind::index_variable && c.variables.contains(e.slot)) ||
             (e.kind == ExprKind::reg && c.registers.contains(e.slot)) ||
             (e.kind == ExprKind::load && c.buffers.contains(e.slot));
    });
    std::set<ExprId> seen;
    for (const Stmt& inner : s.body)
      for (ExprId e : {inner.value, inner.other})
        if (e != no_expr) hoist(e, is_variant, seen);
    Place begin{.slot = constant(0, 8, true), .is_shared = true}, end = index(s.value);
    if (s.other != no_expr) begin = index(s.other);
    if (begin.stride != 0) begin = {.slot = lanes_of(begin)};
    if (end.stride != 0) end = {.slot = lanes_of(end)};
    const int variable = new_slot(8, begin.is_shared);
    variables_[s.slot] = {.slot = variable, .is_shared = begin.is_shared};
    LaneInstruction x{
        .op = Op::loop, .result = variable, .arguments = {begin.slot, end.slot}, .value = s.step};
    nested(x.body, s.body);
    emit(std::move(x));
    forget([&](const Expr& e) {
      return (e.kind == ExprKind::index_variable && e.slot == s.slot) ||
             (e.kind == ExprKind::reg && c.registers.contains(e.slot)) ||
             (e.kind == ExprKind::load && c.buffers.contains(e.slot));
    });
  }

  struct Scope {
    std::vector<ExprId> places;
    std::vector<int> slots;
    std::vector<std::pair<int, std::int64_t>> spread;
  };

  const Kernel& k_;
  LaneKernel to_;
  Code* code_ = nullptr;
  std::vector<bool> used_, has_register_;
  std::set<ExprId> certain_;  ///< evaluated by the statements at hand, whatever branches are taken
  std::unordered_map<ExprId, Place> places_;
  std::map<std::int32_t, Place> variables_;
  std::map<std::int32_t, int> registers_;
  std::map<std::tuple<std::uint64_t, std::size_t, bool>, int> constants_;
  std::unordered_map<int, std::uint64_t> constant_bits_;
  std::map<std::pair<int, std::int64_t>, int> spread_;
  std::map<std::pair<std::size_t, bool>, std::vector<int>> free_;
  std::vector<Scope> scopes_{1};
};

}  // namespace

LaneKernel lane_kernel(const Kernel& kernel) { return LaneWriter(kernel).write(); }

}  // namespace partita::passes
