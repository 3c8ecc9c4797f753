// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/processes/collective_support.hpp"

#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {

std::vector<I64s> expect_lists(const InferContext& c, const char* name) {
  auto lists = id_lists(c.attrs, name);
  if (!lists)
    c.fail(cat("a constant tensor of integers and rank 2 as ", name), "another attribute");
  I64s all;
  for (const I64s& list : *lists) all.insert(all.end(), list.begin(), list.end());
  for (const std::int64_t id : all) c.expect(id >= 0, cat("ids of at least 0 in ", name), cat(id));
  if (std::string_view(name) == "replica_groups") expect_unique(c, name, all);
  return *lists;
}

void expect_arrays(const InferContext& c) {
  c.expect(!c.operands.empty(), "at least 1 operand", "none");
  for (const Type& t : c.operands) c.expect(!t.is_token, "arrays", to_string(t));
}

namespace {

/// The types that a region combines: those of its arguments.
DType combined_dtype(const InferContext& c) {
  c.expect(c.regions.size() == 1 && c.regions[0]->argument_count() == 2 &&
               c.regions[0]->results.size() == 1,
           "a region with 2 arguments and 1 result", "another");
  const Graph& region = *c.regions[0];
  const Type& type = region.argument(0).type();
  c.expect(type == Type::scalar(type.dtype) && region.argument(1).type() == type &&
               region.results[0].type() == type,
           "a region of scalars of one type", to_string(type));
  return type.dtype;
}

bool is_promotable(DType from, DType to) {
  const Kinds a = info(from).kind, b = info(to).kind;
  return from == to || (a == b && info(from).bits <= info(to).bits);
}

}  // namespace

std::vector<Type> combined_types(const InferContext& c, std::span<const Type> arrays) {
  const DType dtype = combined_dtype(c);
  std::vector<Type> types;
  for (const Type& t : arrays) {
    c.expect(is_promotable(t.dtype, dtype), cat("operands that convert to ", to_string(dtype)),
             to_string(t));
    types.push_back({.dtype = dtype, .dims = t.dims});
  }
  return types;
}

Grid grid_of(const EvalContext& c) {
  const Process& p = c.interpreter.process;
  if (!p.grid) return {};
  return {.replicas = p.grid->replicas(), .partitions = p.grid->partitions(), .self = p.id};
}

std::vector<I64s> groups_of(const EvalContext& c) {
  const Grid grid = grid_of(c);
  return process_groups(c.node, grid.replicas, grid.partitions);
}

std::vector<std::vector<Tensor>> operands_of(const EvalContext& c, const I64s& group) {
  const Process& p = c.interpreter.process;
  if (!p.grid) return {{c.operands.begin(), c.operands.end()}};
  return p.grid->exchange(p.id, c.node, group, c.operands);
}

namespace {

/// Sums and products of floats, in f64.
HostArray combined_floats(const std::vector<HostArray>& parts, bool is_sum) {
  HostArray total = convert(parts[0], DType::f64);
  double* t = total.data<DType::f64>();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const HostArray wide = convert(parts[k], DType::f64);
    const double* x = wide.data<DType::f64>();
    for (std::int64_t i = 0; i < total.type.count(); ++i) t[i] = is_sum ? t[i] + x[i] : t[i] * x[i];
  }
  return convert(total, parts[0].type.dtype);
}

HostArray combined_by_region(const EvalContext& c, const std::vector<HostArray>& parts) {
  HostArray total = parts[0];
  const std::size_t size = byte_size(total.type.dtype);
  for (std::size_t k = 1; k < parts.size(); ++k)
    for (std::int64_t i = 0; i < total.type.count(); ++i) {
      const std::vector<Tensor> result = c.run_region(0, {element(total, i), element(parts[k], i)});
      std::memcpy(total.bytes.data() + std::size_t(i) * size, result[0]->bytes.data(), size);
    }
  return total;
}

}  // namespace

Tensor combined(const EvalContext& c, const std::vector<Tensor>& values) {
  const DType dtype = c.node.region(0).argument(0).type().dtype;
  std::vector<HostArray> parts;
  for (const Tensor& t : values) parts.push_back(convert(*t, dtype));
  const auto combiner = simple_combiner(c.node.region(0));
  if (is_float(dtype) && combiner && info(*combiner).rounds)
    return std::make_shared<const HostArray>(combined_floats(parts, combiner == Combiner::sum));
  return std::make_shared<const HostArray>(combined_by_region(c, parts));
}

namespace {

/// Dimensions of each operand and its result go together, but for those that `whole` names.
FactorsFn factors_except(std::vector<const char*> whole) {
  return [whole = std::move(whole)](const Node& node) {
    FactorRule rule = empty_rule(node);
    I64s needed;
    for (const char* name : whole) needed.push_back(node.attrs.i64(name));
    for (std::size_t k = 0; k < node.result_types().size(); ++k)
      for (std::size_t d = 0; d < rule.operands[k].size(); ++d) {
        if (contains(needed, std::int64_t(d))) continue;
        const int f = rule.add_factor(node.operand(k).type().dims[d]);
        rule.operands[k][d] = {f};
        rule.results[k][d] = {f};
      }
    replicate_rest(node, rule);
    return rule;
  };
}

AttrSpec optional_attr(std::string name) {
  return {.name = std::move(name), .kind = AttrKind::any, .required = false};
}

}  // namespace

OpDef collective(std::string name, std::string doc, InferFn infer, EvalFn eval,
                 std::vector<const char*> whole, const char* groups) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.factors = factors_except(whole);
  op.has_side_effect = op.asks_process = true;
  op.derivative = Derivative::none("exists once processes are batched (pass batch-processes)");
  for (const char* dim : whole)
    op.attrs.push_back(dim_attr(dim, {dim_index(DimRole::Side::operand, 0)}));
  op.attrs.push_back({.name = groups, .kind = AttrKind::dense});
  op.attrs.push_back(optional_attr("channel_handle"));
  op.attrs.push_back(flag_attr("use_global_device_ids"));
  return op;
}

}  // namespace partita::ir::ops
