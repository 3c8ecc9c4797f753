// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <set>

#include "partita/artifact/validate.hpp"
#include "runtime/artifact/problem.hpp"

namespace partita {
namespace {

// Limits far above real programs, so that recursion and tables stay small for wrong content.
constexpr int max_step_depth = 60, max_expression_depth = 60;
constexpr std::int64_t max_variables = 1 << 20, max_mesh = 1 << 16;

class PlanValidator {
 public:
  PlanValidator(const Plan& plan, const PlanSurroundings& around) : around_(around), plan_(plan) {}

  void run() {
    check_placements();
    check_mesh();
    check_ports("inputs", plan_.inputs);
    check_ports("outputs", plan_.outputs);
    check_donors();
    check_buffers();
    if (plan_.requests < 0 || plan_.requests > max_variables)
      fail({.name = "requests"}, "a count", cat(plan_.requests));
    check_steps(plan_.steps, {.name = "steps"}, 0);
  }

 private:
  void check_placements();
  void check_mesh();
  void check_groups(const ShardLists& lists, const Place& place) const;
  void check_axes(const PortInfo& port, const Place& place) const;
  void check_ports(std::string_view what, const std::vector<PortInfo>& ports) const;
  void check_donors() const;
  void check_buffers();
  void check_buffer(const Buffer& buffer, const Place& place) const;
  void check_bound_count(const Buffer& buffer, std::int64_t expected, const Place& place) const;
  void check_steps(const Steps& steps, const Place& place, int depth) const;
  void check_expression(const HostExpr& e, const Place& place, int depth = 0) const;
  void check_block_expression(const HostExpr& e, const Place& place) const;
  void check_ref(const BufferRef& ref, DType dtype, const Place& place) const;
  [[nodiscard]] bool uses_block_variable(const HostExpr& e) const;

  void check(const Launch& x, const Place& place, int depth) const;
  void check(const Gemm& x, const Place& place, int depth) const;
  void check(const Convolve& x, const Place& place, int depth) const;
  void check(const Copy& x, const Place& place, int depth) const;
  void check(const For& x, const Place& place, int depth) const;
  void check(const While& x, const Place& place, int depth) const;
  void check(const Case& x, const Place& place, int depth) const;
  void check(const AllReduceStart& x, const Place& place, int depth) const;
  void check(const AllGatherStart& x, const Place& place, int depth) const;
  void check(const GroupStart& x, const Place& place, int depth) const;
  void check(const CollectiveDone& x, const Place& place, int depth) const;
  void check(const Check& x, const Place& place, int depth) const;
  void check(const HostCall& x, const Place& place, int depth) const;
  static std::vector<Type> types_of_call(const MatrixCall& call, std::int64_t count,
                                         const Place& place);
  void check(const FunctionCall& x, const Place& place, int depth) const;
  void check_arrays(const std::vector<BufferRef>& refs, const std::vector<Type>& types,
                    std::int64_t count, const Place& place) const;
  void check_request(int request, const Place& place) const;
  [[nodiscard]] const ShardLists& check_group_list(int groups, const Place& place) const;
  [[nodiscard]] const Placement& check_axis(const std::string& axis, const Place& place) const;

