// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>
#include <map>
#include <utility>

#include "kernel/ast/plan_steps.hpp"
#include "kernel/text/draft_text.hpp"
#include "kernel/text/lines.hpp"
#include "kernel/text/print_kernel.hpp"
#include "kernel/text/quote.hpp"
#include "kernel/text/spelling.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using text::print_kernel;
using text::quote;

std::string dtype(DType d) { return std::string(info(d).name); }

std::string type_text(const Type& type) {
  std::string dims;
  for (const std::int64_t d : type.dims) dims += cat(dims.empty() ? "" : ", ", d);
  return cat(dtype(type.dtype), "[", dims, "]");
}

std::string hex_bytes(const std::vector<std::byte>& bytes) {
  std::string out = "0x";
  out.reserve(2 + 2 * bytes.size());
  for (const std::byte b : bytes) {
    out += text::hex_digits[std::size_t(b) / 16];
    out += text::hex_digits[std::size_t(b) % 16];
  }
  return out;
}

/// A number as shortest text that means it.
std::string number(double x) {
  return text::constant_text(DType::f64, std::bit_cast<std::uint64_t>(x));
}

/// "[[0, 1], [2, 3]]"
std::string lists_text(const std::vector<std::vector<int>>& lists) {
  std::string all;
  for (const std::vector<int>& list : lists) {
    std::string items;
    for (const int i : list) items += cat(items.empty() ? "" : ", ", i);
    all += cat(all.empty() ? "[" : ", [", items, "]");
  }
  return cat("[", all, "]");
}

class DraftPrinter : text::Lines {
 public:
  explicit DraftPrinter(const PlanDraft& draft) : draft_(draft), plan_(draft.plan) {
    int next = 0;
    for (const int k : launched_kernels(plan_.steps))
      names_[k] = cat("@", draft.kernels[std::size_t(k)]->stem, ".", next++);
  }

  std::string print() {
    print_facts();
    print_ports();
    print_buffers();
    for (const auto& [k, name] : names_) {
      line();
      append(print_kernel(*draft_.kernels[std::size_t(k)], name));
    }
    line();
    line("steps {");
    print(plan_.steps);
    line("}");
    return take();
  }

 private:
  void print_facts() {
    for (const auto& [name, n] : draft_.counts) line("count ", quote(name), " ", n);
    for (const auto& [name, how] : draft_.contractions)
      line("contraction ", quote(name), " ", quote(how));
  }

  void print_ports() {
    for (std::size_t v = 0; v < plan_.variables.size(); ++v)
      line("variable v", v, " ", quote(plan_.variables[v]));
    for (const MeshAxis& a : plan_.mesh) line("mesh ", quote(a.name), " ", a.size);
    if (plan_.mesh_variable >= 0) line("shard v", plan_.mesh_variable);
    for (const ShardLists& lists : plan_.groups) line("groups ", lists_text(lists));
    for (const Placement& p : plan_.placements)
      line("placement ", quote(p.name), " ", p.size,
           p.begin_variable < 0 && p.end_variable < 0
               ? ""
               : cat(" from v", p.begin_variable, " to v", p.end_variable));
    const auto print_ports_of = [&](std::string_view what, const std::vector<PortInfo>& ports) {
      for (const PortInfo& p : ports)
        line(what, " ", quote(p.name), " : ", type_text(p.type),
             p.placement < 0
                 ? std::string()
                 : cat(" over ", quote(plan_.placements[std::size_t(p.placement)].name)),
             p.axes.empty() ? std::string() : cat(" cut ", lists_text(p.axes)),
             p.is_donated ? " donated" : "");
    };
    print_ports_of("input", plan_.inputs);
    print_ports_of("output", plan_.outputs);
    for (int k = 0; k < int(plan_.donors.size()); ++k)
      if (plan_.donors[std::size_t(k)] >= 0)
        line("donor of output ", k, " input ", plan_.donors[std::size_t(k)]);
  }

