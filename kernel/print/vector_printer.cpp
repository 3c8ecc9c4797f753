// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/vector_printer.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "kernel/ast/expressions.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

char arithmetic(std::string_view row) {
  return row == "add"        ? '+'
         : row == "subtract" ? '-'
         : row == "multiply" ? '*'
         : row == "divide"   ? '/'
                             : '\0';
}

using RowText = std::pair<std::string_view, std::string_view>;

/// Empty where there is none.
std::string_view text_of(std::string_view row, std::span<const RowText> rows) {
  const auto found = std::ranges::find(rows, row, &RowText::first);
  return found == rows.end() ? std::string_view() : found->second;
}

std::string_view comparison(std::string_view row) {
  static constexpr RowText rows[] = {{"compare_eq", " == "}, {"compare_ne", " != "},
                                     {"compare_lt", " < "},  {"compare_le", " <= "},
                                     {"compare_gt", " > "},  {"compare_ge", " >= "}};
  return text_of(row, rows);
}

/// Of truth values.
std::string_view logic(std::string_view row) {
  static constexpr RowText rows[] = {
      {"and_", " & "}, {"or_", " | "}, {"xor_", " ^ "}, {"not_", "~"}};
  return text_of(row, rows);
}

/// An element of a buffer or of an array.
bool is_element(ExprKind kind) { return kind == ExprKind::load || kind == ExprKind::load_local; }

}  // namespace

VectorPrinter::VectorPrinter(ValuePrinter& values)
    : values_(values), pool_(values.pool()), text_(values.text()) {
  find_registers(values.kernel().body);
}

// --- What vectors can compute ---

void VectorPrinter::find_registers(const Block& stmts) {
  for (const Stmt& s : stmts) {
    if (const Declare* declared = as<Declare>(s); declared != nullptr && s.width > 1)
      registers_.insert(declared->slot);
    find_registers(body_of(s));
  }
}

bool VectorPrinter::has_lanes(ExprId id, std::int32_t lane) {
  const auto found = has_lanes_.find({id, lane});
  if (found != has_lanes_.end()) return found->second;
  const Expr& e = pool_[id];
  bool result = (e.kind == ExprKind::index_variable && e.slot == lane) ||
                (e.kind == ExprKind::reg && registers_.contains(e.slot));
  for (const ExprId x : e.operands) result = result || has_lanes(x, lane);
  return has_lanes_[{id, lane}] = result;
}

/// Whether the dialect's vectors can compute the value, whose elements are of dtype d: those of integers are
/// multiplied and added up alone.
bool VectorPrinter::is_native(ExprId id, DType d, std::int32_t lane) {
  if (!has_lanes(id, lane)) return pool_[id].dtype == d;
  const Expr& e = pool_[id];
  const auto operands_are = [&](std::size_t from) {
    for (std::size_t k = from; k < e.operands.size(); ++k)
      if (!is_native(e.operands[k], d, lane)) return false;
    return true;
  };
  if (e.kind == ExprKind::reg) return e.dtype == d;
  if (is_element(e.kind)) return e.dtype == d && index_stride(pool_, e.operands[0], lane) == 1;
  if (e.kind != ExprKind::apply || e.source != d || !is_float(d)) return false;
  if (arithmetic(e.name) != 0 || e.name == "negate" || e.name == "maximum" || e.name == "minimum")
    return operands_are(0);
  return e.name == "select" && is_native_truth(e.operands[0], d, lane) && operands_are(1);
}

/// The same of truth values that choose between elements of dtype d.
bool VectorPrinter::is_native_truth(ExprId id, DType d, std::int32_t lane) {
  if (!has_lanes(id, lane)) return true;
  const Expr& e = pool_[id];
  if (e.kind == ExprKind::load)
    return e.dtype == DType::i1 && index_stride(pool_, e.operands[0], lane) == 1;
  if (e.kind != ExprKind::apply) return false;
  const bool is_compared = !comparison(e.name).empty() && e.source == d;
  if (!is_compared && (e.dtype != DType::i1 || logic(e.name).empty())) return false;
  return std::ranges::all_of(e.operands, [&](ExprId x) {
    return is_compared ? is_native(x, d, lane) : is_native_truth(x, d, lane);
  });
}