  const PlanSurroundings& around_;
  const Plan& plan_;
  std::set<std::int64_t> block_variables_;
  std::vector<std::int64_t> single_shard_;  // variables' values on the only shard of a job
};

void PlanValidator::check_placements() {
  if (std::int64_t(plan_.variables.size()) > max_variables)
    fail({.name = "variables"}, cat("at most ", max_variables), cat(plan_.variables.size()));
  single_shard_.assign(plan_.variables.size(), 0);
  const Place all{.name = "placements"};
  for (std::size_t i = 0; i < plan_.placements.size(); ++i) {
    const Placement& p = plan_.placements[i];
    const Place place{&all, {}, i};
    // block_of multiplies the size by the number of shards.
    if (p.size < 1 || p.size > std::int64_t{1} << 40)
      fail(place, "a size from 1 to 2^40", cat(p.size));
    if (p.begin_variable == -1 && p.end_variable == -1) continue;
    for (const int v : {p.begin_variable, p.end_variable}) {
      expect_index(place, "a variable", v, plan_.variables.size());
      if (!block_variables_.insert(v).second)
        fail(place, "variables of its own", cat("variable ", v, " twice"));
    }
    single_shard_[std::size_t(p.end_variable)] = p.size;
  }
}

void PlanValidator::check_mesh() {
  const Place all{.name = "mesh"};
  std::int64_t shards = 1;
  for (std::size_t i = 0; i < plan_.mesh.size(); ++i) {
    const std::int64_t size = plan_.mesh[i].size;
    if (size < 1 || size > max_mesh || shards > max_mesh / size)
      fail({&all, {}, i}, cat("axes of 1 to ", max_mesh, " shards in all"), cat(size));
    shards *= size;
  }
  if (plan_.mesh_variable != -1) {
    expect_index({.name = "mesh_variable"}, "a variable", plan_.mesh_variable,
                 plan_.variables.size());
    if (!block_variables_.insert(plan_.mesh_variable).second)
      fail({.name = "mesh_variable"}, "a variable of its own", "one of a placement");
  }
  const Place groups{.name = "groups"};
  for (std::size_t i = 0; i < plan_.groups.size(); ++i)
    for (const std::vector<int>& list : plan_.groups[i])
      for (const int shard : list)
        expect_index({&groups, {}, i}, "a shard of the mesh", shard, std::size_t(shards));
}

// Each shard once, in groups of one size.
void PlanValidator::check_groups(const ShardLists& lists, const Place& place) const {
  std::set<int> shards;
  std::size_t members = 0;
  for (const std::vector<int>& list : lists) {
    if (list.size() != lists[0].size()) fail(place, "groups of one size", cat(list.size()));
    shards.insert(list.begin(), list.end());
    members += list.size();
  }
  const auto wanted = std::size_t(mesh_shards(plan_));
  if (shards.size() != wanted || members != wanted)
    fail(place, cat("groups with each of ", wanted, " shards once"), cat(members, " members"));
}

void PlanValidator::check_axes(const PortInfo& port, const Place& place) const {
  if (port.axes.empty()) return;
  if (port.axes.size() != port.type.dims.size())
    fail(place, cat("axes of ", port.type.dims.size(), " dimensions"), cat(port.axes.size()));
  std::set<int> used;
  for (const std::vector<int>& of_dim : port.axes)
    for (const int axis : of_dim) {
      expect_index(place, "an axis of the mesh", axis, plan_.mesh.size());
      if (!used.insert(axis).second)
        fail(place, "each axis once", plan_.mesh[std::size_t(axis)].name);
    }
  if (port.placement >= 0 && !port.axes[0].empty())
    fail(place, "dimension 0 cut by a placement or by axes", "both");
}

void PlanValidator::check_ports(std::string_view what, const std::vector<PortInfo>& ports) const {
  const Place all{.name = what};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortInfo& port = ports[i];
    const Place place{&all, {}, i};
    if (port.type.is_token || !checked_bytes(port.type))
      fail(place, "a type that fits in memory", to_string(port.type));
    check_axes(port, place);
    if (port.placement == -1) continue;
    expect_index(place, "a placement", port.placement, plan_.placements.size());
    const Placement& p = plan_.placements[std::size_t(port.placement)];
    if (p.begin_variable < 0) fail(place, "a placement that is split", p.name);
    if (port.type.dims.empty() || port.type.dims[0] != p.size)
      fail(place, cat("dimension 0 of size ", p.size), to_string(port.type));
  }
}

// One result at most lies in an argument, and looks like it on every shard.
void PlanValidator::check_donors() const {
  const Place all{.name = "donors"};
  if (plan_.donors.empty()) return;
  if (plan_.donors.size() != plan_.outputs.size())
    fail(all, cat("one for each of ", plan_.outputs.size(), " results"), cat(plan_.donors.size()));
  std::set<int> used;
  for (std::size_t i = 0; i < plan_.donors.size(); ++i) {
    const int donor = plan_.donors[i];
    if (donor == -1) continue;
    const Place place{&all, {}, i};
    expect_index(place, "an argument", donor, plan_.inputs.size());
    if (!used.insert(donor).second) fail(place, "an argument of its own", cat(donor, " twice"));
    if (!look_alike(plan_.inputs[std::size_t(donor)], plan_.outputs[i]))
      fail(place, "an argument like the result", cat("argument ", donor));
  }
}

void PlanValidator::check_buffers() {
  const Place all{.name = "buffers"};
  if (plan_.arena_bytes < 0) fail({.name = "arena_bytes"}, "a size", cat(plan_.arena_bytes));
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
    check_buffer(plan_.buffers[i], {&all, {}, i});
}

void PlanValidator::check_bound_count(const Buffer& buffer, std::int64_t expected,
                                      const Place& place) const {
  check_block_expression(buffer.count, place);
  const std::int64_t count = buffer.count.evaluate(single_shard_);
  if (count != expected) fail(place, cat(expected, " elements"), cat(count));
}

void PlanValidator::check_buffer(const Buffer& buffer, const Place& place) const {
  check_block_expression(buffer.count, place);
  const auto check_port = [&](const std::vector<PortInfo>& ports) {
    expect_index(place, "an argument or result", buffer.index, ports.size());
    const PortInfo& port = ports[std::size_t(buffer.index)];
    if (port.type.dtype != buffer.dtype)
      fail(place, to_string(port.type.dtype), to_string(buffer.dtype));
    check_bound_count(buffer, local_type(plan_, port).count(), place);
  };
  switch (buffer.kind) {
    case BufferKind::input:
      return check_port(plan_.inputs);
    case BufferKind::output:
      return check_port(plan_.outputs);
    case BufferKind::constant: {
      expect_index(place, "a constant", buffer.index, around_.constants.size());
      const Type& type = around_.constants[std::size_t(buffer.index)];
      if (type.dtype != buffer.dtype) fail(place, to_string(type.dtype), to_string(buffer.dtype));
      return check_bound_count(buffer, type.count(), place);
    }
    case BufferKind::arena: {
      if (!buffer.count.is_constant()) fail(place, "a constant size in the arena", "an expression");
      const auto bytes = checked_bytes({.dtype = buffer.dtype, .dims = {buffer.count.value()}});
      if (bytes && !around_.has_places) return;
      if (!bytes || buffer.arena_offset < 0 || buffer.arena_offset % place_alignment(*bytes) != 0 ||
          buffer.arena_offset > plan_.arena_bytes ||
          *bytes > plan_.arena_bytes - buffer.arena_offset)
        fail(place, cat("a place within ", plan_.arena_bytes, " bytes of arena"),
             cat("offset ", buffer.arena_offset, " and ", buffer.count.value(), " elements"));
      return;
    }
    case BufferKind::spare: {
      expect_index(place, "a result", buffer.index, plan_.outputs.size());
      const PortInfo& port = plan_.outputs[std::size_t(buffer.index)];
      if (!buffer.count.is_constant() || port.placement >= 0)
        fail(place, "a constant size in a result of constant size", "an expression");
      const auto bytes = checked_bytes({.dtype = buffer.dtype, .dims = {buffer.count.value()}});
      const std::int64_t room = checked_bytes(local_type(plan_, port)).value_or(0);
      if (!bytes || buffer.arena_offset < 0 || buffer.arena_offset % place_alignment(*bytes) != 0 ||
          buffer.arena_offset > room || *bytes > room - buffer.arena_offset)
        fail(place, cat("a place within ", room, " bytes of a result"),
             cat("offset ", buffer.arena_offset, " and ", buffer.count.value(), " elements"));
      return;
    }
    case BufferKind::block:
      if (!checked_bytes({.dtype = buffer.dtype, .dims = {buffer.count.evaluate(single_shard_)}}))
        fail(place, "a size", "one that does not fit in memory");
      return;
  }
}

void PlanValidator::check_expression(const HostExpr& e, const Place& place, int depth) const {
  if (depth > max_expression_depth) fail(place, "a smaller expression", "a deep one");
  if (e.kind() == HostExpr::Kind::variable)
    expect_index(place, "a variable", e.value(), plan_.variables.size());
  for (const HostExpr& operand : e.operands()) check_expression(operand, place, depth + 1);
}

bool PlanValidator::uses_block_variable(const HostExpr& e) const {
  if (e.kind() == HostExpr::Kind::variable) return block_variables_.contains(e.value());
  for (const HostExpr& operand : e.operands())
    if (uses_block_variable(operand)) return true;
  return false;
}

// An expression of block bounds only, which has its value before the first step.
void PlanValidator::check_block_expression(const HostExpr& e, const Place& place) const {
  check_expression(e, place);
  if (e.kind() == HostExpr::Kind::variable && !block_variables_.contains(e.value()))
    fail(place, "block bounds only", plan_.variables[std::size_t(e.value())]);
  for (const HostExpr& operand : e.operands()) check_block_expression(operand, place);
}

void PlanValidator::check_ref(const BufferRef& ref, DType dtype, const Place& place) const {
  expect_index(place, "a buffer", ref.buffer, plan_.buffers.size());
  const Buffer& buffer = plan_.buffers[std::size_t(ref.buffer)];
  if (buffer.dtype != dtype)
    fail(place, cat("a buffer of ", to_string(dtype)), to_string(buffer.dtype));
  check_expression(ref.offset, place);
}

void PlanValidator::check_steps(const Steps& steps, const Place& place, int depth) const {
  if (depth > max_step_depth) fail(place, "less nesting", "more");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Place inner{&place, {}, i};
    std::visit([&](const auto& what) { check(what, inner, depth); }, steps[i].what);
  }
}

