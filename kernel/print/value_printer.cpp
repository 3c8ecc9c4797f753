// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/value_printer.hpp"

#include <algorithm>

#include "kernel/ast/expressions.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

/// Index arithmetic that is used once and no longer than this is written where it is used.
constexpr std::size_t longest_inline = 60;

const char* index_operator(ExprKind k) {
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

}  // namespace

ValuePrinter::ValuePrinter(const Kernel& kernel, kernel::ScalarText& text, const BodyNames& names)
    : k_(kernel),
      text_(text),
      style_(names),
      facts_(kernel),
      // Compilers move index arithmetic themselves.
      early_(facts_, {.are_known = [this](ExprId id) { return is_known(id); },
                      .are_worthwhile = [](const Expr& e) { return !is_index_arithmetic(e.kind); },
                      .evaluate = [this](ExprId id) { (void)value(id); }}) {}

// --- Lines and scopes ---

void ValuePrinter::line(const std::string& s) {
  out_.append(std::size_t(depth_) * 2, ' ').append(s).append("\n");
}

void ValuePrinter::open_scope() {
  for (Names* names : all_names()) names->open_scope();
  ++depth_;
}

void ValuePrinter::close_scope() {
  for (Names* names : all_names()) names->close_scope();
  --depth_;
}

void ValuePrinter::forget(const Changes& changes) {
  // Most statements of long kernels change a register that no value at hand is made of.
  const auto has_register = [&](ExprId e) { return facts_.has_register(e); };
  const auto known = all_names();
  if (changes.are_of_registers_alone() &&
      std::ranges::none_of(known, [&](const Names* names) { return names->any(has_register); }))
    return;
  const std::vector<bool> is_changed = facts_.changed_by(changes);
  const auto test = [&](ExprId e) { return is_changed[std::size_t(e)]; };
  for (Names* names : known) names->erase_if(test);
}

bool ValuePrinter::is_of_first_lane(ExprId id) const {
  return is_of_first_lane_ != nullptr && (*is_of_first_lane_)[std::size_t(id)];
}

void ValuePrinter::declare(ExprId e, const std::string& type, const std::string& value) {
  const std::string name = new_name("v");
  line(cat("const ", type, " ", name, " = ", value, ";"));
  named(e).put(e, name);
}

// --- Values ---

std::string ValuePrinter::value(ExprId id) {
  if (const std::string* name = named(id).find(id)) return *name;
  if (const auto it = lane_elements_.find(id); it != lane_elements_.end()) return it->second;
  const Expr& e = pool()[id];
  if (is_of_first_lane(id) && e.kind == ExprKind::index_variable) return "0";
  if (is_leaf(e.kind)) return leaf(e);
  if (!is_index_arithmetic(e.kind)) {
    print_element(id, e);
    return *named(id).find(id);
  }
  const bool repeats = e.kind == ExprKind::index_min || e.kind == ExprKind::index_max;
  const std::string text = index_text(id, e);
  const bool is_name = text.front() != '(';
  if (is_name || (facts_.uses(id) < 2 && !repeats && text.size() < longest_inline)) return text;
  const bool is_truth = e.kind >= ExprKind::index_less;
  declare(id, is_truth ? text_.value_type(DType::i1) : style_.index_type, text);
  return *named(id).find(id);
}

std::string ValuePrinter::value_at_first_lane(std::int32_t lane, ExprId id) {
  const auto [found, is_new] = is_of_lane_.try_emplace(lane);
  if (is_new)
    found->second = facts_.having(
        [&](const Expr& e) { return e.kind == ExprKind::index_variable && e.slot == lane; });
  const auto* const outer = std::exchange(is_of_first_lane_, &found->second);
  std::string name = value(id);
  is_of_first_lane_ = outer;
  return name;
}

void ValuePrinter::value_before_loop(std::span<const ExprId> roots, const Changes& changes) {
  early_.before_loop(roots, facts_.changed_by(changes));
}