// --- Values ---

/// The element's address at lane 0.
std::string VectorPrinter::first_lane(const std::string& memory, ExprId index, const Lanes& s) {
  return cat(memory, " + ", values_.value_at_first_lane(s.lane, index));
}

std::string VectorPrinter::first_lane(const Expr& read, const Lanes& s) {
  const char* const kind = read.kind == ExprKind::load_local ? "a" : "b";
  return first_lane(cat(kind, read.slot), read.operands[0], s);
}

/// The name of a vector that holds e for all lanes, printing what is missing.
std::string VectorPrinter::value(ExprId id, const Lanes& s) {
  if (const std::string* name = values_.vector(id)) return *name;
  const Expr& e = pool_[id];
  const DType d = s.dtype;
  if (!has_lanes(id, s.lane)) return text_.vector_call("splat", d, s.width, values_.value(id));
  if (e.kind == ExprKind::reg) return cat("r", e.slot);
  const std::string type = text_.vector_type(d, s.width);
  std::string text;
  if (!is_native(id, d, s.lane)) {
    const std::string array = values_.new_name("x");
    values_.line(cat(text_.value_type(d), " ", array, "[", s.width, "];"));
    for_lanes(s, {id},
              [&] { values_.line(cat(array, "[k", s.lane, "] = ", values_.value(id), ";")); });
    text = text_.vector_call("load", d, s.width, array);
  } else if (is_element(e.kind)) {
    text = text_.vector_call("load", d, s.width, first_lane(e, s));
  } else {
    text = row(e, s);
  }
  std::string name = values_.new_name("v");
  values_.line(cat("const ", type, " ", name, " = ", text, ";"));
  values_.remember_vector(id, name);
  return name;
}

std::string VectorPrinter::row(const Expr& e, const Lanes& s) {
  std::vector<std::string> x;
  for (std::size_t k = e.name == "select" ? 1 : 0; k < e.operands.size(); ++k)
    x.push_back(value(e.operands[k], s));
  if (e.name == "negate") return cat("-", x[0]);
  if (const char op = arithmetic(e.name)) return cat(x[0], " ", op, " ", x[1]);
  if (e.name != "select") return text_.vector_call(e.name, s.dtype, s.width, cat(x[0], ", ", x[1]));
  return text_.vector_call("choose", s.dtype, s.width,
                           cat(truth(e.operands[0], s), ", ", x[0], ", ", x[1]));
}

/// Truth values of all lanes, as integers of the elements' size whose bits are all alike.
std::string VectorPrinter::truth(ExprId id, const Lanes& s) {
  const Expr& e = pool_[id];
  if (!has_lanes(id, s.lane)) return text_.vector_call("same", s.dtype, s.width, values_.value(id));
  if (e.kind == ExprKind::load)
    return text_.vector_call("truth", s.dtype, s.width, first_lane(e, s));
  if (const std::string_view compared = comparison(e.name); !compared.empty()) {
    const std::string a = value(e.operands[0], s), b = value(e.operands[1], s);
    return cat("(", a, compared, b, ")");
  }
  const std::string_view sign = logic(e.name);
  const std::string a = truth(e.operands[0], s);
  if (e.operands.size() == 1) return cat(sign, a);
  return cat("(", a, sign, truth(e.operands[1], s), ")");
}

/// Puts the vectors that `id` is made of into arrays and names their elements.
void VectorPrinter::spread(ExprId id, const Lanes& s, bool is_certain) {
  if (!has_lanes(id, s.lane) || values_.is_known(id)) return;
  const Expr& e = pool_[id];
  const bool is_vector = e.kind == ExprKind::reg ||
                         (is_certain && (e.kind == ExprKind::apply || e.kind == ExprKind::load) &&
                          e.dtype == s.dtype && is_native(id, s.dtype, s.lane));
  if (is_vector) {
    const std::string v = value(id, s), array = values_.new_name("x");
    values_.line(cat(text_.value_type(s.dtype), " ", array, "[", s.width, "];"));
    values_.line(cat(text_.vector_call("store", s.dtype, s.width, cat(v, ", ", array)), ";"));
    return values_.set_lane(id, cat(array, "[k", s.lane, "]"));
  }
  for (std::size_t k = 0; k < e.operands.size(); ++k)
    spread(e.operands[k], s, is_certain && (e.kind != ExprKind::choose || k == 0));
}