void PlanValidator::check(const Launch& x, const Place& place, int) const {
  expect_index(place, "a kernel", x.kernel, around_.kernels);
  for (const BufferRef& ref : x.buffers) {
    expect_index(place, "a buffer", ref.buffer, plan_.buffers.size());
    check_expression(ref.offset, place);
  }
  for (const ScalarArg& scalar : x.scalars) {
    if (scalar.dtype != DType::i32 && scalar.dtype != DType::i64)
      fail(place, "a scalar of i32 or i64", to_string(scalar.dtype));
    check_expression(scalar.value, place);
  }
  for (const KernelCall& c : x.calls) {
    static_cast<void>(types_of_call(c.call, c.count, place));
    if (find_matrix_routine(c.call.routine)->may_fail)
      fail(place, "a routine that cannot fail", c.call.routine);
  }
  if (!x.calls.empty() && !around_.makes_calls)
    fail(place, "no calls by kernels of this target", cat(x.calls.size()));
  for (const HostExpr& size : x.global) check_expression(size, place);
  for (const std::int64_t size : x.local)
    if (size < 0 || size > 1 << 20) fail(place, "a work-group size", cat(size));
}

void PlanValidator::check(const Gemm& x, const Place& place, int) const {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  if (!is_float(x.dtype)) fail(place, "a float GEMM", to_string(x.dtype));
  for (const std::int64_t size : {x.m, x.n, x.k, x.lda, x.ldb, x.ldc})
    if (size < 0 || size >= limit) fail(place, "a size below 2^31", cat(size));
  for (const std::int64_t stride : {x.stride_a, x.stride_b, x.stride_c})
    if (stride < 0) fail(place, "a stride of at least 0", cat(stride));
  const std::int64_t a_row = x.transpose_a ? x.m : x.k, b_row = x.transpose_b ? x.k : x.n;
  if (x.lda < a_row || x.ldb < b_row || x.ldc < x.n)
    fail(place, "rows within their strides", cat("lda ", x.lda, ", ldb ", x.ldb, ", ldc ", x.ldc));
  if (x.reads_bf16 && x.dtype != DType::f32)
    fail(place, "sums in f32 of products of bf16", to_string(x.dtype));
  for (const BufferRef* ref : {&x.a, &x.b})
    check_ref(*ref, x.reads_bf16 ? DType::bf16 : x.dtype, place);
  check_ref(x.c, x.dtype, place);
  check_expression(x.batch, place);
}

