// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>
#include <utility>

#include "kernel/ast/verify.hpp"
#include "kernel/text/draft_text.hpp"
#include "kernel/text/parse_kernel.hpp"
#include "kernel/text/print_kernel.hpp"
#include "kernel/text/quote.hpp"
#include "kernel/text/scanner.hpp"
#include "kernel/text/spelling.hpp"

namespace partita::kernel {
namespace {

using text::KernelName;
using text::parse_dtype_name;
using text::Scanner;

class DraftParser {
 public:
  DraftParser(std::string_view text, const std::string& file) : in_(text, file) {}

  PlanDraft parse() {
    const SourceLocation begin = in_.where();
    while (!in_.accept("steps")) parse_declaration();
    in_.expect("{");
    plan_.steps = parse_steps();
    if (!in_.is_at_end()) in_.fail("the end after the steps");
    if (const auto problem = find_problem(draft_)) throw_user_error(*problem, begin);
    return std::move(draft_);
  }

 private:
  void parse_declaration() {
    if (in_.accept("count")) {
      const std::string name = in_.quoted();
      draft_.counts[name] = in_.integer();
    } else if (in_.accept("contraction")) {
      const std::string name = in_.quoted();
      draft_.contractions[name] = in_.quoted();
    } else if (in_.accept("variable")) {
      expect_next('v', plan_.variables.size());
      plan_.variables.push_back(in_.quoted());
    } else if (in_.accept("placement")) {
      parse_placement();
    } else if (in_.accept("mesh")) {
      MeshAxis axis{.name = in_.quoted()};
      axis.size = in_.integer();
      plan_.mesh.push_back(std::move(axis));
    } else if (in_.accept("shard")) {
      plan_.mesh_variable = in_.numbered('v');
    } else if (in_.accept("groups")) {
      plan_.groups.push_back(parse_lists());
    } else if (in_.accept("input")) {
      plan_.inputs.push_back(parse_port());
    } else if (in_.accept("output")) {
      plan_.outputs.push_back(parse_port());
    } else if (in_.accept("donor")) {
      parse_donor();
    } else if (in_.accept("constant")) {
      parse_constant();
    } else if (in_.accept("buffer")) {
      parse_buffer();
    } else if (in_.accept("arena")) {
      plan_.arena_bytes = in_.integer();
      draft_.has_places = true;
    } else if (in_.accept("requests")) {
      plan_.requests = int(in_.integer());
    } else if (in_.accept("kernel")) {
      parse_kernel();
    } else {
      in_.fail("a declaration or the steps");
    }
  }

  void expect_next(char prefix, std::size_t next) {
    const SourceLocation where = in_.where();
    const int number = in_.numbered(prefix);
    if (std::size_t(number) != next)
      throw_user_error(cat("expected ", prefix, next, ", found ", prefix, number), where);
  }

  void parse_placement() {
    Placement p{.name = in_.quoted()};
    p.size = in_.integer();
    if (in_.accept("from")) {
      p.begin_variable = in_.numbered('v');
      in_.expect("to");
      p.end_variable = in_.numbered('v');
    }
    plan_.placements.push_back(std::move(p));
  }

  std::vector<std::vector<int>> parse_lists() {
    std::vector<std::vector<int>> lists;
    in_.expect("[");
    while (!in_.accept("]")) {
      std::vector<int>& list = lists.emplace_back();
      in_.expect("[");
      while (!in_.accept("]")) {
        list.push_back(int(in_.integer()));
        if (!in_.sees("]")) in_.expect(",");
      }
      if (!in_.sees("]")) in_.expect(",");
    }
    return lists;
  }

  Type parse_type() {
    Type type{.dtype = parse_dtype_name(in_), .dims = {}};
    in_.expect("[");
    if (in_.accept("]")) return type;
    do type.dims.push_back(in_.integer());
    while (in_.accept(","));
    in_.expect("]");
    return type;
  }

