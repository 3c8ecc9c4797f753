// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What tests of ops share: arrays from literals, random inputs, running text and graphs, comparison.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/factor_transform.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir {

inline Tensor make_tensor(const Type& type, const std::vector<double>& values) {
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  EXPECT_EQ(std::int64_t(values.size()), type.count());
  std::copy(values.begin(), values.end(), wide.data<DType::f64>());
  return std::make_shared<const HostArray>(convert(wide, type.dtype));
}
inline Tensor f32(Dims dims, const std::vector<double>& values) {
  return make_tensor({.dtype = DType::f32, .dims = std::move(dims)}, values);
}
inline Tensor i32(Dims dims, const std::vector<double>& values) {
  return make_tensor({.dtype = DType::i32, .dims = std::move(dims)}, values);
}

inline std::vector<double> values_of(const Tensor& t) {
  const HostArray wide = convert(*t, DType::f64);
  return {wide.data<DType::f64>(), wide.data<DType::f64>() + wide.type.count()};
}

/// The parts of complex numbers one after the other; other arrays as they are.
inline Tensor parts_of(const Tensor& t) {
  if (!is_complex(t->type.dtype)) return t;
  Type type{.dtype = t->type.dtype == DType::c64 ? DType::f32 : DType::f64, .dims = t->type.dims};
  type.dims.push_back(2);
  HostArray parts(type);
  parts.bytes = t->bytes;
  return std::make_shared<const HostArray>(std::move(parts));
}

/// What the text is refused with, which is a user error.
inline std::string refusal_of(const std::string& text) {
  try {
    (void)parse_module(text, "t.mlir");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user);
    return e.what();
  }
  return "no error";
}

/// Runs @main of a text.
inline std::vector<Tensor> run_text(const std::string& text, const std::vector<Tensor>& inputs) {
  const auto module = parse_module(text);
  Interpreter interpreter(*module);
  return interpreter.run(module->entry("main"), inputs);
}

inline std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs) {
  static const Module module;
  Interpreter interpreter(module);
  return interpreter.run(graph, inputs);
}

/// Small values; integers also outside of what small arrays can be indexed with.
inline Tensor random_tensor(const Type& type, std::mt19937& random) {
  if (is_complex(type.dtype)) {
    Type parts{.dtype = type.dtype == DType::c64 ? DType::f32 : DType::f64, .dims = type.dims};
    parts.dims.push_back(2);
    HostArray whole(type);
    whole.bytes = random_tensor(parts, random)->bytes;
    return std::make_shared<const HostArray>(std::move(whole));
  }
  std::vector<double> values;
  for (std::int64_t k = 0; k < type.count(); ++k)
    values.push_back(
        is_integer(type.dtype)
            ? double(std::uniform_int_distribution<int>(
                  intersects(info(type.dtype).kind, Kinds::unsigned_) ? 0 : -2, 6)(random))
        : type.dtype == DType::i1 ? double(random() % 2)
                                  : std::uniform_real_distribution<double>(-2, 2)(random));
  return make_tensor(type, values);
}

/// Equal, or close where floats were added in another order; `rounding`: how many times as far apart as a few
/// operations on small values leave them.
inline void expect_close(const Tensor& a, const Tensor& b, const std::string& what,
                         double rounding = 1) {
  ASSERT_EQ(to_string(a->type), to_string(b->type)) << what;
  const std::vector<double> x = values_of(parts_of(a)), y = values_of(parts_of(b));
  const DType d = parts_of(a)->type.dtype;
  const double tolerance = !is_float(d)       ? 0
                           : d == DType::bf16 ? 2e-2
                           : d == DType::f16  ? 2e-3
                                              : 1e-5;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k]) && std::isnan(y[k])) continue;
    if (x[k] == y[k]) continue;
    ASSERT_LE(std::abs(x[k] - y[k]), tolerance * rounding * (1 + std::abs(y[k])))
        << what << ", element " << k;
  }
}

/// A graph that holds only (a copy of) the node; its arguments are what the node uses.
inline std::unique_ptr<Graph> isolated(const Node& node) {
  auto graph = std::make_unique<Graph>();
  ValueMap<Value> map;
  for (const Value& v : captures(node)) map[v] = graph->add_argument(v.type());
  Node* copy = clone_node(node, *graph, map);
  for (int k = 0; k < copy->result_count(); ++k) graph->results.push_back(copy->result(k));
  return graph;
}

/// Every node of every op's samples, with a name for messages.
inline void for_each_sample_node(
    const std::function<void(const Node&, const std::string&)>& visit) {
  for (const OpDef* op : OpRegistry::instance().all())
    for (std::size_t s = 0; s < op->samples.size(); ++s) {
      const auto module = parse_module(op->samples[s], cat(op->name, " sample ", s));
      for (const Node* node : module->entry("main").body->nodes())
        if (&node->op() == op) visit(*node, cat(op->name, " sample ", s, ": ", print_node(*node)));
    }
}

}  // namespace partita::ir