void PlanValidator::check(const Convolve& x, const Place& place, int) const {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  constexpr double most_elements = double(std::int64_t{1} << 48);
  if (x.window.empty() || x.window.size() > 3)
    fail(place, "windows of one to three dimensions", cat(x.window.size()));
  if (x.weight_strides.size() != x.window.size() + 2)
    fail(place, cat(x.window.size() + 2, " strides of weights"), cat(x.weight_strides.size()));
  const auto expect_size = [&](std::int64_t size, std::int64_t least) {
    if (size < least || size >= limit)
      fail(place, cat("a size from ", least, " to 2^31"), cat(size));
  };
  double elements = 1, results = 1;
  for (const std::int64_t size : {x.batch, x.groups, x.inputs, x.outputs}) {
    expect_size(size, 1);
    elements *= double(size);
  }
  for (const ConvolveWindow& w : x.window) {
    for (const std::int64_t size : {w.input, w.size, w.stride, w.dilation}) expect_size(size, 1);
    if (double(w.size) * double(w.dilation) >= double(limit))
      fail(place, "windows that reach over less than 2^31 elements", cat(w.size));
    for (const std::int64_t size : {w.low, w.high})
      if (size < 0 || size >= w.reach())
        fail(place, "padding of less than a window's reach", cat(size));
    if (w.low + w.input + w.high < w.reach()) fail(place, "windows that fit", cat(w.reach()));
    elements *= double(w.input) * double(w.size);
    results *= double(w.count());
  }
  double span = 1;
  for (const std::int64_t stride : x.weight_strides) {
    expect_size(stride, 0);
    span *= double(stride) + 1;
  }
  if (elements * results >= most_elements * most_elements || elements >= most_elements ||
      span >= most_elements * most_elements)
    fail(place, "a convolution of fewer elements", cat(elements));
  for (const BufferRef* ref : {&x.source, &x.weights, &x.result})
    check_ref(*ref, DType::f32, place);
  for (const Launch& l : x.then) {
    check(l, place, 0);
    if (l.global != std::array<HostExpr, 3>{x.result_count(), 1, 1})
      fail(place, cat(x.result_count(), " items of a launch that follows"), "another number");
  }
}