/// Scalar code for each lane; vectors that `roots` are made of are elements of arrays in it.
void VectorPrinter::for_lanes(const Lanes& s, std::initializer_list<ExprId> roots,
                              const std::function<void()>& print_lane) {
  for (const ExprId id : roots) spread(id, s, true);
  values_.line(cat("for (", values_.style().index_type, " k", s.lane, " = 0; k", s.lane, " < ",
                   s.width, "; ++k", s.lane, ") {"));
  values_.open_scope();
  print_lane();
  values_.close_scope();
  values_.line("}");
  values_.end_lanes();
}

// --- Statements ---

void VectorPrinter::statement(const Stmt& s) {
  const Lanes lanes{.width = s.width, .lane = s.lane, .dtype = dtype_of(s).value()};
  std::visit([&](const auto& x) { print(x, lanes); }, s.what);
  if (as<Declare>(s) == nullptr) values_.forget(changes_of(s));
}

void VectorPrinter::print(const Declare& x, const Lanes& s) {
  values_.line(
      cat(text_.vector_type(x.dtype, s.width), " r", x.slot, " = ", value(x.value, s), ";"));
}

void VectorPrinter::print(const Assign& x, const Lanes& s) {
  values_.line(cat("r", x.slot, " = ", value(x.value, s), ";"));
}

void VectorPrinter::print(const MultiplyAdd& x, const Lanes& s) {
  const std::string r = cat("r", x.slot), a = value(x.a, s), b = value(x.b, s);
  values_.line(
      cat(r, " = ", text_.vector_call("fma", x.dtype, s.width, cat(a, ", ", b, ", ", r)), ";"));
}

void VectorPrinter::print(const AddLanes& x, const Lanes& s) {
  const std::string v = value(x.vector, s);
  const std::string r = cat("r", x.slot);
  const std::string parts[] = {r, text_.vector_call("sum", x.dtype, s.width, v)};
  values_.line(cat(r, " = ", text_.apply("add", x.dtype, parts), ";"));
}

void VectorPrinter::print(const Store& x, const Lanes& s) {
  const DType stored = values_.kernel().buffers[std::size_t(x.buffer)].dtype;
  store({.name = cat("b", x.buffer), .stored = stored, .dtype = x.dtype}, x.index, x.value, s);
}

void VectorPrinter::print(const StoreLocal& x, const Lanes& s) {
  store({.name = cat("a", x.array), .stored = x.dtype, .dtype = x.dtype}, x.index, x.value, s);
}

void VectorPrinter::store(const Memory& to, ExprId index, ExprId element, const Lanes& s) {
  const bool is_one = index_stride(pool_, index, s.lane) == 1 && to.stored == to.dtype &&
                      pool_[element].dtype == to.dtype;
  if (is_one) {
    const std::string v = value(element, s);
    values_.line(cat(
        text_.vector_call("store", to.dtype, s.width, cat(v, ", ", first_lane(to.name, index, s))),
        ";"));
    return;
  }
  for_lanes(s, {element, index}, [&] {
    const std::string v = values_.value(element), at = values_.value(index);
    values_.line(cat(text_.store(to.stored, to.name, at, v), ";"));
  });
}

void VectorPrinter::print(const StoreWide& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("vectors that are stored as one");
}

void VectorPrinter::print(const AtomicCombine& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("vectors that are combined at once");
}

void VectorPrinter::print(const LoadMatrices& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("matrices for the lanes of a vector");
}

void VectorPrinter::print(const MultiplyMatrices& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("matrices for the lanes of a vector");
}

void VectorPrinter::print(const Barrier& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("a barrier for the lanes of a vector");
}

void VectorPrinter::print(const Loop& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("a loop for the lanes of a vector");
}

void VectorPrinter::print(const When& /*x*/, const Lanes& /*s*/) {
  throw_internal_error("a branch for the lanes of a vector");
}

}  // namespace partita::kernel
