// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/text/parse_kernel.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernel/ast/statements.hpp"
#include "kernel/ast/verify.hpp"
#include "kernel/text/print_kernel.hpp"
#include "kernel/text/spelling.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/bounds.hpp"

namespace partita::kernel::text {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

class KernelParser {
 public:
  KernelParser(Scanner& in, std::string stem) : in_(in) { k_->stem = std::move(stem); }

  std::unique_ptr<Kernel> parse() {
    if (in_.sees_quote()) k_->comment = in_.quoted();
    const SourceLocation where = in_.where();
    in_.expect("{");
    parse_head();
    k_->body = parse_body();
    if (const auto problem = find_problem(*k_)) throw_user_error(*problem, where);
    return std::move(k_);
  }

 private:
  /// Calls `item` for each of a list with commas.
  template <class Item>
  void parse_list(const Item& item) {
    do item();
    while (in_.accept(","));
  }

  void parse_head() {
    if (in_.accept("buffers"))
      parse_list([&] {
        const DType d = parse_dtype_name(in_);
        BufferParam buffer{.dtype = d, .is_written = in_.accept("written")};
        if (in_.accept("aligned")) buffer.alignment = in_.integer();
        k_->buffers.push_back(buffer);
      });
    if (in_.accept("scalars")) parse_list([&] { parse_scalar(); });
    k_->next_variable = 0;
    if (in_.accept("variables")) parse_list([&] { parse_variable(); });
    if (in_.accept("registers")) k_->next_register = int(in_.integer());
    if (in_.accept("rows")) k_->row_variable = in_.numbered('k');
    if (in_.accept("groups")) {
      k_->group_variable = in_.numbered('k');
      in_.expect("of");
      k_->group_items = in_.integer();
    }
    if (in_.accept("arrays"))
      parse_list([&] {
        const DType d = parse_dtype_name(in_);
        in_.expect("[");
        k_->arrays.push_back({.dtype = d, .count = in_.integer()});
        in_.expect("]");
      });
    if (in_.accept("flags"))
      parse_list([&] {
        for (const auto& [flag, name] : kernel_flags)
          if (in_.accept(name)) return void(k_.get()->*flag = true);
        in_.fail("a flag of a kernel");
      });
  }
  /// The number of the next name, which must be `next`.
  void expect_next(char prefix, int next) {
    const SourceLocation where = in_.where();
    const int number = in_.numbered(prefix);
    if (number != next)
      throw_user_error(cat("expected ", prefix, next, ", found ", prefix, number), where);
  }
  void parse_scalar() {
    expect_next('s', k_->scalars);
    if (in_.accept("in")) {
      in_.expect("[");
      const std::int64_t low = in_.integer();
      in_.expect(",");
      k_->pool.set_scalar_bounds(k_->scalars, low, in_.integer());
      in_.expect("]");
    }
    ++k_->scalars;
  }
  void parse_variable() {
    expect_next('k', k_->next_variable);
    if (in_.accept("<")) k_->pool.set_extent(k_->next_variable, in_.integer());
    ++k_->next_variable;
  }

  // --- Statements ---

  Block parse_body() {
    const Scanner::Level level(in_);
    Block body;
    while (!in_.accept("}")) {
      if (in_.accept("plain"))
        parse_plain();
      else if (in_.accept("%"))
        define();
      else
        body.push_back(parse_statement());
    }
    return body;
  }

  /// What runs where there are no matrix units.
  void parse_plain() {
    in_.expect("{");
    KernelParser plain(in_, k_->stem);
    plain.parse_head();
    plain.k_->body = plain.parse_body();
    k_->plain = std::move(plain.k_);
  }