void PlanValidator::check(const Copy& x, const Place& place, int) const {
  expect_index(place, "a buffer", x.from.buffer, plan_.buffers.size());
  const DType dtype = plan_.buffers[std::size_t(x.from.buffer)].dtype;
  check_ref(x.from, dtype, place);
  check_ref(x.to, dtype, place);
  check_expression(x.count, place);
}

void PlanValidator::check(const For& x, const Place& place, int depth) const {
  expect_index(place, "a variable", x.variable, plan_.variables.size());
  if (block_variables_.contains(x.variable)) fail(place, "a loop variable", "a block bound");
  if (x.step < 1) fail(place, "a step of at least 1", cat(x.step));
  check_expression(x.begin, place);
  check_expression(x.end, place);
  check_steps(x.body, {&place, "body"}, depth + 1);
}

void PlanValidator::check(const While& x, const Place& place, int depth) const {
  check_ref(x.predicate, DType::i1, place);
  check_steps(x.condition, {&place, "condition"}, depth + 1);
  check_steps(x.body, {&place, "body"}, depth + 1);
}

void PlanValidator::check(const Case& x, const Place& place, int depth) const {
  if (x.index_dtype != DType::i32 && x.index_dtype != DType::i1)
    fail(place, "an index of i32 or i1", to_string(x.index_dtype));
  check_ref(x.index, x.index_dtype, place);
  if (x.branches.empty()) fail(place, "at least one branch", "none");
  const Place branches{&place, "branches"};
  for (std::size_t i = 0; i < x.branches.size(); ++i)
    check_steps(x.branches[i], {&branches, {}, i}, depth + 1);
}

void PlanValidator::check_request(int request, const Place& place) const {
  if (request < 0 || request >= plan_.requests)
    fail(place, cat("a request below ", plan_.requests), cat(request));
}

const Placement& PlanValidator::check_axis(const std::string& axis, const Place& place) const {
  for (const Placement& p : plan_.placements)
    if (p.name == axis && p.begin_variable >= 0) return p;
  fail(place, "the name of a placement that is split", axis.empty() ? "no name" : axis);
}

const ShardLists& PlanValidator::check_group_list(int groups, const Place& place) const {
  expect_index(place, "a list of groups", groups, plan_.groups.size());
  return plan_.groups[std::size_t(groups)];
}