  PortInfo parse_port() {
    PortInfo port{.name = in_.quoted()};
    in_.expect(":");
    port.type = parse_type();
    if (in_.accept("over")) {
      const SourceLocation where = in_.where();
      const std::string name = in_.quoted();
      const auto it = std::ranges::find(plan_.placements, name, &Placement::name);
      if (it == plan_.placements.end())
        throw_user_error(cat("expected the name of a placement, found \"", name, "\""), where);
      port.placement = int(it - plan_.placements.begin());
    }
    if (in_.accept("cut")) port.axes = parse_lists();
    port.is_donated = in_.accept("donated");
    return port;
  }

  void parse_donor() {
    in_.expect("of");
    in_.expect("output");
    const SourceLocation where = in_.where();
    const std::int64_t output = in_.integer();
    if (output < 0 || output >= std::int64_t(plan_.outputs.size()))
      throw_user_error(cat("expected a number of an output before, found ", output), where);
    in_.expect("input");
    plan_.donors.resize(plan_.outputs.size(), -1);
    plan_.donors[std::size_t(output)] = int(in_.integer());
  }

  void parse_constant() {
    const SourceLocation where = in_.where();
    const Type type = parse_type();
    in_.expect("=");
    const std::string text = in_.word();
    const auto bytes = checked_bytes(type);
    if (!bytes || !text.starts_with("0x") || text.size() != 2 + 2 * std::size_t(*bytes))
      throw_user_error(cat("expected 0x and the bytes of ", to_string(type), ", found ",
                           text.size(), " characters"),
                       where);
    HostArray array(type);
    const auto digit = [&](char c) {
      const auto at = text::hex_digits.find(c);
      if (at == std::string_view::npos)
        throw_user_error(cat("expected hexadecimal digits, found '", c, "'"), where);
      return at;
    };
    for (std::size_t i = 0; i < array.bytes.size(); ++i)
      array.bytes[i] = std::byte(16 * digit(text[2 + 2 * i]) + digit(text[3 + 2 * i]));
    draft_.constants.push_back(std::move(array));
  }

  void parse_buffer() {
    expect_next('b', plan_.buffers.size());
    Buffer b;
    const auto kind =
        std::ranges::find_if(text::buffer_kinds, [&](std::string_view k) { return in_.accept(k); });
    if (kind == text::buffer_kinds.end()) in_.fail("a kind of buffer");
    b.kind = BufferKind(kind - text::buffer_kinds.begin());
    if (in_.sees_number()) b.index = int(in_.integer());
    if (in_.accept("at")) b.arena_offset = in_.integer();
    in_.expect(":");
    b.dtype = parse_dtype_name(in_);
    in_.expect("[");
    b.count = parse_host();
    in_.expect("]");
    b.name = in_.quoted();
    plan_.buffers.push_back(std::move(b));
  }

  void parse_kernel() {
    const SourceLocation where = in_.where();
    const KernelName name = text::parse_kernel_name(in_);
    if (name.number != std::int64_t(draft_.kernels.size()))
      throw_user_error(cat("expected number ", draft_.kernels.size(), ", found ", name.number),
                       where);
    draft_.kernels.push_back(text::parse_kernel(in_, name.stem));
  }

  // --- Expressions and references ---

  HostExpr parse_host() {
    const Scanner::Level level(in_);
    if (in_.sees_number()) return in_.integer();
    if (in_.sees_numbered('v')) return HostExpr::variable(in_.numbered('v'));
    if (in_.sees("min") || in_.sees("max")) {
      const bool is_min = in_.name() == "min";
      in_.expect("(");
      HostExpr a = parse_host();
      in_.expect(",");
      HostExpr b = parse_host();
      in_.expect(")");
      return HostExpr::binary(is_min ? HostExpr::Kind::min : HostExpr::Kind::max, std::move(a),
                              std::move(b));
    }
    in_.expect("(");
    HostExpr a = parse_host();
    for (const auto& [kind, symbol] : text::infix_host)
      if (in_.accept(symbol)) {
        HostExpr b = parse_host();
        in_.expect(")");
        return HostExpr::binary(kind, std::move(a), std::move(b));
      }
    in_.fail("an operator");
  }

