// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/text/print_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "kernel/ast/expressions.hpp"
#include "kernel/text/lines.hpp"
#include "kernel/text/quote.hpp"
#include "kernel/text/spelling.hpp"
#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"

namespace partita::kernel::text {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

std::string variable_name(std::int32_t slot) {
  return slot == unbounded_item ? "item" : cat("k", slot);
}

class KernelPrinter : Lines {
 public:
  explicit KernelPrinter(const Kernel& kernel) : k_(kernel), pool_(kernel.pool) {
    used_ = reachable(pool_, kernel.body);
    std::ranges::sort(used_);
    for (std::size_t i = 0; i < used_.size(); ++i) names_[used_[i]] = i;
  }

  std::string print(const std::string& name) {
    line("kernel ", name, k_.comment.empty() ? "" : " ",
         k_.comment.empty() ? "" : quote(k_.comment), " {");
    indented([&] {
      print_head();
      print(k_.body);
      if (k_.plain != nullptr) append(KernelPrinter(*k_.plain).print_plain());
    });
    line("}");
    return take();
  }

 private:
  /// As a part of the kernel that it stands in for.
  std::string print_plain() {
    indented([&] {
      line("plain {");
      indented([&] {
        print_head();
        print(k_.body);
      });
      line("}");
    });
    return take();
  }

  void print_head() {
    std::string list;
    const auto add = [&](const std::string& item) { list += cat(list.empty() ? "" : ", ", item); };
    const auto print_list = [&](std::string_view what) {
      if (!list.empty()) line(what, " ", list);
      list.clear();
    };
    for (const BufferParam& b : k_.buffers)
      add(cat(info(b.dtype).name, b.is_written ? " written" : "",
              b.alignment > 1 ? cat(" aligned ", b.alignment) : std::string()));
    print_list("buffers");
    for (int s = 0; s < k_.scalars; ++s) {
      const ExprPool::Bounds b = pool_.scalar_bounds(s);
      const bool is_bounded = b.low > -ExprPool::unbounded || b.high < ExprPool::unbounded;
      add(is_bounded ? cat("s", s, " in [", b.low, ", ", b.high, "]") : cat("s", s));
    }
    print_list("scalars");
    for (int v = 0; v < k_.next_variable; ++v) {
      const std::int64_t extent = pool_.extent(v);
      add(extent < ExprPool::unbounded ? cat("k", v, " < ", extent) : cat("k", v));
    }
    print_list("variables");
    if (k_.next_register > 0) line("registers ", k_.next_register);
    if (k_.row_variable >= 0) line("rows k", k_.row_variable);
    if (k_.group_items > 0) line("groups k", k_.group_variable, " of ", k_.group_items);
    for (const LocalArray& a : k_.arrays) add(cat(info(a.dtype).name, "[", a.count, "]"));
    print_list("arrays");
    for (const auto& [flag, name] : kernel_flags)
      if (k_.*flag) add(std::string(name));
    print_list("flags");
  }

  /// Defines what `s` asks for, and everything that was made before it.
  void define_up_to(ExprId id) {
    for (; next_ < used_.size() && used_[next_] <= id; ++next_)
      line("%", next_, " = ", text(pool_[used_[next_]]));
  }
  [[nodiscard]] std::string name(ExprId id) const { return cat("%", names_.at(id)); }

  [[nodiscard]] std::string operands(const Expr& e) const {
    std::string list;
    for (const ExprId x : e.operands) list += cat(list.empty() ? "" : ", ", name(x));
    return cat("(", list, ")");
  }

