// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/describe.hpp"

#include <algorithm>
#include <cstdio>

#include "partita/artifact/target_format.hpp"
#include "partita/base/error.hpp"

namespace partita {

namespace {

using Kind = HostExpr::Kind;

class StepPrinter {
 public:
  explicit StepPrinter(const Artifact& artifact) : artifact_(artifact), plan_(artifact.plan) {}

  void print(const Steps& steps, int indent) {
    for (const Step& step : steps)
      std::visit([&](const auto& what) { print(what, step.name, indent); }, step.what);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  template <class... Parts>
  void line(int indent, const Parts&... parts) {
    out_.append(std::size_t(indent) * 2, ' ');
    out_ += cat(parts...);
    out_ += '\n';
  }
  [[nodiscard]] std::string_view gemm_name() const {
    const TargetFormat* format = find_format(artifact_.target);
    return format == nullptr ? "GEMM" : format->gemm;
  }
  [[nodiscard]] std::string text(const HostExpr& e) const { return to_string(e, plan_); }
  [[nodiscard]] std::string text(const BufferRef& ref) const {
    const std::string& name = plan_.buffers[std::size_t(ref.buffer)].name;
    const std::string base = name.empty() ? cat("b", ref.buffer) : name;
    return ref.offset == HostExpr(0) ? base : cat(base, "[", text(ref.offset), "]");
  }
  [[nodiscard]] std::string variable(int index) const {
    const std::string& name = plan_.variables[std::size_t(index)];
    return name.empty() ? cat("v", index) : name;
  }
  [[nodiscard]] static std::string types_text(const std::vector<Type>& types) {
    std::string text;
    for (const Type& type : types) text += cat(text.empty() ? "" : ", ", to_string(type));
    return text.empty() ? "nothing" : text;
  }
  [[nodiscard]] static std::string groups_name(int groups) { return cat("groups ", groups); }
  // What the step is called where that says more than the kernel does.
  [[nodiscard]] static std::string remark(const std::string& name, const std::string& shown) {
    return name.empty() || name == shown ? "" : cat("  # ", name);
  }

  void print(const Launch& x, const std::string& name, int indent) {
    const std::string& kernel = artifact_.kernels[std::size_t(x.kernel)].name;
    std::string size = text(x.global[0]);
    for (std::size_t d = 1; d < 3 && !(x.global[1] == HostExpr(1) && x.global[2] == HostExpr(1));
         ++d)
      size += " x " + text(x.global[d]);
    line(indent, "launch ", kernel, " over ", size,
         x.calls.empty() ? "" : cat(" with ", x.calls.size(), " calls of routines"),
         remark(name, kernel));
  }
  void print(const Gemm& x, const std::string& name, int indent) {
    const bool is_batched = !(x.batch == HostExpr(1));
    line(indent, gemm_name(), " ", x.reads_bf16 ? "bf16 to " : "", to_string(x.dtype), " ", x.m,
         "x", x.n, "x", x.k, x.transpose_a ? " a^T" : "", x.transpose_b ? " b^T" : "",
         x.beta != 0 ? " accumulating" : "", is_batched ? cat(" batch ", text(x.batch)) : "",
         remark(name, ""));
  }
  void print(const Convolve& x, const std::string& name, int indent) {
    std::string source, window, result;
    for (const ConvolveWindow& w : x.window) {
      source += cat("x", w.input);
      window += cat(window.empty() ? "" : "x", w.size);
      result += cat("x", w.count());
    }
    line(indent, "library convolution f32 ", x.batch, source, "x", x.groups * x.inputs, " by ",
         window, " to ", x.batch, result, "x", x.groups * x.outputs,
         x.groups > 1 ? cat(" in ", x.groups, " groups") : "", remark(name, ""));
    for (const Launch& l : x.then)
      line(indent + 1, "then ", artifact_.kernels[std::size_t(l.kernel)].name);
  }
  void print(const Copy& x, const std::string& name, int indent) {
    line(indent, "copy ", text(x.from), " to ", text(x.to), ", ", text(x.count), " elements",
         remark(name, ""));
  }
  void print(const For& x, const std::string& name, int indent) {
    line(indent, "for ", variable(x.variable), " from ", text(x.begin), " to ", text(x.end),
         x.step == 1 ? "" : cat(" step ", x.step), remark(name, ""));
    print(x.body, indent + 1);
  }
  void print(const While& x, const std::string& name, int indent) {
    line(indent, "while ", text(x.predicate), remark(name, ""));
    print(x.condition, indent + 1);
    line(indent, "do");
    print(x.body, indent + 1);
  }
  void print(const Case& x, const std::string& name, int indent) {
    line(indent, "case ", text(x.index), remark(name, ""));
    for (std::size_t i = 0; i < x.branches.size(); ++i) {
      line(indent, "branch ", i);
      print(x.branches[i], indent + 1);
    }
  }
  void print(const AllReduceStart& x, const std::string& name, int indent) {
    HostExpr elements = 0;
    for (const Piece& piece : x.pieces) elements = elements + piece.count;
    line(indent, "start all_reduce ", to_string(x.combiner), " ", to_string(x.dtype),
         x.wire.format == WireFormat::exact ? "" : cat(" as ", to_string(x.wire.format)),
         x.wire.feeds_back ? " with feedback" : "", " over ",
         x.groups < 0 ? x.axis : groups_name(x.groups), ": ", x.pieces.size(),
         x.pieces.size() == 1 ? " piece, " : " pieces, ", text(elements), " elements (request ",
         x.request, ")", remark(name, ""));
  }
  void print(const AllGatherStart& x, const std::string& name, int indent) {
    line(indent, "start all_gather ", to_string(x.dtype), " over ", x.axis, ": ",
         x.elements_per_partition, " elements per partition (request ", x.request, ")",
         remark(name, ""));
  }
  void print(const GroupStart& x, const std::string& name, int indent) {
    const bool combines = x.call == GroupCall::reduce_scatter || x.call == GroupCall::all_reduce;
    line(indent, "start ", to_string(x.call), " ", combines ? cat(to_string(x.combiner), " ") : "",
         to_string(x.dtype), " over ", groups_name(x.groups), ": ", x.elements,
         " elements each (request ", x.request, ")", remark(name, ""));
  }
  void print(const CollectiveDone& x, const std::string&, int indent) {
    line(indent, "wait for request ", x.request);
  }
  void print(const HostCall& x, const std::string& name, int indent) {
    std::string options;
    for (const std::string& option : x.call.options) options += cat(" ", option);
    line(indent, "on the host ", x.call.routine, options, " of ", types_text(x.call.operands),
         x.count == 1 ? "" : cat(", ", x.count, " times"), remark(name, ""));
  }
  void print(const FunctionCall& x, const std::string& name, int indent) {
    line(indent, "on the host @", x.function, " of ", types_text(x.operand_types), " to ",
         types_text(x.result_types), x.once ? ", once" : "", remark(name, ""));
  }
  void print(const Check& x, const std::string& name, int indent) {
    line(indent, "check ", text(x.condition), remark(name, ""));
  }

  const Artifact& artifact_;
  const Plan& plan_;
  std::string out_;
};

/// "  dimension 0 over clients, dimension 1 over x y (4x2 on each shard)"
std::string layout_text(const Plan& plan, const PortInfo& port) {
  std::string text;
  const auto add = [&](std::size_t dimension, const std::string& names) {
    text += cat(text.empty() ? "  " : ", ", "dimension ", dimension, " over ", names);
  };
  if (port.placement >= 0) add(0, plan.placements[std::size_t(port.placement)].name);
  bool is_cut = false;
  for (std::size_t d = 0; d < port.axes.size(); ++d) {
    std::string names;
    for (const int axis : port.axes[d])
      names += cat(names.empty() ? "" : " ", plan.mesh[std::size_t(axis)].name);
    if (names.empty()) continue;
    add(d, names);
    is_cut = true;
  }
  if (is_cut) text += cat(" (", to_string(local_type(plan, port)), " on each shard)");
  return text;
}

/// "[0 1] [2 3]"
std::string lists_text(const ShardLists& lists) {
  std::string text;
  for (const std::vector<int>& list : lists) {
    std::string shards;
    for (const int shard : list) shards += cat(shards.empty() ? "" : " ", shard);
    text += cat(text.empty() ? "[" : " [", shards, "]");
  }
  return text;
}

std::string mesh_text(const Plan& plan) {
  if (plan.mesh.empty()) return "";
  std::string out = "mesh ";
  for (const MeshAxis& axis : plan.mesh) out += cat(" ", axis.name, " = ", axis.size);
  out += cat(": ", mesh_shards(plan), " shards, on ", fitting_devices(mesh_shards(plan)),
             " devices\n");
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    out += cat("  groups ", i, " = ", lists_text(plan.groups[i]), "\n");
  return out;
}

std::string ports_text(const Plan& plan, const std::vector<PortInfo>& ports,
                       std::string_view prefix) {
  std::string out;
  for (std::size_t i = 0; i < ports.size(); ++i)
    out += cat("  ", prefix, i, ports[i].name.empty() ? "" : " ", ports[i].name, "  ",
               to_string(ports[i].type), layout_text(plan, ports[i]), "\n");
  return out;
}

std::int64_t total_bytes(const std::vector<PortInfo>& ports) {
  std::int64_t bytes = 0;
  for (const PortInfo& port : ports) bytes += std::int64_t(port.type.bytes());
  return bytes;
}

std::string memory_text(const Artifact& artifact) {
  const Plan& plan = artifact.plan;
  std::int64_t constants = 0;
  for (const Constant& constant : artifact.constants)
    constants += std::int64_t(constant->bytes.size());
  std::string out =
      cat("memory\n  arena     ", plan.arena_bytes, " bytes (", format_bytes(plan.arena_bytes),
          ")\n  constants ", format_bytes(constants), "\n  inputs    ",
          format_bytes(total_bytes(plan.inputs)), " over all shards\n  outputs   ",
          format_bytes(total_bytes(plan.outputs)), " over all shards\n");
  for (const Buffer& buffer : plan.buffers)
    if (buffer.kind == BufferKind::block)
      out += cat("  block     ", buffer.name.empty() ? "(unnamed)" : buffer.name, ": ",
                 byte_size(buffer.dtype), " * (", to_string(buffer.count, plan), ") bytes\n");
  return out;
}

}  // namespace

std::string format_bytes(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = double(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text;
}

std::string to_string(const HostExpr& e, const Plan& plan) {
  constexpr std::string_view symbols[] = {"", "", " + ", " - ", "*", "/", " % ", "min", "max"};
  if (e.is_constant()) return cat(e.value());
  if (e.kind() == Kind::variable) {
    const std::string& name = plan.variables[std::size_t(e.value())];
    return name.empty() ? cat("v", e.value()) : name;
  }
  const std::string a = to_string(e.operands()[0], plan), b = to_string(e.operands()[1], plan);
  const auto symbol = symbols[std::size_t(e.kind())];
  if (e.kind() == Kind::min || e.kind() == Kind::max) return cat(symbol, "(", a, ", ", b, ")");
  const auto is_leaf = [](const HostExpr& x) { return x.operands().empty(); };
  const bool is_sum = e.kind() == Kind::add;
  const auto wrap = [&](const HostExpr& x, const std::string& text) {
    return is_leaf(x) || (is_sum && x.kind() != Kind::mod) ? text : cat("(", text, ")");
  };
  return cat(wrap(e.operands()[0], a), symbol, wrap(e.operands()[1], b));
}

std::string describe_artifact(const Artifact& artifact) {
  const Plan& plan = artifact.plan;
  std::string out = cat(artifact.module_name.empty() ? "program" : artifact.module_name,
                        "  target ", artifact.target, "  format ", Artifact::format_major, ".",
                        Artifact::format_minor, "  hash ", content_hash(artifact), "\n");
  if (!artifact.functions.empty()) {
    out += cat("function ", artifact.name, "; others:");
    for (const FunctionCode& other : artifact.functions) out += cat(" ", other.name);
    out += "\n";
  }
  if (!artifact.others.empty()) {
    out += cat("variant  ", to_string(artifact.device_class), "; others: ");
    for (const Variant& other : artifact.others)
      out += cat(&other == &artifact.others.front() ? "" : ", ", to_string(other.device_class));
    out += "\n";
  }
  if (!artifact.binaries.empty()) {
    out += "machine code ";
    for (const KernelBinary& binary : artifact.binaries)
      out += cat(" ", binary.name, " (", binary.bytes.size(), " bytes)");
    out += "\n";
  }
  out += "inputs\n" + ports_text(plan, plan.inputs, "in");
  out += "outputs\n" + ports_text(plan, plan.outputs, "out");
  out += mesh_text(plan);
  if (!plan.placements.empty()) out += "placements\n";
  for (const Placement& p : plan.placements)
    out += cat("  ", p.name, " = ", p.size,
               p.begin_variable >= 0 ? "  split over the shards" : "  on each shard", "\n");
  out += memory_text(artifact);
  if (!artifact.properties.empty()) out += "compiled with\n";
  for (const auto& [key, value] : artifact.properties) out += cat("  ", key, " = ", value, "\n");
  out += cat("kernels: ", artifact.kernels.size(), " in ", artifact.modules.size(),
             artifact.modules.size() == 1 ? " module\n" : " modules\n");
  StepPrinter printer(artifact);
  printer.print(plan.steps, 1);
  out += "steps\n" + printer.take();
  return out;
}

namespace {

std::string port_text(const Plan& plan, const PortInfo& port) {
  if (port.axes.empty() && port.placement >= 0)
    return cat("split by ", plan.placements[std::size_t(port.placement)].name);
  const std::string text = layout_text(plan, port);
  return text.empty() ? "the same on every shard" : text.substr(2);
}

}  // namespace

std::string describe_sharding(const Artifact& artifact) {
  const Plan& plan = artifact.plan;
  std::string out = "sharding\n" + mesh_text(plan);
  for (const Placement& p : plan.placements) {
    if (p.begin_variable < 0) {
      out += cat("  ", p.name, " = ", p.size, ": whole on each shard\n");
      continue;
    }
    for (int shards = 1; shards <= 4; ++shards) {
      out +=
          cat("  ", p.name, " = ", p.size, " over ", shards, shards == 1 ? " shard: " : " shards:");
      for (int s = 0; s < shards; ++s) {
        const BlockRange block = block_of(p.size, s, shards);
        out += cat(" [", block.begin, ", ", block.end, ")");
      }
      out += "\n";
    }
  }
  const auto port_lines = [&](const std::vector<PortInfo>& ports, std::string_view prefix) {
    for (std::size_t i = 0; i < ports.size(); ++i)
      out += cat("  ", prefix, i, ": ", port_text(plan, ports[i]), "\n");
  };
  port_lines(plan.inputs, "in");
  port_lines(plan.outputs, "out");
  for (const Buffer& buffer : plan.buffers)
    if (buffer.kind == BufferKind::block)
      out += cat("  ", buffer.name, ": ", to_string(buffer.count, plan), " elements of ",
                 to_string(buffer.dtype), " per shard\n");
  return out + artifact.shardings;
}

}  // namespace partita
