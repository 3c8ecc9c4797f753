// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/derivatives.hpp"

#include <numeric>
#include <utility>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/control.hpp"
#include "partita/builder/ops.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/op.hpp"

namespace partita::build {
namespace {

std::vector<std::int64_t> all_of(const Arrays& arguments) {
  std::vector<std::int64_t> numbers(arguments.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// A body as a private function of the module, and what it is called with: the arguments, then what
/// it uses from around it.
struct Callee {
  ir::Function* function;
  std::vector<ir::Value> operands;
};

Callee add_callee(const Arrays& arguments, const Body& body) {
  ir::Module& module = Scope::current().module();
  Callee callee{.function = nullptr, .operands = as_values(arguments)};
  std::vector<Type> types;
  for (const ir::Value& v : callee.operands) types.push_back(v.type());
  auto function = std::make_unique<ir::Function>();
  {
    Scope scope(module, Scope::Captures::as_arguments);
    scope.fill(scope.add_arguments(types), body);
    callee.operands.insert(callee.operands.end(), scope.captured().begin(), scope.captured().end());
    function->body = scope.close();
  }
  function->is_public = false;
  for (const ir::Value& v : function->body->results) function->result_types.push_back(v.type());
  function->arg_attrs.resize(callee.operands.size());
  function->res_attrs.resize(function->result_types.size());
  int number = 0;
  do function->name = cat("differentiated_", number++);
  while (module.find(function->name) != nullptr);
  callee.function = function.get();
  module.functions.push_back(std::move(function));
  return callee;
}

Arrays call(const ir::Function& function, std::vector<ir::Value> operands) {
  return results_of(*ir::create(Scope::current().graph(), "func.call", std::move(operands),
                                {{"callee", ir::SymbolRef{function.name}}}, {},
                                function.result_types));
}

void expect_types(std::string_view function, const std::string& what, const Arrays& found,
                  const std::vector<Type>& expected) {
  if (found.size() != expected.size())
    refuse(function, cat(expected.size(), " ", what, "s"), cat(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].is_literal() || found[k].type() != expected[k])
      refuse(function, cat(what, " ", k, " of type ", to_string(expected[k])),
             found[k].is_literal() ? "a literal" : to_string(found[k].type()));
}

/// Arrays of a type, zeros but for a 1 each, at elements from `first` on.
Array basis(const Type& type, const Array& first, std::int64_t count) {
  const Type flat{.dtype = DType::i32, .dims = {count, type.count()}};
  Dims dims = type.dims;
  dims.insert(dims.begin(), count);
  return reshape(convert(equal(iota(flat, 1), iota(flat, 0) + first), type.dtype), dims);
}

/// Result `result` of a function, linear in its last argument, for each element of a basis of that
/// argument, stacked along a first dimension: many at once where the function's ops allow it.
Array over_basis(const ir::Function& linear, const std::vector<ir::Value>& operands,
                 std::size_t result) {
  const int seed = int(operands.size());
  const Type type = linear.body->argument(seed).type();
  Type all = linear.result_types.at(result);
  const std::int64_t count = type.count();
  all.dims.insert(all.dims.begin(), count);
  if (count == 0) return zeros(all);
  std::int64_t at_once = ir::tangents_at_once(*linear.body, seed, count);
  const ir::Function* many = at_once == 1
                                 ? nullptr
                                 : ir::stacked(Scope::current().module(), linear.name,
                                               cat(linear.name, "_stacked"), seed, result, at_once);
  if (many == nullptr) at_once = 1;
  const auto from = [&](const Array& first) {
    Array seeds = basis(type, first, at_once);
    if (many == nullptr) seeds = reshape(seeds, type.dims);
    std::vector<ir::Value> arguments = operands;
    arguments.push_back(seeds.value());
    if (many != nullptr) return call(*many, arguments)[0];
    return expand_dims(call(linear, arguments)[result], {0});
  };
  const Array none = zeros(Type::scalar(DType::i32));
  if (at_once == count) return from(none);
  return repeat(
      (count + at_once - 1) / at_once, {zeros(all)}, [&](const Array& step, const Arrays& carried) {
        // The last block begins where it still fits.
        const Array first = elementwise(
            "minimum", {step * double(at_once), full(none.type(), double(count - at_once))});
        Arrays starts(std::size_t(all.rank()), zeros(none.type()));
        starts[0] = first;
        return Arrays{dynamic_update_slice(carried[0], from(first), starts)};
      })[0];
}

/// A function of one array to one array of floats or complex numbers.
Callee add_function_of(std::string_view who, const std::function<Array(const Array&)>& function,
                       const Array& x) {
  Callee callee = add_callee({x}, [&](const Arrays& a) { return Arrays{function(a[0])}; });
  for (const Type& type : {x.type(), callee.function->result_types[0]})
    if (!ir::has_tangent(type)) refuse(who, "arrays of floats or complex numbers", to_string(type));
  return callee;
}

}  // namespace

ValueAndGradients value_and_grad(const Loss& loss, const Arrays& arguments,
                                 const std::vector<std::int64_t>& wrt, Mode mode) {
  const std::vector<std::int64_t> which = wrt.empty() ? all_of(arguments) : wrt;
  const Callee callee =
      add_callee(arguments, [&](const Arrays& inside) { return Arrays{loss(inside)}; });
  std::vector<Type> types = callee.function->result_types;
  for (const std::int64_t k : which) {
    if (k < 0 || std::size_t(k) >= arguments.size())
      refuse("grad", cat("arguments below ", arguments.size(), " in wrt"), cat(k));
    types.push_back(callee.operands[std::size_t(k)].type());
  }
  Arrays results =
      results_of(*ir::create(Scope::current().graph(), "mr.grad", callee.operands,
                             {{"callee", ir::SymbolRef{callee.function->name}},
                              {"wrt", which},
                              {"value", true},
                              {"mode", std::string(mode == Mode::reverse ? "reverse" : "forward")}},
                             {}, types));
  return {.value = results[0], .gradients = Arrays(results.begin() + 1, results.end())};
}

Arrays grad(const Loss& loss, const Arrays& arguments, const std::vector<std::int64_t>& wrt,
            Mode mode) {
  return value_and_grad(loss, arguments, wrt, mode).gradients;
}

Pushed jvp(const Body& function, const Arrays& arguments, const Arrays& tangents) {
  Callee callee = add_callee(arguments, function);
  expect_types("jvp", "tangent", tangents, types_of(arguments));
  ir::Module& module = Scope::current().module();
  const ir::Function& derivative =
      ir::jvp(module, callee.function->name, cat(callee.function->name, "_jvp"), all_of(arguments));
  for (const Array& t : tangents) callee.operands.push_back(t.value());
  const Arrays all = call(derivative, callee.operands);
  const auto split = all.begin() + std::ptrdiff_t(callee.function->result_types.size());
  return {.results = Arrays(all.begin(), split), .tangents = Arrays(split, all.end())};
}

Pulled vjp(const Body& function, const Arrays& arguments, const Arrays& cotangents) {
  Callee callee = add_callee(arguments, function);
  expect_types("vjp", "cotangent", cotangents, callee.function->result_types);
  ir::Module& module = Scope::current().module();
  const ir::Function& derivative =
      ir::vjp(module, callee.function->name, cat(callee.function->name, "_vjp"), all_of(arguments));
  for (const Array& t : cotangents) callee.operands.push_back(t.value());
  const Arrays all = call(derivative, callee.operands);
  const auto split = all.begin() + std::ptrdiff_t(callee.function->result_types.size());
  return {.results = Arrays(all.begin(), split), .cotangents = Arrays(split, all.end())};
}

Array jacfwd(const std::function<Array(const Array&)>& function, const Array& x) {
  const Callee callee = add_function_of("jacfwd", function, x);
  const ir::Function& push = ir::jvp(Scope::current().module(), callee.function->name,
                                     cat(callee.function->name, "_jvp"), {0});
  const Array columns = over_basis(push, callee.operands, 1);
  Axes last(std::size_t(columns.rank()));
  std::iota(last.begin(), last.end(), 1);
  last.back() = 0;
  Dims dims = callee.function->result_types[0].dims;
  dims.insert(dims.end(), x.dims().begin(), x.dims().end());
  return reshape(transpose(columns, last), dims);
}

Array jacrev(const std::function<Array(const Array&)>& function, const Array& x) {
  const Callee callee = add_function_of("jacrev", function, x);
  const ir::Function& pull = ir::vjp(Scope::current().module(), callee.function->name,
                                     cat(callee.function->name, "_vjp"), {0});
  const Array rows = over_basis(pull, callee.operands, 1);
  Dims dims = callee.function->result_types[0].dims;
  dims.insert(dims.end(), x.dims().begin(), x.dims().end());
  return reshape(rows, dims);
}

Array hessian(const std::function<Array(const Array&)>& loss, const Array& x) {
  return jacfwd(
      [&](const Array& y) { return grad([&](const Arrays& a) { return loss(a[0]); }, {y})[0]; }, x);
}

}  // namespace partita::build
