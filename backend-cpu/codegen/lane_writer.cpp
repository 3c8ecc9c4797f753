// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/lane_writer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "backend-cpu/codegen/lane_slots.hpp"
#include "kernel/ast/body_facts.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/scoped_map.hpp"
#include "kernel/rewrites/single_elements.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::no_expr;
using Op = LaneInstruction::Op;
using Code = std::vector<LaneInstruction>;

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
  explicit LaneWriter(const Kernel& kernel)
      : k_(kernel),
        facts_(kernel),
        early_(facts_, {.are_known = [this](ExprId id) { return places_.contains(id); },
                        .are_worthwhile = [](const Expr& /*e*/) { return true; },
                        .evaluate = [this](ExprId id) { evaluate(id); }}) {
    if (has_vectors(kernel.body))
      throw_internal_error(cat("lane code of kernel ", kernel.stem, ", which has vectors"));
  }
  LaneWriter(const LaneWriter&) = delete;
  LaneWriter& operator=(const LaneWriter&) = delete;

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
  // --- Slots and scopes ---
  void open_scope() {
    slots_.open_scope();
    places_.open_scope();
    spread_.open_scope();
  }
  void close_scope() {
    slots_.close_scope();
    places_.close_scope();
    spread_.close_scope();
  }

  Place remember(ExprId e, Place place) { return places_.put(e, place); }

  /// Forgets values that a statement has changed.
  void forget(const Changes& changes) {
    const std::vector<bool> is_changed = facts_.changed_by(changes);
    places_.erase_if([&](ExprId e) { return is_changed[std::size_t(e)]; });
  }

  LaneInstruction& emit(LaneInstruction x) { return code_->emplace_back(std::move(x)); }

  /// The slot that holds a value for each lane.
  int lanes_of(Place p) {
    if (!p.is_shared) return p.slot;
    const std::size_t bytes = slots_.bytes_of(p.slot);
    if (const auto* const bits = slots_.bits_of(p.slot); bits != nullptr && p.stride == 0)
      return slots_.constant(*bits, bytes, false);
    // Slots that never change are spread once for a scope.
    const bool is_argument = p.slot <= k_.scalars;
    const std::pair key(p.slot, p.stride);
    if (const int* const slot = spread_.find(key); is_argument && slot != nullptr) return *slot;
    const int slot = slots_.take(bytes, false);
    emit({.op = p.stride == 0 ? Op::splat : Op::ramp,
          .result = slot,
          .arguments = {p.slot},
          .value = p.stride});
    if (is_argument) spread_.put(key, slot);
    return slot;
  }

  // --- Indices ---
  Place index_leaf(const Expr& e) {
    if (e.kind == ExprKind::index_constant)
      return {.slot = slots_.constant(e.bits, 8, true), .is_shared = true};
    if (e.kind == ExprKind::index_scalar) return {.slot = 1 + e.slot, .is_shared = true};
    return variables_.at(e.slot);
  }

  Place index(ExprId id) {
    if (const Place* const known = places_.find(id)) return *known;
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
    const int slot = slots_.take(op >= Op::less ? 1 : 8, is_shared);
    emit({.op = op, .result = slot, .arguments = {a, b}});
    return slot;
  }

  Place conversion(Place x, DType from, DType to) {
    if (from == to) return x;
    if (x.is_shared && x.stride != 0) x = {.slot = lanes_of(x)};
    const int slot = slots_.take(byte_size(to), x.is_shared);
    emit({.op = Op::convert, .result = slot, .arguments = {x.slot}, .dtype = to, .source = from});
    return {.slot = slot, .is_shared = x.is_shared};
  }

  // --- Elements ---
  Place value(ExprId id) {
    if (const Place* const known = places_.find(id)) return *known;
    const Expr e = k_.pool[id];
    switch (e.kind) {
      case ExprKind::constant:
        return {.slot = slots_.constant(e.bits, byte_size(e.dtype), true), .is_shared = true};
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
      case ExprKind::bitcast: {
        // Elements of less than a byte: as integers, which are extended in memory.
        const auto integer = [](DType d) { return is_float(d) ? bits_dtype(d) : d; };
        const DType from = integer(e.source), to = integer(e.dtype);
        const Place x = value(e.operands[0]);
        const bool is_same = info(from).bits >= 8 || from == to;
        return remember(id, is_same ? x : conversion(x, from, to));
      }
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
    x.result = slots_.take(byte_size(e.dtype), is_shared);
    const Place place{.slot = x.result, .is_shared = is_shared};
    emit(std::move(x));
    return place;
  }

  Place load(const Expr& e) {
    const Place at = index(e.operands[0]);
    const bool is_row = at.is_shared && at.stride != 0;
    const Place place{.slot = slots_.take(byte_size(e.dtype), at.is_shared && !is_row),
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
    if (!early_.is_lazy(e.operands[1]) && !early_.is_lazy(e.operands[2])) {
      const Place a = value(e.operands[1]), b = value(e.operands[2]);
      const bool is_shared = condition.is_shared && a.is_shared && b.is_shared;
      const auto slot_of = [&](Place p) { return is_shared ? p.slot : lanes_of(p); };
      const std::vector<int> arguments{slot_of(condition), slot_of(a), slot_of(b)};
      const int slot = slots_.take(bytes, is_shared);
      emit({.op = Op::select, .result = slot, .arguments = arguments});
      return {.slot = slot, .is_shared = is_shared};
    }
    early_.before_branches(e.operands[1], e.operands[2], certain_);
    // Both before the branches, whose slots are used again.
    const int lanes = slots_.take(bytes, false), shared = slots_.take(bytes, true);
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

  void evaluate(ExprId id) {
    if (is_index(k_.pool[id].kind) || k_.pool[id].kind == ExprKind::to_index)
      (void)index(id);
    else
      (void)value(id);
  }

  // --- Statements ---
  void statements(const Block& stmts) {
    std::set<ExprId> outer = std::exchange(certain_, facts_.certain_in(stmts));
    for (const Stmt& s : stmts) statement(s);
    certain_ = std::move(outer);
  }

  void statement(const Stmt& s) {
    const Changes changes = changes_of(s);
    std::visit([&](const auto& x) { write(x, changes); }, s.what);
    if (as<When>(s) == nullptr) forget(changes);
  }

  void write(const Declare& s, const Changes& /*changes*/) {
    const int from = lanes_of(value(s.value));
    registers_[s.slot] = slots_.take(byte_size(s.dtype), false);
    emit({.op = Op::assign, .result = registers_[s.slot], .arguments = {from}});
  }

  void write(const Assign& s, const Changes& /*changes*/) {
    emit({.op = Op::assign,
          .result = registers_.at(s.slot),
          .arguments = {lanes_of(value(s.value))}});
  }

  void write(const When& s, const Changes& /*changes*/) {
    const Place condition = value(s.condition);
    LaneInstruction x{.op = Op::when, .arguments = {condition.slot}};
    nested(x.body, s.body);
    emit(std::move(x));
  }

  void write(const StoreWide& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("elements that are stored as one in lane code");
  }

  void write(const AtomicCombine& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("an element that is combined at once in lane code");
  }

  void write(const StoreLocal& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("an array in lane code");
  }

  void write(const LoadMatrices& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("matrices in lane code");
  }

  void write(const MultiplyMatrices& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("matrices in lane code");
  }

  void write(const Barrier& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("a barrier in lane code");
  }

  void write(const AddLanes& /*s*/, const Changes& /*changes*/) {
    throw_internal_error("the sum of the lanes of what is no vector");
  }

  void nested(Code& code, const Block& body) {
    Code* const outer = std::exchange(code_, &code);
    open_scope();
    statements(body);
    close_scope();
    code_ = outer;
  }

  void write(const MultiplyAdd& s, const Changes& /*changes*/) {
    const int a = lanes_of(value(s.a)), b = lanes_of(value(s.b));
    const int sum = registers_.at(s.slot);
    if (is_float(s.dtype)) {
      emit({.op = Op::multiply_add, .result = sum, .arguments = {sum, a, b}, .dtype = s.dtype});
      return;
    }
    const int product = slots_.take(byte_size(s.dtype), false);
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

  void write(const Store& s, const Changes& /*changes*/) {
    const int from = lanes_of(value(s.value));
    const Place at = index(s.index);
    emit({.op = at.is_shared ? Op::store_row : Op::store,
          .arguments = {at.slot, from},
          .buffer = s.buffer,
          .value = at.stride});
  }

  void write(const Loop& s, const Changes& changes) {
    std::vector<ExprId> roots;
    for (const Stmt& inner : s.body) std::ranges::copy(roots_of(inner), std::back_inserter(roots));
    early_.before_loop(roots, facts_.changed_by(changes));
    Place begin{.slot = slots_.constant(0, 8, true), .is_shared = true}, end = index(s.end);
    if (s.begin != no_expr) begin = index(s.begin);
    if (begin.stride != 0) begin = {.slot = lanes_of(begin)};
    if (end.stride != 0) end = {.slot = lanes_of(end)};
    const int variable = slots_.take(8, begin.is_shared);
    variables_[s.variable] = {.slot = variable, .is_shared = begin.is_shared};
    LaneInstruction x{
        .op = Op::loop, .result = variable, .arguments = {begin.slot, end.slot}, .value = s.step};
    forget(changes);  // values of the first turn alone
    nested(x.body, s.body);
    emit(std::move(x));
  }

  const Kernel& k_;
  BodyFacts facts_;
  EarlyEvaluation early_;
  LaneKernel to_;
  LaneSlots slots_{to_};
  Code* code_ = nullptr;
  std::set<ExprId> certain_;  ///< evaluated by the statements at hand, whatever branches are taken
  ScopedMap<ExprId, Place> places_;
  ScopedMap<std::pair<int, std::int64_t>, int>
      spread_;  ///< by slot and stride, of scalar arguments
  std::map<std::int32_t, Place> variables_;
  std::map<std::int32_t, int> registers_;
};

}  // namespace

LaneKernel lane_kernel(const Kernel& kernel) {
  const std::optional<Kernel> single = with_single_elements(kernel);
  return LaneWriter(single ? *single : kernel).write();
}

}  // namespace partita::cpu::codegen