void PlanValidator::check(const AllReduceStart& x, const Place& place, int) const {
  check_request(x.request, place);
  if (x.groups == -1)
    static_cast<void>(check_axis(x.axis, place));
  else
    check_groups(check_group_list(x.groups, place), place);
  if (is_complex(x.dtype) && x.combiner != Combiner::sum)
    fail(place, "a sum of complex numbers", to_string(x.combiner));
  if (x.wire != Wire{} && (x.dtype != DType::f32 || x.combiner != Combiner::sum || x.groups != -1))
    fail(place, "a sum of f32 over a placement", to_string(x.wire.format));
  for (const Piece& piece : x.pieces) {
    check_ref(piece.at, x.dtype, place);
    check_expression(piece.count, place);
    if (uses_block_variable(piece.count))
      fail(place, "pieces of one size on all shards", "a block's size");
  }
}

void PlanValidator::check(const AllGatherStart& x, const Place& place, int) const {
  check_request(x.request, place);
  const Placement& axis = check_axis(x.axis, place);
  if (x.elements_per_partition < 0 ||
      !checked_bytes({.dtype = x.dtype, .dims = {x.elements_per_partition, axis.size}}))
    fail(place, "a size", cat(x.elements_per_partition, " elements"));
  check_ref(x.from, x.dtype, place);
  check_ref(x.to, x.dtype, place);
}

void PlanValidator::check(const GroupStart& x, const Place& place, int) const {
  check_request(x.request, place);
  const ShardLists& lists = check_group_list(x.groups, place);
  std::int64_t members = 1;
  std::set<int> targets;
  if (x.call == GroupCall::all_reduce) fail(place, "another call", "all_reduce");
  if (x.call != GroupCall::permute) {
    check_groups(lists, place);
    members = std::ssize(lists[0]);
  } else {
    for (const std::vector<int>& pair : lists)
      if (pair.size() != 2 || !targets.insert(pair[1]).second)
        fail(place, "pairs with each target once", cat("one of ", pair.size(), " shards"));
  }
  if (is_complex(x.dtype) && x.combiner != Combiner::sum)
    fail(place, "a sum of complex numbers", to_string(x.combiner));
  if (x.elements < 0 || !checked_bytes({.dtype = x.dtype, .dims = {x.elements, members}}))
    fail(place, "a size", cat(x.elements, " elements"));
  check_ref(x.from, x.dtype, place);
  check_ref(x.to, x.dtype, place);
}

void PlanValidator::check(const CollectiveDone& x, const Place& place, int) const {
  check_request(x.request, place);
}

void PlanValidator::check(const Check& x, const Place& place, int) const {
  check_ref(x.condition, DType::i1, place);
}

void PlanValidator::check(const HostCall& x, const Place& place, int) const {
  const std::vector<Type> types = types_of_call(x.call, x.count, place);
  check_arrays(x.operands, x.call.operands, x.count, place);
  check_arrays(x.results, types, x.count, place);
}

std::vector<Type> PlanValidator::types_of_call(const MatrixCall& call, std::int64_t count,
                                               const Place& place) {
  if (count < 0) fail(place, "a count of matrices", cat(count));
  for (Type all : call.operands) {
    all.dims.insert(all.dims.begin(), count);
    if (!checked_bytes(all)) fail(place, "a size", "one that does not fit in memory");
  }
  try {
    return result_types(call);
  } catch (const Error& error) {
    fail(place, cat("a call that ", call.routine, " takes"), error.what());
  }
}

void PlanValidator::check(const FunctionCall& x, const Place& place, int) const {
  if (x.function.empty()) fail(place, "the name of a function", "none");
  check_arrays(x.operands, x.operand_types, 1, place);
  check_arrays(x.results, x.result_types, 1, place);
}

void PlanValidator::check_arrays(const std::vector<BufferRef>& refs, const std::vector<Type>& types,
                                 std::int64_t count, const Place& place) const {
  if (refs.size() != types.size())
    fail(place, cat(types.size(), " buffers of arrays"), cat(refs.size()));
  for (std::size_t k = 0; k < refs.size(); ++k) {
    Type all = types[k];
    all.dims.insert(all.dims.begin(), count);
    if (!checked_bytes(all)) fail(place, "a size", "one that does not fit in memory");
    check_ref(refs[k], types[k].dtype, place);
  }
}

}  // namespace

std::optional<std::string> find_problem(const Plan& plan, const PlanSurroundings& around) {
  try {
    return problem_of([&] { PlanValidator(plan, around).run(); });
  } catch (const Error& error) {  // arithmetic that overflows
    return error.what();
  }
}

}  // namespace partita