  void print_buffers() {
    for (const HostArray& c : draft_.constants)
      line("constant ", type_text(c.type), " = ", hex_bytes(c.bytes));
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& b = plan_.buffers[i];
      const bool is_indexed = b.kind != BufferKind::arena && b.kind != BufferKind::block;
      const bool is_placed =
          (draft_.has_places && b.kind == BufferKind::arena) || b.kind == BufferKind::spare;
      line("buffer b", i, " ", text::buffer_kinds[std::size_t(b.kind)],
           is_indexed ? cat(" ", b.index) : std::string(),
           is_placed ? cat(" at ", b.arena_offset) : std::string(), " : ", dtype(b.dtype), "[",
           host(b.count), "] ", quote(b.name));
    }
    if (draft_.has_places) line("arena ", plan_.arena_bytes);
    if (plan_.requests > 0) line("requests ", plan_.requests);
  }

  [[nodiscard]] static std::string host(const HostExpr& e) {
    if (e.is_constant()) return cat(e.value());
    if (e.kind() == HostExpr::Kind::variable) return cat("v", e.value());
    const std::string a = host(e.operands()[0]), b = host(e.operands()[1]);
    for (const auto& [kind, symbol] : text::infix_host)
      if (kind == e.kind()) return cat("(", a, " ", symbol, " ", b, ")");
    return cat(e.kind() == HostExpr::Kind::min ? "min" : "max", "(", a, ", ", b, ")");
  }
  [[nodiscard]] static std::string ref(const BufferRef& r) {
    return r.offset == HostExpr(0) ? cat("b", r.buffer)
                                   : cat("b", r.buffer, "[", host(r.offset), "]");
  }

  void print(const Steps& steps) {
    indented([&] {
      for (const Step& s : steps)
        std::visit([&](const auto& what) { print(what, quote(s.name)); }, s.what);
    });
  }

  void print(const Launch& x, const std::string& name) {
    std::string arguments, sizes, groups;
    for (const BufferRef& r : x.buffers) arguments += cat(arguments.empty() ? "" : ", ", ref(r));
    for (const ScalarArg& s : x.scalars)
      arguments += cat(arguments.empty() ? "" : ", ", dtype(s.dtype), " ", host(s.value));
    for (std::size_t d = 0; d < 3; ++d) {
      sizes += cat(d == 0 ? "" : ", ", host(x.global[d]));
      groups += cat(d == 0 ? "" : ", ", x.local[d]);
    }
    const bool is_grouped = groups != "0, 0, 0";
    line("launch ", names_.at(x.kernel), "(", arguments, ") over ", sizes,
         is_grouped ? cat(" groups ", groups) : "", " ", name);
  }
  void print(const Gemm& x, const std::string& name) {
    const auto matrix = [](const BufferRef& r, bool is_transposed, std::int64_t row,
                           std::int64_t stride) {
      return cat(ref(r), is_transposed ? " transposed" : "", " by ", row,
                 stride == 0 ? "" : cat(" stride ", stride));
    };
    line("gemm ", dtype(x.dtype), x.reads_bf16 ? " of bf16 " : " ", x.m, ", ", x.n, ", ", x.k, " (",
         matrix(x.a, x.transpose_a, x.lda, x.stride_a), ", ",
         matrix(x.b, x.transpose_b, x.ldb, x.stride_b), ", ", matrix(x.c, false, x.ldc, x.stride_c),
         ")", x.alpha == 1 ? "" : cat(" alpha ", number(x.alpha)),
         x.beta == 0 ? "" : cat(" beta ", number(x.beta)),
         x.batch == HostExpr(1) ? "" : cat(" batch ", host(x.batch)), " ", name);
  }
  void print(const Convolve& x, const std::string& name) {
    std::string window, strides;
    for (const ConvolveWindow& w : x.window) {
      window += cat(window.empty() ? "" : ", ", w.size, " of ", w.input,
                    w.stride == 1 ? "" : cat(" stride ", w.stride),
                    w.dilation == 1 ? "" : cat(" dilate ", w.dilation));
      if (w.low != 0 || w.high != 0) window += cat(" pad ", w.low, " to ", w.high);
    }
    for (const std::int64_t s : x.weight_strides) strides += cat(strides.empty() ? "" : ", ", s);
    line("convolve ", x.batch, " (", window, ") ", x.inputs, " to ", x.outputs,
         x.groups == 1 ? "" : cat(" groups ", x.groups), " (", ref(x.source), ", ", ref(x.weights),
         " by ", strides, ", ", ref(x.result), ") ", name, x.then.empty() ? "" : " then {");
    if (x.then.empty()) return;
    indented([&] {
      for (const Launch& l : x.then) print(l, quote(""));
    });
    line("}");
  }
  void print(const Copy& x, const std::string& name) {
    line("copy ", ref(x.from), " to ", ref(x.to), " count ", host(x.count), " ", name);
  }
  void print(const For& x, const std::string& name) {
    line("for v", x.variable, " from ", host(x.begin), " to ", host(x.end),
         x.step == 1 ? "" : cat(" step ", x.step), " ", name, " {");
    print(x.body);
    line("}");
  }
  void print(const While& x, const std::string& name) {
    line("while ", ref(x.predicate), x.guarded ? " guarded " : " ", name, " {");
    print(x.condition);
    line("} do {");
    print(x.body);
    line("}");
  }
  void print(const Case& x, const std::string& name) {
    line("case ", ref(x.index), " : ", dtype(x.index_dtype), " ", name, " {");
    for (std::size_t i = 0; i < x.branches.size(); ++i) {
      if (i > 0) line("} or {");
      print(x.branches[i]);
    }
    line("}");
  }
  void print(const AllReduceStart& x, const std::string& name) {
    std::string pieces;
    for (const Piece& p : x.pieces)
      pieces += cat(pieces.empty() ? "" : ", ", ref(p.at), " count ", host(p.count));
    line("all_reduce ", x.request, " ", to_string(x.combiner), " ", dtype(x.dtype),
         x.wire == Wire{}
             ? ""
             : cat(" wire ", to_string(x.wire.format), x.wire.feeds_back ? " feedback" : ""),
         x.groups < 0 ? cat(" over ", quote(x.axis)) : cat(" groups ", x.groups), " (", pieces,
         ") ", name);
  }
  void print(const AllGatherStart& x, const std::string& name) {
    line("all_gather ", x.request, " ", dtype(x.dtype), " over ", quote(x.axis), " ", ref(x.from),
         " to ", ref(x.to), " each ", x.elements_per_partition, " ", name);
  }
  void print(const GroupStart& x, const std::string& name) {
    line("group ", x.request, " ", to_string(x.call), " ", to_string(x.combiner), " ",
         dtype(x.dtype), " groups ", x.groups, " ", ref(x.from), " to ", ref(x.to), " each ",
         x.elements, " ", name);
  }
  void print(const CollectiveDone& x, const std::string& name) {
    line("done ", x.request, " ", name);
  }
  /// "%a f32 by 2 by 3, %b i32"
  std::string arrays(const std::vector<BufferRef>& refs, const std::vector<Type>& types) const {
    std::string text;
    for (std::size_t k = 0; k < refs.size(); ++k) {
      text += cat(k == 0 ? "" : ", ", ref(refs[k]), " ", dtype(types[k].dtype));
      for (const std::int64_t extent : types[k].dims) text += cat(" by ", extent);
    }
    return text;
  }
  void print(const HostCall& x, const std::string& name) {
    std::string options, results;
    for (const std::string& option : x.call.options) options += cat(" ", quote(option));
    for (const BufferRef& r : x.results) results += cat(results.empty() ? "" : ", ", ref(r));
    line("host ", quote(x.call.routine), options, " (", arrays(x.operands, x.call.operands),
         ") to (", results, ")", x.count == 1 ? "" : cat(" count ", x.count), " ", name);
  }
  void print(const FunctionCall& x, const std::string& name) {
    line("function ", quote(x.function), x.once ? " once (" : " (",
         arrays(x.operands, x.operand_types), ") to (", arrays(x.results, x.result_types), ") ",
         name);
  }
  void print(const Check& x, const std::string& name) {
    line("check ", ref(x.condition), " ", quote(x.message), " ", name);
  }

  const PlanDraft& draft_;
  const Plan& plan_;
  std::map<int, std::string> names_;
};

}  // namespace

std::string print_draft(const PlanDraft& draft) { return DraftPrinter(draft).print(); }

}  // namespace partita::kernel