  [[nodiscard]] std::string text(const Expr& e) const {
    const auto dtype = [](DType d) { return info(d).name; };
    switch (e.kind) {
      case ExprKind::constant:
        return cat("constant ", constant_text(e.dtype, e.bits), " : ", dtype(e.dtype));
      case ExprKind::apply:
        return cat(e.name, operands(e), " : ", dtype(e.source));
      case ExprKind::convert:
      case ExprKind::bitcast:
        return cat(e.kind == ExprKind::convert ? "convert " : "bitcast ", name(e.operands[0]),
                   " to ", dtype(e.dtype));
      case ExprKind::choose:
        return cat("choose", operands(e));
      case ExprKind::load:
        return cat("load b", e.slot, "[", name(e.operands[0]), "]");
      case ExprKind::load_wide:
        return cat("load b", e.slot, "[", name(e.operands[0]), "] ", wide_lane(e).lane, " of ",
                   wide_lane(e).width);
      case ExprKind::load_local:
        return cat("load a", e.slot, "[", name(e.operands[0]), "]");
      case ExprKind::reg:
        return cat("r", e.slot, " : ", dtype(e.dtype));
      case ExprKind::from_index:
        return cat("element ", name(e.operands[0]), " : ", dtype(e.dtype));
      case ExprKind::to_index:
        return cat("index ", name(e.operands[0]));
      case ExprKind::index_constant:
        return cat(std::int64_t(e.bits));
      case ExprKind::index_variable:
        return variable_name(e.slot);
      case ExprKind::index_scalar:
        return cat("s", e.slot);
      case ExprKind::index_min:
      case ExprKind::index_max:
        return cat(e.kind == ExprKind::index_min ? "min" : "max", operands(e));
      default:
        break;
    }
    for (const auto& [kind, symbol] : infix_indices)
      if (kind == e.kind) return cat(name(e.operands[0]), " ", symbol, " ", name(e.operands[1]));
    throw_internal_error("an expression without text");
  }

  void print(const Block& stmts) {
    for (const Stmt& s : stmts) print(s);
  }

  void print(const Stmt& s) {
    for (const ExprId e : roots_of(s)) define_up_to(e);
    std::visit([&](const auto& x) { print(x, s); }, s.what);
  }

  static std::string lanes_text(const Stmt& s) {
    return s.width == 1 ? "" : cat(" over k", s.lane, " of ", s.width);
  }
  template <class T>
  [[nodiscard]] static std::string register_text(const T& x) {
    return cat("r", x.slot, " : ", info(x.dtype).name);
  }
  void print(const Declare& x, const Stmt& s) {
    line("declare ", register_text(x), " = ", name(x.value), lanes_text(s));
  }
  void print(const Assign& x, const Stmt& s) {
    line("assign ", register_text(x), " = ", name(x.value), lanes_text(s));
  }
  void print(const MultiplyAdd& x, const Stmt& s) {
    line("multiply_add ", register_text(x), " += ", name(x.a), " * ", name(x.b), lanes_text(s));
  }
  void print(const AddLanes& x, const Stmt& s) {
    line("add_lanes ", register_text(x), " += ", name(x.vector),
         s.width == 1 ? "" : cat(" of ", s.width));
  }
  void print(const Store& x, const Stmt& s) {
    line("store b", x.buffer, "[", name(x.index), "] = ", name(x.value), lanes_text(s),
         s.width == 1 ? "" : cat(" ", info(x.dtype).name));
  }
  void print(const StoreWide& x, const Stmt& /*s*/) {
    std::string values;
    for (const ExprId v : x.values) values += cat(values.empty() ? "" : ", ", name(v));
    line("store ", x.is_local ? "a" : "b", x.buffer, "[", name(x.index), "] = ", values);
  }
  void print(const AtomicCombine& x, const Stmt& /*s*/) {
    line("combine ", to_string(x.combiner), " b", x.buffer, "[", name(x.index), "] with ",
         name(x.value));
  }
  void print(const LoadMatrices& x, const Stmt& /*s*/) {
    std::string registers;
    for (const std::int32_t slot : x.slots) registers += cat(registers.empty() ? "r" : ", r", slot);
    line("load_matrices ", registers, " = a", x.array, "[", name(x.index), "]",
         x.is_turned ? " turned" : "");
  }
  void print(const MultiplyMatrices& x, const Stmt& /*s*/) {
    std::string sums, a, b;
    for (const std::int32_t slot : x.sums) sums += cat(sums.empty() ? "r" : ", r", slot);
    for (const ExprId e : x.a) a += cat(a.empty() ? "" : ", ", name(e));
    for (const ExprId e : x.b) b += cat(b.empty() ? "" : ", ", name(e));
    line("multiply_matrices ", sums, " += ", a, " * ", b, " : ", info(x.dtype).name);
  }
  void print(const StoreLocal& x, const Stmt& s) {
    line("store a", x.array, "[", name(x.index), "] = ", name(x.value), lanes_text(s),
         x.is_ahead ? " ahead" : "");
  }
  void print(const Barrier& x, const Stmt& /*s*/) {
    line("barrier", x.late > 0 ? cat(" late ", x.late) : std::string());
  }
  void print(const When& x, const Stmt& /*s*/) {
    line("when ", name(x.condition), " {");
    print_body(x.body);
  }
  void print(const Loop& x, const Stmt& /*s*/) {
    line("for ", variable_name(x.variable),
         x.begin == no_expr ? std::string() : cat(" from ", name(x.begin)), " to ", name(x.end),
         x.step == 1 ? std::string() : cat(" step ", x.step), x.is_parallel ? " parallel" : "",
         " {");
    print_body(x.body);
  }
  void print_body(const Block& body) {
    indented([&] { print(body); });
    line("}");
  }