  Stmt parse_statement() {
    if (in_.accept("store")) return in_.sees_numbered('a') ? parse_local_store() : parse_store();
    if (in_.accept("barrier")) return {Barrier{in_.accept("late") ? int(in_.integer()) : 0}};
    if (in_.accept("combine")) return parse_combine();
    if (in_.accept("load_matrices")) return parse_load_matrices();
    if (in_.accept("multiply_matrices")) return parse_multiply_matrices();
    if (in_.accept("for")) return parse_loop();
    if (in_.accept("when")) {
      const ExprId condition = value();
      in_.expect("{");
      return when(condition, parse_body());
    }
    if (in_.accept("declare")) return with_lanes({parse_setting<Declare>()});
    if (in_.accept("assign")) return with_lanes({parse_setting<Assign>()});
    if (in_.accept("multiply_add")) {
      auto [slot, dtype, a] = parse_setting<Declare>("+=");
      in_.expect("*");
      return with_lanes({MultiplyAdd{slot, dtype, a, value()}});
    }
    if (in_.accept("add_lanes")) {
      Stmt s{parse_setting<AddLanes>("+=")};
      if (in_.accept("of")) s.width = int(in_.integer());
      return s;
    }
    in_.fail("a statement or an expression");
  }

  /// A register and what it is given.
  template <class T>
  T parse_setting(std::string_view sign = "=") {
    const std::int32_t slot = in_.numbered('r');
    in_.expect(":");
    const DType dtype = parse_dtype_name(in_);
    in_.expect(sign);
    return {slot, dtype, value()};
  }

  /// `b0[%1]` or `a0[%1]`: the number of a parameter or an array, and which element of it.
  struct Place {
    std::int32_t slot;
    ExprId index;
  };
  Place parse_place(char prefix, std::string_view what, std::size_t count) {
    const SourceLocation where = in_.where();
    const std::int32_t slot = in_.numbered(prefix);
    if (slot >= std::int32_t(count))
      throw_user_error(cat("expected one of ", count, " ", what, ", found ", prefix, slot), where);
    in_.expect("[");
    const ExprId index = value();
    in_.expect("]");
    return {slot, index};
  }
  Place parse_buffer_place() { return parse_place('b', "buffers", k_->buffers.size()); }
  Place parse_array_place() { return parse_place('a', "arrays", k_->arrays.size()); }

  Stmt parse_combine() {
    std::optional<Combiner> combiner;
    for (const CombinerInfo& one : combiner_infos)
      if (!combiner && in_.accept(one.name))
        combiner = find_combiner(&CombinerInfo::name, one.name);
    if (!combiner) in_.fail("a combiner");
    const Place to = parse_buffer_place();
    in_.expect("with");
    const ExprId combined = value();
    return {AtomicCombine{.buffer = to.slot,
                          .dtype = k_->pool[combined].dtype,
                          .combiner = *combiner,
                          .value = combined,
                          .index = to.index}};
  }

  Stmt parse_store() {
    const Place to = parse_buffer_place();
    in_.expect("=");
    std::vector<ExprId> stored;
    parse_list([&] { stored.push_back(value()); });
    const DType d = k_->pool[stored[0]].dtype;
    if (stored.size() > 1)
      return {
          StoreWide{.buffer = to.slot, .dtype = d, .values = std::move(stored), .index = to.index}};
    Stmt s =
        with_lanes({Store{.buffer = to.slot, .dtype = d, .value = stored[0], .index = to.index}});
    if (s.width > 1) as<Store>(s)->dtype = parse_dtype_name(in_);
    return s;
  }

  template <std::size_t n, class Item>
  auto parse_some(const Item& item) {
    std::array<decltype(item()), n> all;
    for (std::size_t k = 0; k < n; ++k) {
      if (k > 0) in_.expect(",");
      all[k] = item();
    }
    return all;
  }
  Stmt parse_load_matrices() {
    const auto slots = parse_some<4>([&] { return std::int32_t(in_.numbered('r')); });
    in_.expect("=");
    const Place from = parse_array_place();
    return {LoadMatrices{.slots = slots,
                         .array = from.slot,
                         .index = from.index,
                         .is_turned = in_.accept("turned")}};
  }
  Stmt parse_multiply_matrices() {
    MultiplyMatrices m{};
    m.sums = parse_some<4>([&] { return std::int32_t(in_.numbered('r')); });
    in_.expect("+=");
    m.a = parse_some<4>([&] { return value(); });
    in_.expect("*");
    m.b = parse_some<2>([&] { return value(); });
    m.dtype = parse_suffix();
    return {m};
  }

