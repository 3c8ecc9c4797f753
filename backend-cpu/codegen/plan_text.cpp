// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/plan_text.hpp"

#include <limits>
#include <variant>

#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

std::string_view plan_text_support() {
  return R"(static inline i64 least(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 most(i64 a, i64 b) { return a > b ? a : b; }
)";
}

std::string c_number(std::int64_t n) {
  if (n == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807L - 1)";
  return n < 0 ? cat("(", n, "L)") : cat(n, "L");
}

std::string PlanText::value(const HostExpr& e) const {
  if (e.is_constant()) return c_number(e.value());
  if (e.kind() == HostExpr::Kind::variable) return cat("x", e.value());
  const std::string a = value(e.operands()[0]), b = value(e.operands()[1]);
  switch (e.kind()) {
    case HostExpr::Kind::add:
      return cat("(", a, " + ", b, ")");
    case HostExpr::Kind::sub:
      return cat("(", a, " - ", b, ")");
    case HostExpr::Kind::mul:
      return cat("(", a, " * ", b, ")");
    case HostExpr::Kind::div:
      return cat("(", a, " / ", b, ")");
    case HostExpr::Kind::mod:
      return cat("(", a, " % ", b, ")");
    case HostExpr::Kind::min:
      return cat("least(", a, ", ", b, ")");
    default:
      return cat("most(", a, ", ", b, ")");
  }
}

std::string PlanText::address(const BufferRef& ref) const {
  const std::size_t width = byte_size(plan_.buffers[std::size_t(ref.buffer)].dtype);
  if (ref.offset.is_constant())
    return ref.offset.value() == 0
               ? base(ref.buffer)
               : cat(base(ref.buffer), " + ", c_number(ref.offset.value() * std::int64_t(width)));
  return cat(base(ref.buffer), " + ", value(ref.offset), " * ", width);
}

void PlanText::line(const std::string& text) {
  out_.append(2 * std::size_t(depth_), ' ').append(text).append("\n");
}

void PlanText::steps(const Steps& list) {
  for (const Step& s : list) std::visit([&](const auto& what) { step(what); }, s.what);
}

void PlanText::step(const Launch& x) {
  if (x.global[0] == HostExpr(0)) return;
  if (x.global[1] != HostExpr(1) || x.global[2] != HostExpr(1))
    throw_internal_error("the cpu backend runs work-items of one dimension");
  std::string buffers, offsets, scalars;
  for (const BufferRef& ref : x.buffers) {
    buffers += cat(buffers.empty() ? "" : ", ", base(ref.buffer));
    offsets += cat(offsets.empty() ? "" : ", ", value(ref.offset));
  }
  for (const ScalarArg& s : x.scalars) scalars += cat(scalars.empty() ? "" : ", ", value(s.value));
  line("{");
  ++depth_;
  line(cat("void* const b[] = {", buffers.empty() ? "0" : buffers, "};"));
  line(cat("const i64 o[] = {", offsets.empty() ? "0" : offsets, "};"));
  line(cat("const i64 s[] = {", scalars.empty() ? "0" : scalars, "};"));
  line(cat("const i64 items = ", value(x.global[0]), ";"));
  line("if (items > 0) {");
  ++depth_;
  call(artifact_.kernels[std::size_t(x.kernel)].name);
  --depth_;
  line("}");
  --depth_;
  line("}");
}

void PlanText::step(const Copy& x) { copy(x.from, x.to, x.count); }
void PlanText::copy(const BufferRef& from, const BufferRef& to, const HostExpr& count) {
  const std::size_t width = byte_size(plan_.buffers[std::size_t(from.buffer)].dtype);
  line(cat("__builtin_memmove(", address(to), ", ", address(from), ", ", value(count), " * ", width,
           ");"));
}

void PlanText::step(const For& x) {
  const int id = next_++;
  line("{");
  ++depth_;
  line(cat("const i64 end", id, " = ", value(x.end), ";"));
  // Else the next value may lie beyond 64 bits.
  constexpr std::int64_t limit = std::int64_t(1) << 62;
  const bool is_plain = x.end.is_constant() && x.end.value() < limit && x.step < limit;
  const std::string advance = cat("at", id, " += ", c_number(x.step));
  line(cat("for (i64 at", id, " = ", value(x.begin), "; at", id, " < end", id, "; ",
           is_plain ? advance : "", ") {"));
  ++depth_;
  line(cat("x", x.variable, " = at", id, ";"));
  steps(x.body);
  if (!is_plain) {
    line(cat("if (", c_number(x.step), " >= end", id, " - at", id, ") break;"));
    line(advance + ";");
  }
  --depth_;
  line("}");
  --depth_;
  line("}");
}

std::string PlanText::flag(const BufferRef& ref) const {
  return cat("*(const ui8*)(", address(ref), ")");
}

void PlanText::step(const While& x) {
  line("for (;;) {");
  ++depth_;
  steps(x.condition);
  line(cat("if (!", flag(x.predicate), ") break;"));
  steps(x.body);
  --depth_;
  line("}");
}

void PlanText::step(const Case& x) {
  const std::size_t last = x.branches.size() - 1;
  const bool is_flag = x.index_dtype == DType::i1;
  line(cat("switch (",
           is_flag ? cat(flag(x.index), " ? 0 : 1") : cat("*(const i32*)(", address(x.index), ")"),
           ") {"));
  for (std::size_t b = 0; b <= last; ++b)
    nested(b == last ? "default:" : cat("case ", b, ":"), x.branches[b], "break;");
  line("}");
}

void PlanText::nested(const std::string& head, const Steps& body, const std::string& tail) {
  line(head + " {");
  ++depth_;
  steps(body);
  line(tail);
  --depth_;
  line("}");
}

}  // namespace partita::cpu::codegen