  BufferRef parse_ref() {
    BufferRef r{.buffer = in_.numbered('b'), .offset = {}};
    if (in_.accept("[")) {
      r.offset = parse_host();
      in_.expect("]");
    }
    return r;
  }

  // --- Steps ---

  Steps parse_steps() {
    const Scanner::Level level(in_);
    Steps steps;
    while (!in_.accept("}")) steps.push_back(parse_step());
    return steps;
  }

  /// What follows may name a step: its own name is the last.
  Step parse_step() {
    if (in_.accept("launch")) return parse_launch();
    if (in_.accept("gemm")) return parse_gemm();
    if (in_.accept("convolve")) return parse_convolve();
    if (in_.accept("copy")) return parse_copy();
    if (in_.accept("for")) return parse_for();
    if (in_.accept("while")) return parse_while();
    if (in_.accept("case")) return parse_case();
    if (in_.accept("all_reduce")) return parse_all_reduce();
    if (in_.accept("all_gather")) return parse_all_gather();
    if (in_.accept("group")) return parse_group();
    if (in_.accept("host")) return parse_host_call();
    if (in_.accept("function")) return parse_function_call();
    if (in_.accept("done")) {
      CollectiveDone done{int(in_.integer())};
      return {done, in_.quoted()};
    }
    if (in_.accept("check")) {
      Check check{.condition = parse_ref(), .message = {}};
      check.message = in_.quoted();
      return {std::move(check), in_.quoted()};
    }
    in_.fail("a step");
  }

  Step parse_launch() {
    const SourceLocation where = in_.where();
    const KernelName kernel = text::parse_kernel_name(in_);
    if (kernel.number < 0 || kernel.number >= std::int64_t(draft_.kernels.size()) ||
        draft_.kernels[std::size_t(kernel.number)]->stem != kernel.stem)
      throw_user_error(
          cat("expected a kernel that is declared, found @", kernel.stem, ".", kernel.number),
          where);
    Launch l{.kernel = int(kernel.number)};
    in_.expect("(");
    while (!in_.accept(")")) {
      if (in_.sees_numbered('b')) {
        l.buffers.push_back(parse_ref());
      } else {
        const DType d = parse_dtype_name(in_);
        l.scalars.push_back({d, parse_host()});
      }
      if (!in_.sees(")")) in_.expect(",");
    }
    in_.expect("over");
    for (std::size_t d = 0; d < 3; ++d) {
      if (d > 0) in_.expect(",");
      l.global[d] = parse_host();
    }
    if (in_.accept("groups"))
      for (std::size_t d = 0; d < 3; ++d) {
        if (d > 0) in_.expect(",");
        l.local[d] = in_.integer();
      }
    return {std::move(l), in_.quoted()};
  }

  struct Matrix {
    BufferRef at;
    bool is_transposed = false;
    std::int64_t row = 0, stride = 0;
  };
  Matrix parse_matrix() {
    Matrix m{.at = parse_ref()};
    m.is_transposed = in_.accept("transposed");
    in_.expect("by");
    m.row = in_.integer();
    if (in_.accept("stride")) m.stride = in_.integer();
    return m;
  }
  double parse_number() {
    const SourceLocation where = in_.where();
    const std::string word = in_.word();
    const auto bits = text::constant_bits(DType::f64, word);
    if (!bits) throw_user_error(cat("expected a number, found ", word), where);
    return std::bit_cast<double>(*bits);
  }