  Stmt parse_local_store() {
    const Place to = parse_array_place();
    in_.expect("=");
    const ExprId stored = value();
    if (in_.accept(",")) {
      std::vector<ExprId> values{stored};
      parse_list([&] { values.push_back(value()); });
      return {StoreWide{.buffer = to.slot,
                        .dtype = k_->pool[stored].dtype,
                        .values = std::move(values),
                        .index = to.index,
                        .is_local = true}};
    }
    return with_lanes({StoreLocal{.array = to.slot,
                                  .dtype = k_->pool[stored].dtype,
                                  .value = stored,
                                  .index = to.index,
                                  .is_ahead = in_.accept("ahead")}});
  }

  /// What a statement does for all lanes of a vector at once.
  Stmt with_lanes(Stmt s) {
    if (in_.accept("over")) {
      s.lane = in_.numbered('k');
      if (!in_.sees("of")) in_.fail("'of'");
    }
    if (in_.accept("of")) s.width = int(in_.integer());
    return s;
  }

  Stmt parse_loop() {
    Loop l{.variable = in_.numbered('k'), .end = scalar::no_expr};
    if (in_.accept("from")) l.begin = value();
    in_.expect("to");
    l.end = value();
    if (in_.accept("step")) l.step = in_.integer();
    l.is_parallel = in_.accept("parallel");
    in_.expect("{");
    l.body = parse_body();
    return {std::move(l)};
  }

  // --- Expressions ---

  ExprId value() {
    in_.expect("%");
    const SourceLocation where = in_.where();
    const std::int64_t number = in_.integer();
    if (number < 0 || number >= std::int64_t(values_.size()))
      throw_user_error(cat("expected an expression that is defined, found %", number), where);
    return values_[std::size_t(number)];
  }

  void define() {
    const SourceLocation where = in_.where();
    const std::int64_t number = in_.integer();
    if (number != std::int64_t(values_.size()))
      throw_user_error(cat("expected %", values_.size(), ", found %", number), where);
    in_.expect("=");
    Expr e = parse_expression();
    if (const auto problem = find_problem(k_->pool, e)) throw_user_error(*problem, where);
    values_.push_back(k_->pool.restore(std::move(e)));
  }

  Expr parse_expression() {
    if (in_.sees_number())
      return {.kind = ExprKind::index_constant, .bits = std::uint64_t(in_.integer())};
    if (in_.sees("%")) return parse_infix();
    if (in_.accept("item")) return {.kind = ExprKind::index_variable, .slot = unbounded_item};
    if (in_.sees_numbered('k'))
      return {.kind = ExprKind::index_variable, .slot = in_.numbered('k')};
    if (in_.sees_numbered('s')) return {.kind = ExprKind::index_scalar, .slot = in_.numbered('s')};
    if (in_.sees_numbered('r')) {
      Expr e{.kind = ExprKind::reg, .slot = in_.numbered('r')};
      e.dtype = parse_suffix();
      return e;
    }
    if (in_.accept("constant")) return parse_constant();
    if (in_.accept("convert")) return parse_conversion(ExprKind::convert);
    if (in_.accept("bitcast")) return parse_conversion(ExprKind::bitcast);
    if (in_.accept("element")) {
      const ExprId index = value();
      return {.kind = ExprKind::from_index, .dtype = parse_suffix(), .operands = {index}};
    }
    if (in_.accept("index")) return {.kind = ExprKind::to_index, .operands = {value()}};
    if (in_.accept("load")) return parse_load();
    return parse_call();
  }