  const Kernel& k_;
  const ExprPool& pool_;
  std::vector<ExprId> used_;  ///< ascending
  std::map<ExprId, std::size_t> names_;
  std::size_t next_ = 0;  ///< of used_, to be defined
};

}  // namespace

std::string constant_text(DType d, std::uint64_t bits) {
  const auto hex = [&] {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, bits, 16);
    return cat("0x", std::string_view(digits, std::size_t(end - digits)));
  };
  if (d == DType::i1) return bits == 0 ? "false" : bits == 1 ? "true" : hex();
  if (!is_integer(d) && !is_float(d)) return hex();
  HostArray scalar(Type::scalar(d));
  std::memcpy(scalar.bytes.data(), &bits, scalar.bytes.size());
  char digits[32];
  if (is_integer(d)) {
    const std::int64_t value = *convert(scalar, DType::i64).data<DType::i64>();
    if (constant_bits(d, cat(value)) != bits) return hex();
    return cat(value);
  }
  const double value = *convert(scalar, DType::f64).data<DType::f64>();
  const auto [end, error] = d == DType::f64
                                ? std::to_chars(digits, digits + sizeof digits, value)
                                : std::to_chars(digits, digits + sizeof digits, float(value));
  const std::string text(digits, end);
  return constant_bits(d, text) == bits ? text : hex();
}

std::optional<std::uint64_t> constant_bits(DType d, std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size();
  std::uint64_t bits = 0;
  if (text.starts_with("0x")) {
    const auto [next, error] = std::from_chars(begin + 2, end, bits, 16);
    const bool fits = byte_size(d) >= 8 || bits >> (8 * byte_size(d)) == 0;
    if (error != std::errc{} || next != end || !fits) return std::nullopt;
    return bits;
  }
  if (d == DType::i1) {
    if (text != "true" && text != "false") return std::nullopt;
    return text == "true" ? 1 : 0;
  }
  HostArray wide(Type::scalar(is_integer(d) ? DType::i64 : DType::f64));
  if (is_integer(d)) {
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || next != end) return std::nullopt;
    *wide.data<DType::i64>() = value;
  } else if (is_float(d)) {
    double value = 0;
    const auto [next, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || next != end) return std::nullopt;
    *wide.data<DType::f64>() = value;
  } else {
    return std::nullopt;
  }
  const HostArray element = convert(wide, d);
  std::memcpy(&bits, element.bytes.data(), element.bytes.size());
  return bits;
}

std::string print_kernel(const Kernel& kernel, const std::string& name) {
  return KernelPrinter(kernel).print(name);
}

}  // namespace partita::kernel::text