  Step parse_gemm() {
    Gemm g{.dtype = parse_dtype_name(in_)};
    if (in_.accept("of")) {
      in_.expect("bf16");
      g.reads_bf16 = true;
    }
    g.m = in_.integer();
    in_.expect(",");
    g.n = in_.integer();
    in_.expect(",");
    g.k = in_.integer();
    in_.expect("(");
    const Matrix a = parse_matrix();
    in_.expect(",");
    const Matrix b = parse_matrix();
    in_.expect(",");
    const Matrix c = parse_matrix();
    in_.expect(")");
    g.a = a.at, g.transpose_a = a.is_transposed, g.lda = a.row, g.stride_a = a.stride;
    g.b = b.at, g.transpose_b = b.is_transposed, g.ldb = b.row, g.stride_b = b.stride;
    g.c = c.at, g.ldc = c.row, g.stride_c = c.stride;
    if (in_.accept("alpha")) g.alpha = parse_number();
    if (in_.accept("beta")) g.beta = parse_number();
    if (in_.accept("batch")) g.batch = parse_host();
    return {std::move(g), in_.quoted()};
  }

  Step parse_convolve() {
    Convolve c{.batch = in_.integer()};
    in_.expect("(");
    do {
      ConvolveWindow& w = c.window.emplace_back();
      w.size = in_.integer();
      in_.expect("of");
      w.input = in_.integer();
      if (in_.accept("stride")) w.stride = in_.integer();
      if (in_.accept("dilate")) w.dilation = in_.integer();
      if (in_.accept("pad")) {
        w.low = in_.integer();
        in_.expect("to");
        w.high = in_.integer();
      }
    } while (in_.accept(","));
    in_.expect(")");
    c.inputs = in_.integer();
    in_.expect("to");
    c.outputs = in_.integer();
    if (in_.accept("groups")) c.groups = in_.integer();
    in_.expect("(");
    c.source = parse_ref();
    in_.expect(",");
    c.weights = parse_ref();
    in_.expect("by");
    for (std::size_t k = 0; k < c.window.size() + 2; ++k) {
      c.weight_strides.push_back(in_.integer());
      in_.expect(",");
    }
    c.result = parse_ref();
    in_.expect(")");
    std::string name = in_.quoted();
    if (in_.accept("then")) {
      in_.expect("{");
      while (!in_.accept("}")) {
        in_.expect("launch");
        c.then.push_back(std::get<Launch>(parse_launch().what));
      }
    }
    return {std::move(c), std::move(name)};
  }

  Step parse_copy() {
    Copy c{.from = parse_ref(), .to = {}, .count = {}};
    in_.expect("to");
    c.to = parse_ref();
    in_.expect("count");
    c.count = parse_host();
    return {std::move(c), in_.quoted()};
  }

  Step parse_for() {
    For f{.variable = in_.numbered('v')};
    in_.expect("from");
    f.begin = parse_host();
    in_.expect("to");
    f.end = parse_host();
    if (in_.accept("step")) f.step = in_.integer();
    std::string name = in_.quoted();
    in_.expect("{");
    f.body = parse_steps();
    return {std::move(f), std::move(name)};
  }

  Step parse_while() {
    While w{.condition = {}, .predicate = parse_ref(), .body = {}};
    w.guarded = in_.accept("guarded");
    std::string name = in_.quoted();
    in_.expect("{");
    w.condition = parse_steps();
    in_.expect("do");
    in_.expect("{");
    w.body = parse_steps();
    return {std::move(w), std::move(name)};
  }

  Step parse_case() {
    Case c{.index = parse_ref()};
    in_.expect(":");
    c.index_dtype = parse_dtype_name(in_);
    std::string name = in_.quoted();
    do {
      in_.expect("{");
      c.branches.push_back(parse_steps());
    } while (in_.accept("or"));
    return {std::move(c), std::move(name)};
  }

  Combiner parse_combiner() {
    const auto* const it = std::ranges::find_if(
        collective_combiners, [&](Combiner c) { return in_.accept(to_string(c)); });
    if (it == collective_combiners.end()) in_.fail("a combiner");
    return *it;
  }