  DType parse_suffix() {
    in_.expect(":");
    return parse_dtype_name(in_);
  }

  Expr parse_infix() {
    const ExprId a = value();
    for (const auto& [kind, symbol] : infix_indices)
      if (in_.accept(symbol)) {
        const bool is_test = !scalar::is_index(kind);
        return {.kind = kind, .dtype = is_test ? DType::i1 : DType::i64, .operands = {a, value()}};
      }
    in_.fail("an operator on indices");
  }

  Expr parse_constant() {
    const SourceLocation where = in_.where();
    const std::string text = in_.word();
    const DType d = parse_suffix();
    const auto bits = constant_bits(d, text);
    if (!bits)
      throw_user_error(cat("expected an element of ", to_string(d), ", found ", text), where);
    return {.kind = ExprKind::constant, .dtype = d, .bits = *bits};
  }

  Expr parse_conversion(ExprKind kind) {
    const ExprId x = value();
    in_.expect("to");
    return {
        .kind = kind, .dtype = parse_dtype_name(in_), .source = k_->pool[x].dtype, .operands = {x}};
  }

  Expr parse_load() {
    const bool is_local = in_.sees_numbered('a');
    const Place from = is_local ? parse_array_place() : parse_buffer_place();
    Expr e{.kind = is_local ? ExprKind::load_local : ExprKind::load,
           .dtype = is_local ? k_->arrays[std::size_t(from.slot)].dtype
                             : k_->buffers[std::size_t(from.slot)].dtype,
           .slot = from.slot,
           .operands = {from.index}};
    if (is_local || !in_.sees_number()) return e;
    const std::int64_t lane = in_.integer();
    in_.expect("of");
    e.kind = ExprKind::load_wide;
    e.bits = std::uint64_t(lane) | std::uint64_t(in_.integer()) << 8;
    return e;
  }

  /// choose, min, max, or a row of the elementwise table.
  Expr parse_call() {
    const SourceLocation where = in_.where();
    const std::string name = in_.name();
    std::vector<ExprId> operands;
    in_.expect("(");
    parse_list([&] { operands.push_back(value()); });
    in_.expect(")");
    if (name == "min") return {.kind = ExprKind::index_min, .operands = std::move(operands)};
    if (name == "max") return {.kind = ExprKind::index_max, .operands = std::move(operands)};
    if (name == "choose") {
      const DType d = operands.size() > 1 ? k_->pool[operands[1]].dtype : DType::i64;
      return {.kind = ExprKind::choose, .dtype = d, .operands = std::move(operands)};
    }
    const auto rows = scalar::elementwise_rows();
    const auto row =
        std::ranges::find_if(rows, [&](const scalar::ElementwiseRow& r) { return r.name == name; });
    if (row == rows.end())
      throw_user_error(cat("expected an expression, found '", name, "'"), where);
    const DType source = parse_suffix();
    return {.kind = ExprKind::apply,
            .dtype = scalar::result_dtype(row->signature, source),
            .source = source,
            .name = row->name,
            .operands = std::move(operands)};
  }

  Scanner& in_;
  std::unique_ptr<Kernel> k_ = std::make_unique<Kernel>();
  std::vector<ExprId> values_;
};

}  // namespace

KernelName parse_kernel_name(Scanner& in) {
  in.expect("@");
  KernelName result{in.name()};
  in.expect(".");
  result.number = in.integer();
  return result;
}

DType parse_dtype_name(Scanner& in) {
  const SourceLocation where = in.where();
  const std::string name = in.name();
  for (const DType d : all_dtypes)
    if (info(d).name == name) return d;
  throw_user_error(cat("expected an element type, found '", name, "'"), where);
}

std::unique_ptr<Kernel> parse_kernel(Scanner& in, std::string stem) {
  return KernelParser(in, std::move(stem)).parse();
}

}  // namespace partita::kernel::text
