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
  Graphs regions;
  regions.push_back(open_body(types_of(start),
                              [&](const Arrays& carried) { return Arrays{condition(carried)}; }));
  regions.push_back(open_body(types_of(start), body));
  return results_of(*ir::create(Scope::current().graph(), "stablehlo.while", as_values(start), {},
                                std::move(regions)));
}

Arrays repeat(std::int64_t count, const Arrays& initial,
              const std::function<Arrays(const Array&, const Arrays&)>& body) {
  const Type step_type = Type::scalar(DType::i32);
  Arrays start{zeros(step_type)};
  start.insert(start.end(), initial.begin(), initial.end());
  const auto carried_of = [](const Arrays& all) { return Arrays(all.begin() + 1, all.end()); };
  const Arrays end = while_loop(
      start, [&](const Arrays& all) { return all[0] < full(step_type, double(count)); },
      [&](const Arrays& all) {
        Arrays next = body(all[0], carried_of(all));
        next.insert(next.begin(), all[0] + 1);
        return next;
      });
  return carried_of(end);
}

Scanned scan(const Arrays& initial, const Arrays& inputs,
             const std::function<Scanned(const Arrays&, const Arrays&)>& body) {
  const std::int64_t count = slices_of(inputs);
  // What one step stacks is known from a trial, which is thrown away.
  std::vector<Type> stacked_types;
  {
    Scope trial(Scope::current().module(), Scope::Captures::directly);
    Arrays slices;
    for (const Array& x : inputs) slices.push_back(first(x, zeros(Type::scalar(DType::i32))));
    stacked_types = types_of(body(trial.add_arguments(types_of(initial)), slices).stacked);
  }
  Arrays start = initial;
  for (Type type : stacked_types) {
    type.dims.insert(type.dims.begin(), count);
    start.push_back(zeros(type));
  }
  const std::size_t n = initial.size();
  const Arrays end = repeat(count, start, [&](const Array& step, const Arrays& all) {
    Arrays slices;
    for (const Array& x : inputs) slices.push_back(first(x, step));
    Scanned next = body(Arrays(all.begin(), all.begin() + std::ptrdiff_t(n)), slices);
    if (next.carried.size() != n)
      refuse("scan", cat("a body that carries ", n, " arrays"), cat(next.carried.size()));
    for (std::size_t k = 0; k < next.stacked.size(); ++k)
      next.carried.push_back(with_slice(all[n + k], next.stacked[k], step));
    return next.carried;
  });
  return {.carried = Arrays(end.begin(), end.begin() + std::ptrdiff_t(n)),
          .stacked = Arrays(end.begin() + std::ptrdiff_t(n), end.end())};
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
