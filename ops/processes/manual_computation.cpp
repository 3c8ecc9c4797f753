// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// sdy.manual_computation: its region is the program of one device, on the pieces of the operands
// that in_shardings give it along the manual axes; out_shardings say how the results go together.
// Axes that are not manual do not cut: devices along them do the same.
#include <algorithm>

#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/manual_computation.hpp"

namespace partita::ir {
namespace {

std::vector<Cut> cuts_of(const std::vector<Sharding>& shardings, const Mesh& mesh,
                         const std::vector<std::string>& axes) {
  std::vector<Cut> cuts;
  for (const Sharding& s : shardings) cuts.emplace_back(s, mesh, axes);
  return cuts;
}

}  // namespace

std::optional<ManualComputation> read_manual_computation(const Dict& attrs, const Module* module) {
  const auto &inputs = shardings_in(attrs.find("in_shardings")),
             &outputs = shardings_in(attrs.find("out_shardings"));
  const Attribute* names = attrs.find("manual_axes");
  const auto* axes = names ? names->get_if<ManualAxes>() : nullptr;
  if (axes == nullptr) throw_user_error("sharding: expected manual_axes, found another attribute");
  ManualComputation manual{.mesh = {}, .axes = axes->names, .operands = {}, .results = {}};
  const Sharding* first = !inputs.empty() ? &inputs[0] : !outputs.empty() ? &outputs[0] : nullptr;
  if (first && first->inner) {
    manual.mesh = *first->inner;
    if (manual.mesh.axes.empty()) manual.mesh.device_ids.clear();
  } else if (!module) {
    return std::nullopt;
  } else if (first) {
    auto mesh = find_mesh(*module, first->mesh);
    if (!mesh)
      throw_user_error(cat("sharding: expected a mesh of the module, found @", first->mesh));
    manual.mesh = std::move(*mesh);
  } else if (auto all = meshes(*module); !all.empty()) {
    manual.mesh = std::move(all[0]);
  }
  for (const auto* shardings : {&inputs, &outputs})
    for (const Sharding& s : *shardings)
      if (s.mesh != first->mesh || s.inner != first->inner)
        throw_user_error("sharding: expected shardings on one mesh, found several");
  for (const std::string& axis : manual.axes)
    if (!manual.mesh.find(axis))
      throw_user_error(
          cat("sharding: expected axes of the mesh in manual_axes, found \"", axis, "\""));
  manual.operands = cuts_of(inputs, manual.mesh, manual.axes);
  manual.results = cuts_of(outputs, manual.mesh, manual.axes);
  return manual;
}

I64s ManualComputation::group_of(std::int64_t device) const {
  std::vector<I64s> open{mesh.coordinates(device)};
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    if (std::ranges::find(axes, mesh.axes[a].name) == axes.end()) continue;
    std::vector<I64s> next;
    for (const I64s& coordinates : open)
      for (std::int64_t i = 0; i < mesh.axes[a].size; ++i) {
        next.push_back(coordinates);
        next.back()[a] = i;
      }
    open = std::move(next);
  }
  I64s group;
  for (const I64s& coordinates : open) group.push_back(mesh.device(coordinates));
  return group;
}

std::optional<Type> piece_type(const Type& whole, const Cut& cut) {
  if (whole.is_token) return whole;
  if (whole.rank() != std::ssize(cut.pieces())) return std::nullopt;
  Type piece = whole;
  for (std::size_t d = 0; d < piece.dims.size(); ++d) {
    if (piece.dims[d] % cut.pieces()[d] != 0) return std::nullopt;
    piece.dims[d] /= cut.pieces()[d];
  }
  return piece;
}

Dims piece_start(const Type& piece, const Cut& cut, std::int64_t device) {
  Dims start = cut.piece_of(device);
  for (std::size_t d = 0; d < start.size(); ++d) start[d] *= piece.dims[d];
  return start;
}