std::string ValuePrinter::register_name(std::int32_t slot) const {
  return cat("r", slot, is_of_item(slot) ? style_.item_place : "");
}

std::string ValuePrinter::leaf(const Expr& e) {
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

std::string ValuePrinter::index_constant(const Expr& e) const {
  const auto value = std::int64_t(e.bits);
  const std::string s = std::to_string(value) + (style_.index_dtype == DType::i64 ? "L" : "");
  return value < 0 ? cat("(", s, ")") : s;
}

/// An index that the compiler cannot take for a truth value.
std::string ValuePrinter::as_number(const std::string& index) const {
  return style_.unknown_zero.empty() ? index : cat(index, " | ", style_.unknown_zero);
}

std::string ValuePrinter::index_text(ExprId id, const Expr& e) {
  const std::string a = value(e.operands[0]), b = value(e.operands[1]);
  if (e.kind == ExprKind::index_min || e.kind == ExprKind::index_max) {
    const std::string text =
        cat("(", a, e.kind == ExprKind::index_min ? " < " : " > ", b, " ? ", a, " : ", b, ")");
    const auto [low, high] = pool().bounds(id);
    return low >= 0 && high <= 1 ? as_number(text) : text;
  }
  if (e.kind == ExprKind::index_add && (a == "0" || b == "0")) return a == "0" ? b : a;
  if (e.kind == ExprKind::index_mul && (a == "0" || b == "0")) return "0";
  return cat("(", a, index_operator(e.kind), b, ")");
}

void ValuePrinter::print_element(ExprId id, const Expr& e) {
  if (e.kind == ExprKind::choose) return print_choose(id, e);
  if (e.kind == ExprKind::load_wide) return print_wide_load(id, e);
  if (print_raw_bits(id, e)) return;
  if (is_part_of_load(e)) {
    const Expr& whole = pool()[e.operands[0]];
    const std::string part = text_.value_type(e.dtype), index = value(whole.operands[0]);
    return declare(id, part,
                   cat("((const ", part, "*)(b", whole.slot, " + ", index, "))[",
                       e.name == "real" ? 0 : 1, "]"));
  }
  std::vector<std::string> operands;
  for (const ExprId x : e.operands) operands.push_back(value(x));
  const std::string& x = operands.at(0);
  if (e.kind == ExprKind::to_index)
    return declare(id, style_.index_type, as_number(cat("(", style_.index_type, ")", x)));
  const std::string type = text_.value_type(e.dtype);
  switch (e.kind) {
    case ExprKind::apply:
      if (is_kept_or_zero(e))
        if (const std::string text = style_.kept(e.dtype, operands[1], x); !text.empty())
          return declare(id, type, text);
      return declare(id, type, text_.apply(e.name, e.source, operands));
    case ExprKind::convert:
      return declare(id, type, text_.convert(x, e.source, e.dtype));
    case ExprKind::bitcast:
      return declare(id, type, text_.bitcast(x, e.source, e.dtype));
    case ExprKind::load:
      return declare(id, type, text_.load(e.dtype, cat("b", e.slot), x));
    case ExprKind::load_local:
      return declare(id, type, text_.load(e.dtype, cat("a", e.slot), x));
    case ExprKind::from_index:
      return declare(id, type, text_.convert(x, style_.index_dtype, e.dtype));
    default:
      throw_internal_error("an expression that cannot be printed");
  }
}

ExprId ValuePrinter::first_used_neighbour(const Expr& e) const {
  for (std::int32_t i = 0; i < pool().size(); ++i) {
    const Expr& x = pool()[ExprId(i)];
    if (x.kind == ExprKind::load_wide && x.slot == e.slot && x.operands == e.operands &&
        wide_lane(x).width == wide_lane(e).width && facts_.uses(ExprId(i)) > 0)
      return ExprId(i);
  }
  throw_internal_error("an element of no neighbours");
}

/// The variable of neighbours that are read as one.
std::string ValuePrinter::wide_variable(const Expr& e) {
  const ExprId key = first_used_neighbour(e);
  if (const std::string* known = wide_.find(key)) return *known;
  const int width = wide_lane(e).width;
  const std::string index = value(e.operands[0]), name = new_name("w");
  line(cat("const ", text_.wide_type(e.dtype, width), " ", name, " = ",
           text_.wide_load(e.dtype, width, cat("b", e.slot), index), ";"));
  return wide_.put(key, name);
}

void ValuePrinter::print_wide_load(ExprId id, const Expr& e) {
  const std::string all = wide_variable(e);
  declare(id, text_.value_type(e.dtype), text_.wide_element(e.dtype, all, wide_lane(e).lane));
}

/// Bits of a small float in memory are read as they are: its value would have one NaN for many.
bool ValuePrinter::print_raw_bits(ExprId id, const Expr& e) {
  const bool is_bits = is_integer(e.dtype) &&
                       (!is_narrow_integer(e.dtype) || info(e.dtype).kind == Kinds::unsigned_);
  if (e.kind != ExprKind::bitcast || !is_bits) return false;
  const Expr& whole = pool()[e.operands[0]];
  if (!is_load(whole.kind) || !is_small_float(whole.dtype)) return false;
  const std::string type = text_.value_type(e.dtype);
  if (whole.kind == ExprKind::load) {
    const std::string at = value(whole.operands[0]);
    declare(id, type, text_.load(e.dtype, cat("b", whole.slot), at));
  } else {
    const std::string all = wide_variable(whole);
    declare(id, type, text_.wide_element(e.dtype, all, wide_lane(whole).lane));
  }
  return true;
}

bool ValuePrinter::is_part_of_load(const Expr& e) {
  if (!style_.has_flat_memory || e.kind != ExprKind::apply) return false;
  if (e.name != "real" && e.name != "imag") return false;
  const Expr& whole = pool()[e.operands[0]];
  return whole.kind == ExprKind::load && is_complex(whole.dtype) && !is_known(e.operands[0]);
}

bool ValuePrinter::is_kept_or_zero(const Expr& e) const {
  if (!style_.kept || style_.item_registers.empty() || e.name != "select") return false;
  const Expr& otherwise = pool()[e.operands[2]];
  if (otherwise.kind != ExprKind::constant || otherwise.bits != 0) return false;
  return std::ranges::none_of(reachable(pool(), e.operands[0]), [&](ExprId x) {
    const Expr& part = pool()[x];
    const bool is_item = part.kind == ExprKind::index_variable && part.slot == 0;
    return is_item || is_load(part.kind) || part.kind == ExprKind::reg;
  });
}

void ValuePrinter::print_choose(ExprId id, const Expr& e) {
  const std::string condition = value(e.operands[0]);
  const std::string type = text_.value_type(e.dtype);
  if (!early_.is_lazy(e.operands[1]) && !early_.is_lazy(e.operands[2])) {
    const std::string a = value(e.operands[1]), b = value(e.operands[2]);
    return declare(id, type, cat(condition, " ? ", a, " : ", b));
  }
  early_.before_branches(e.operands[1], e.operands[2], certain_);
  const std::string name = new_name("v");
  line(cat(type, " ", name, ";"));
  for (const int branch : {1, 2}) {
    line(branch == 1 ? cat("if (", condition, ") {") : "} else {");
    open_scope();
    line(cat(name, " = ", value(e.operands[std::size_t(branch)]), ";"));
    close_scope();
  }
  line("}");
  named(id).put(id, name);
}

// --- Elements of vectors ---

void ValuePrinter::set_lane(ExprId id, const std::string& element) {
  if (const Expr& e = pool()[id]; e.kind == ExprKind::reg)
    lane_registers_[e.slot] = element;
  else
    lane_elements_[id] = element;
}

void ValuePrinter::end_lanes() {
  lane_registers_.clear();
  lane_elements_.clear();
}

}  // namespace partita::kernel
