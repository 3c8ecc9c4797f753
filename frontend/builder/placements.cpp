// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/placements.hpp"

#include <utility>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::build {
namespace {

Type placed(Type type, std::int64_t n) {
  type.dims.insert(type.dims.begin(), n);
  return type;
}

Type of_partition(const std::string& placement, const Array& x, std::int64_t n) {
  Type type = x.type();
  if (type.dims.empty() || type.dims[0] != n)
    refuse("map", cat("an operand with the ", n, " partitions of ", placement, " first"),
           to_string(type));
  type.dims.erase(type.dims.begin());
  return type;
}

Arrays reduce(std::string_view name, const std::string& placement, const Arrays& x,
              const Arrays& weights, const ReduceOptions& options) {
  if (x.empty()) refuse(name, "at least 1 operand", "none");
  Arrays operands = x;
  operands.insert(operands.end(), weights.begin(), weights.end());
  if (options.mask) operands.push_back(*options.mask);
  operands.insert(operands.end(), options.kept.begin(), options.kept.end());
  ir::Dict attrs{{"placement", placement}};
  const bool is_sum = name == "mr.reduce_sum";
  if (!is_sum && options.on_zero_weight != "nan")
    attrs.set("on_zero_weight", options.on_zero_weight);
  if (operands.size() > x.size())
    attrs.set("operand_segments",
              ir::I64s{std::int64_t(x.size()), std::int64_t(weights.size()),
                       std::int64_t(options.mask.has_value()), std::int64_t(options.kept.size())});
  return op(name, operands, std::move(attrs));
}

}  // namespace

std::int64_t partitions(const std::string& placement) {
  const auto n = Scope::current().module().placement_size(placement);
  if (!n) refuse("builder", "a placement of the program", placement);
  return *n;
}

Array broadcast(const std::string& placement, const Array& x) {
  const ir::Value value = x.value();
  const Type type = placed(value.type(), partitions(placement));
  return op("mr.broadcast", {x}, {{"placement", placement}}, std::span(&type, 1))[0];
}

Arrays broadcast(const std::string& placement, const Arrays& x) {
  Arrays results;
  for (const Array& a : x) results.push_back(broadcast(placement, a));
  return results;
}

Arrays map(const std::string& placement, const Body& body, const Arrays& operands) {
  const std::int64_t n = partitions(placement);
  std::vector<Type> types;
  for (const Array& x : operands) types.push_back(of_partition(placement, x, n));
  std::vector<ir::Value> captured;
  std::unique_ptr<ir::Graph> region;
  {
    Scope scope(Scope::current().module(), Scope::Captures::as_arguments);
    scope.fill(scope.add_arguments(types), body);
    captured = scope.captured();
    region = scope.close();
  }
  Arrays all = operands;
  for (const Array& x : as_arrays(captured)) all.push_back(broadcast(placement, x));
  std::vector<Type> result_types;
  for (const ir::Value& v : region->results) result_types.push_back(placed(v.type(), n));
  const ir::I64s in(all.size(), 0), out(result_types.size(), 0);
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(std::move(region));
  return results_of(*ir::create(Scope::current().graph(), "mr.map", as_values(all),
                                {{"placement", placement}, {"in_axes", in}, {"out_axes", out}},
                                std::move(regions), result_types));
}

Array partition_index(const std::string& placement) {
  return op("mr.partition_index", {}, {{"placement", placement}})[0];
}

Arrays reduce_sum(const std::string& placement, const Arrays& x, const ReduceOptions& options) {
  return reduce("mr.reduce_sum", placement, x, {}, options);
}
Arrays reduce_mean(const std::string& placement, const Arrays& x, const ReduceOptions& options) {
  return reduce("mr.reduce_mean", placement, x, {}, options);
}
Arrays reduce_max(const std::string& placement, const Arrays& x, const ReduceOptions& options) {
  return reduce("mr.reduce_max", placement, x, {}, options);
}
Arrays reduce_min(const std::string& placement, const Arrays& x, const ReduceOptions& options) {
  return reduce("mr.reduce_min", placement, x, {}, options);
}
Arrays reduce_weighted_mean(const std::string& placement, const Arrays& x, const Array& weights,
                            const ReduceOptions& options) {
  return reduce("mr.reduce_weighted_mean", placement, x, {weights}, options);
}

Array reduce_sum(const std::string& placement, const Array& x, const ReduceOptions& options) {
  return reduce_sum(placement, Arrays{x}, options)[0];
}
Array reduce_mean(const std::string& placement, const Array& x, const ReduceOptions& options) {
  return reduce_mean(placement, Arrays{x}, options)[0];
}
Array reduce_max(const std::string& placement, const Array& x, const ReduceOptions& options) {
  return reduce_max(placement, Arrays{x}, options)[0];
}
Array reduce_min(const std::string& placement, const Array& x, const ReduceOptions& options) {
  return reduce_min(placement, Arrays{x}, options)[0];
}

}  // namespace partita::build