namespace ops {
namespace {

void expect_piece(const InferContext& c, const std::string& what, const Type& whole, const Cut& cut,
                  const Type& found) {
  const auto piece = piece_type(whole, cut);
  c.expect(piece.has_value(),
           cat(what, " of ", to_string(whole), " cut evenly along its dimensions"),
           cat(to_text(cut.pieces()), " pieces"));
  c.expect(*piece == found, cat(what, " of type ", to_string(*piece), " inside of the region"),
           to_string(found));
}

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Graph& region = *c.regions[0];
  const std::span<const Type> declared = c.declared_results;
  c.expect(std::size_t(region.argument_count()) == c.operands.size(),
           cat("a region of ", c.operands.size(), " arguments"), cat(region.argument_count()));
  c.expect(region.results.size() == declared.size(),
           cat("a region that returns ", declared.size(), " values"), cat(region.results.size()));
  std::optional<ManualComputation> manual;
  try {
    manual = read_manual_computation(c.attrs, c.module);
  } catch (const Error& error) {
    c.fail(error.what());
  }
  if (manual) {
    c.expect(manual->operands.size() == c.operands.size(),
             cat("in_shardings of ", c.operands.size(), " operands"), cat(manual->operands.size()));
    c.expect(manual->results.size() == declared.size(),
             cat("out_shardings of ", declared.size(), " results"), cat(manual->results.size()));
    for (std::size_t k = 0; k < c.operands.size(); ++k)
      expect_piece(c, cat("operand ", k), c.operands[k], manual->operands[k],
                   region.argument(int(k)).type());
    for (std::size_t k = 0; k < declared.size(); ++k)
      expect_piece(c, cat("result ", k), declared[k], manual->results[k], region.results[k].type());
  }
  return {declared.begin(), declared.end()};
}

/// What the process that evaluates gets of the whole, computes, and joins with the others again.
std::vector<Tensor> run_device(const EvalContext& c, const ManualComputation& manual,
                               Interpreter& interpreter) {
  const std::int64_t self = interpreter.process.grid ? interpreter.process.partition() : 0;
  std::vector<Tensor> pieces;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    HostArray piece(c.node.region(0).argument(int(k)).type());
    const Type& whole = c.operands[k]->type;
    copy_box(*c.operands[k],
             sub_view(view_of(whole), piece_start(piece.type, manual.operands[k], self)), piece,
             view_of(piece.type), piece.type.dims);
    pieces.push_back(std::make_shared<const HostArray>(std::move(piece)));
  }
  const std::vector<Tensor> values = interpreter.run(c.node.region(0), std::move(pieces));
  if (!interpreter.process.grid) return values;
  I64s group = manual.group_of(self);
  const I64s devices = group;
  for (std::int64_t& id : group)
    id += interpreter.process.replica() * interpreter.process.grid->partitions();
  const auto all =
      interpreter.process.grid->exchange(interpreter.process.id, c.node, group, values);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < values.size(); ++k) {
    HostArray whole(c.result_type(int(k)));
    // Of devices that hold the same piece, the first says it.
    for (std::size_t m = devices.size(); m-- > 0;) {
      const HostArray& piece = *all[m][k];
      copy_box(
          piece, view_of(piece.type), whole,
          sub_view(view_of(whole.type), piece_start(piece.type, manual.results[k], devices[m])),
          piece.type.dims);
    }
    results.push_back(std::make_shared<const HostArray>(std::move(whole)));
  }
  return results;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const auto manual = read_manual_computation(c.node.attrs, &c.interpreter.module());
  PARTITA_ASSERT(manual.has_value());
  const Process& process = c.interpreter.process;
  if (!process.grid) {
    const GridSize declared = grid_size(c.interpreter.module());
    ProcessGrid grid(declared.replicas, manual->mesh.size());
    return c.interpreter.run_processes(
        grid, [&](Interpreter& one) { return run_device(c, *manual, one); })[0];
  }
  if (process.grid->partitions() != manual->mesh.size())
    throw_user_error(cat(c.node.name(), ": expected a mesh of ", process.grid->partitions(),
                         " devices as around it, found ", manual->mesh.size()),
                     c.node.location());
  return run_device(c, *manual, c.interpreter);
}

}  // namespace

void register_manual_computation(OpRegistry& registry) {
  OpDef op;
  op.name = "sdy.manual_computation";
  op.doc = "Runs the region on each device of the mesh, on its pieces of the operands.";
  op.attrs = {AttrSpec{.name = "in_shardings", .kind = AttrKind::any},
              AttrSpec{.name = "out_shardings", .kind = AttrKind::any},
              AttrSpec{.name = "manual_axes", .kind = AttrKind::any}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("exists once processes are batched (pass batch-processes)");
  registry.add(std::move(op));
}

}  // namespace ops
}  // namespace partita::ir
