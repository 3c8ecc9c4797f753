// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/make_loop.hpp"

#include "partita/ir/op.hpp"

namespace partita::ir {

std::vector<Value> make_counted_loop(const Maker& make, DType counter, std::int64_t trips,
                                     const std::vector<Value>& start, const LoopStep& step) {
  auto condition = std::make_unique<Graph>(), body = std::make_unique<Graph>();
  std::vector<Value> carried{make.splat(Type::scalar(counter), 0)};
  carried.insert(carried.end(), start.begin(), start.end());
  for (const Value& v : carried) {
    condition->add_argument(v.type());
    body->add_argument(v.type());
  }
  const Maker test{*condition}, in{*body};
  const Value index = body->argument(0);
  condition->results = {
      test.compare("LT", condition->argument(0), test.splat(index.type(), double(trips)))};
  const std::vector<Value> carries = body->arguments();
  const std::vector<Value> next = step(in, index, std::span(carries).subspan(1));
  body->results = {in.op("stablehlo.add", {index, in.splat(index.type(), 1)})};
  body->results.insert(body->results.end(), next.begin(), next.end());
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(condition));
  regions.push_back(std::move(body));
  Node* loop = create(make.graph, "stablehlo.while", carried, {}, std::move(regions), {},
                      make.before, make.location);
  std::vector<Value> results;
  for (std::size_t k = 0; k < start.size(); ++k) results.push_back(loop->result(int(k) + 1));
  return results;
}

namespace {

/// The start along one dimension, zero along the others.
std::vector<Value> starts_of(const Maker& make, Value array, std::int64_t dimension, Value start) {
  const std::size_t rank = array.type().dims.size();
  std::vector<Value> starts(rank, rank == 1 ? start : make.splat(start.type(), 0));
  starts[std::size_t(dimension)] = start;
  return starts;
}

}  // namespace

Value slice_along(const Maker& make, Value array, std::int64_t dimension, Value start,
                  std::int64_t extent) {
  std::vector<Value> operands = starts_of(make, array, dimension, start);
  operands.insert(operands.begin(), array);
  I64s sizes = array.type().dims;
  sizes[std::size_t(dimension)] = extent;
  return make.op("stablehlo.dynamic_slice", std::move(operands), {{"slice_sizes", sizes}});
}

Value with_slice_along(const Maker& make, Value array, std::int64_t dimension, Value start,
                       Value slice) {
  std::vector<Value> operands = starts_of(make, array, dimension, start);
  operands.insert(operands.begin(), {array, slice});
  return make.op("stablehlo.dynamic_update_slice", std::move(operands));
}

}  // namespace partita::ir
