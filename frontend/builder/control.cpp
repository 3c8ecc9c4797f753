// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/control.hpp"

#include <utility>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/ops.hpp"
#include "partita/ir/op.hpp"

namespace partita::build {
namespace {

using Graphs = std::vector<std::unique_ptr<ir::Graph>>;

/// A body that uses outer values as they are.
std::unique_ptr<ir::Graph> open_body(const std::vector<Type>& types, const Body& body) {
  Scope scope(Scope::current().module(), Scope::Captures::directly);
  scope.fill(scope.add_arguments(types), body);
  return scope.close();
}

using Condition = std::function<Array(const Arrays&)>;

/// A while of this body; its condition is built on the same carries.
Arrays loop(const Arrays& start, const Condition& condition, std::unique_ptr<ir::Graph> body) {
  Graphs regions;
  regions.push_back(open_body(types_of(start),
                              [&](const Arrays& carried) { return Arrays{condition(carried)}; }));
  regions.push_back(std::move(body));
  return results_of(*ir::create(Scope::current().graph(), "stablehlo.while", as_values(start), {},
                                std::move(regions)));
}

/// With a counter in front, from 0.
Arrays counted(const Arrays& carries) {
  Arrays all{zeros(Type::scalar(DType::i32))};
  all.insert(all.end(), carries.begin(), carries.end());
  return as_arrays(as_values(all));
}

Arrays without_counter(const Arrays& all) { return {all.begin() + 1, all.end()}; }

Condition below(std::int64_t count) {
  return [=](const Arrays& all) { return all[0] < full(all[0].type(), double(count)); };
}

Array first(const Array& x, const Array& step) {
  Arrays starts{step};
  Dims sizes = x.dims();
  sizes[0] = 1;
  for (std::int64_t d = 1; d < x.rank(); ++d) starts.push_back(zeros(step.type()));
  const Dims rest(sizes.begin() + 1, sizes.end());
  return reshape(dynamic_slice(x, starts, sizes), rest);
}

Array with_slice(const Array& stacked, const Array& slice, const Array& step) {
  Arrays starts{step};
  for (std::int64_t d = 1; d < stacked.rank(); ++d) starts.push_back(zeros(step.type()));
  return dynamic_update_slice(stacked, expand_dims(slice, {0}), starts);
}

/// Number of slices of scanned inputs.
std::int64_t slices_of(const Arrays& inputs) {
  if (inputs.empty()) refuse("scan", "at least 1 input", "none");
  for (const Array& x : inputs)
    if (x.rank() == 0 || x.dim(0) != inputs[0].dim(0))
      refuse("scan", "inputs with one first dimension", to_string(x.type()));
  return inputs[0].dim(0);
}

}  // namespace

Arrays while_loop(const Arrays& initial, const std::function<Array(const Arrays&)>& condition,
                  const Body& body) {
  const Arrays start = as_arrays(as_values(initial));
  return loop(start, condition, open_body(types_of(start), body));
}

Arrays repeat(std::int64_t count, const Arrays& initial,
              const std::function<Arrays(const Array&, const Arrays&)>& body) {
  const Arrays start = counted(initial);
  auto step = open_body(types_of(start), [&](const Arrays& all) {
    Arrays next = body(all[0], without_counter(all));
    next.insert(next.begin(), all[0] + 1);
    return next;
  });
  return without_counter(loop(start, below(count), std::move(step)));
}

Scanned scan(const Arrays& initial, const Arrays& inputs,
             const std::function<Scanned(const Arrays&, const Arrays&)>& body) {
  const std::int64_t count = slices_of(inputs);
  Arrays start = counted(initial);
  std::vector<Type> stacked_types;
  auto step = open_body(types_of(start), [&](const Arrays& all) {
    Arrays slices;
    for (const Array& x : inputs) slices.push_back(first(x, all[0]));
    const Scanned next = body(without_counter(all), slices);
    if (next.carried.size() != initial.size())
      refuse("scan", cat("a body that carries ", initial.size(), " arrays"),
             cat(next.carried.size()));
    // What a step stacks is carried too, by arguments that are added once its types are known.
    Arrays results{all[0] + 1};
    results.insert(results.end(), next.carried.begin(), next.carried.end());
    for (const Array& slice : as_arrays(as_values(next.stacked))) {
      Type type = slice.type();
      type.dims.insert(type.dims.begin(), count);
      stacked_types.push_back(type);
      const Array stacked = Scope::current().add_arguments({type})[0];
      results.push_back(with_slice(stacked, slice, all[0]));
    }
    return results;
  });
  for (const Type& type : stacked_types) start.push_back(zeros(type));
  const Arrays end = without_counter(loop(start, below(count), std::move(step)));
  const auto split = end.begin() + std::ptrdiff_t(initial.size());
  return {.carried = Arrays(end.begin(), split), .stacked = Arrays(split, end.end())};
}

Arrays cond(const Array& condition, const std::function<Arrays()>& then,
            const std::function<Arrays()>& otherwise) {
  Graphs regions;
  for (const auto* branch : {&then, &otherwise})
    regions.push_back(open_body({}, [&](const Arrays&) { return (*branch)(); }));
  return results_of(*ir::create(Scope::current().graph(), "stablehlo.if", as_values({condition}),
                                {}, std::move(regions)));
}

}  // namespace partita::build