  Step parse_group() {
    GroupStart g{.request = int(in_.integer())};
    const auto* const it = std::ranges::find_if(
        group_call_names, [&](std::string_view call) { return in_.accept(call); });
    if (it == group_call_names.end()) in_.fail("a collective of groups");
    g.call = GroupCall(it - group_call_names.begin());
    g.combiner = parse_combiner();
    g.dtype = parse_dtype_name(in_);
    in_.expect("groups");
    g.groups = int(in_.integer());
    g.from = parse_ref();
    in_.expect("to");
    g.to = parse_ref();
    in_.expect("each");
    g.elements = in_.integer();
    return {std::move(g), in_.quoted()};
  }

  /// "(%a f32 by 2 by 3, %b i32)"
  void parse_arrays(std::vector<BufferRef>& refs, std::vector<Type>& types) {
    in_.expect("(");
    while (!in_.accept(")")) {
      refs.push_back(parse_ref());
      Type type{.dtype = parse_dtype_name(in_)};
      while (in_.accept("by")) type.dims.push_back(in_.integer());
      types.push_back(std::move(type));
      if (!in_.sees(")")) in_.expect(",");
    }
  }

  Step parse_function_call() {
    FunctionCall f{.function = in_.quoted(), .once = in_.accept("once")};
    parse_arrays(f.operands, f.operand_types);
    in_.expect("to");
    parse_arrays(f.results, f.result_types);
    return {std::move(f), in_.quoted()};
  }

  Step parse_host_call() {
    HostCall h{.call = {.routine = in_.quoted()}};
    while (!in_.sees("(")) h.call.options.push_back(in_.quoted());
    parse_arrays(h.operands, h.call.operands);
    in_.expect("to");
    in_.expect("(");
    while (!in_.accept(")")) {
      h.results.push_back(parse_ref());
      if (!in_.sees(")")) in_.expect(",");
    }
    if (in_.accept("count")) h.count = in_.integer();
    return {std::move(h), in_.quoted()};
  }

  Wire parse_wire() {
    const auto* const it = std::ranges::find_if(
        wire_format_names, [&](std::string_view name) { return in_.accept(name); });
    if (it == wire_format_names.end()) in_.fail("how a sum travels");
    return {.format = WireFormat(it - wire_format_names.begin()),
            .feeds_back = in_.accept("feedback")};
  }

  Step parse_all_reduce() {
    AllReduceStart a{.request = int(in_.integer())};
    a.combiner = parse_combiner();
    a.dtype = parse_dtype_name(in_);
    if (in_.accept("wire")) a.wire = parse_wire();
    if (in_.accept("groups")) {
      a.groups = int(in_.integer());
    } else {
      in_.expect("over");
      a.axis = in_.quoted();
    }
    in_.expect("(");
    while (!in_.accept(")")) {
      Piece p{.at = parse_ref(), .count = {}};
      in_.expect("count");
      p.count = parse_host();
      a.pieces.push_back(std::move(p));
      if (!in_.sees(")")) in_.expect(",");
    }
    return {std::move(a), in_.quoted()};
  }

  Step parse_all_gather() {
    AllGatherStart a{.request = int(in_.integer())};
    a.dtype = parse_dtype_name(in_);
    in_.expect("over");
    a.axis = in_.quoted();
    a.from = parse_ref();
    in_.expect("to");
    a.to = parse_ref();
    in_.expect("each");
    a.elements_per_partition = in_.integer();
    return {std::move(a), in_.quoted()};
  }

  Scanner in_;
  PlanDraft draft_;
  Plan& plan_ = draft_.plan;
};

}  // namespace

PlanDraft parse_draft(std::string_view text, const std::string& name_for_errors) {
  return DraftParser(text, name_for_errors).parse();
}

}  // namespace partita::kernel
