// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of functions of a module as functions (graph to graph), and of `mr.grad` in programs.
// The functions that are differentiated stay as they are.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

struct GradOptions {
  std::vector<std::int64_t> wrt{0};  ///< arguments, of floats or complex numbers
  bool value = false;                ///< the function's result comes first
  bool forward = false;              ///< the same values by tangents instead of cotangents
};

/// Adds to the module the private function NAME: the arguments of `function` to its result (when
/// `value`) and its gradients.  `function` returns one scalar of floats; user errors name what is
/// expected.
Function& grad(Module& module, std::string_view function, std::string name,
               const GradOptions& options = {});
/// (arguments…, tangents of `wrt`…) to (results…, tangents of results that are floats or complex…).
Function& jvp(Module& module, std::string_view function, std::string name,
              const std::vector<std::int64_t>& wrt);
/// (arguments…, cotangents of results that are floats or complex…) to (results…, cotangents of
/// `wrt`…).
Function& vjp(Module& module, std::string_view function, std::string name,
              const std::vector<std::int64_t>& wrt);

/// The same as graphs, for callers that put them elsewhere.
[[nodiscard]] std::unique_ptr<Graph> grad_graph(const Module& module, const Function& function,
                                                const GradOptions& options);
[[nodiscard]] std::unique_ptr<Graph> jvp_graph(const Module& module, const Function& function,
                                               const std::vector<std::int64_t>& wrt);
[[nodiscard]] std::unique_ptr<Graph> vjp_graph(const Module& module, const Function& function,
                                               const std::vector<std::int64_t>& wrt);

/// How many of `count` values of an argument a function takes at once, such that no value that depends
/// on it grows too large; at least 1.
[[nodiscard]] std::int64_t tangents_at_once(const Graph& graph, int argument, std::int64_t count);
/// Result `result` of a graph for a stack of values of one argument: argument and result have `size`
/// as a first dimension.  Null where some op has no such form.
[[nodiscard]] std::unique_ptr<Graph> stacked_graph(const Graph& graph, int argument,
                                                   std::size_t result, std::int64_t size);
/// The same as a private function NAME of the module; null likewise.
Function* stacked(Module& module, std::string_view function, std::string name, int argument,
                  std::size_t result, std::int64_t size);

/// What a node of mr.grad asks for, and the graph that computes it.
[[nodiscard]] GradOptions grad_options(const Node& node);
[[nodiscard]] std::unique_ptr<Graph> expanded(const Module& module, const Node& node);
/// Replaces every mr.grad by what it stands for; the number of those.
int expand_derivatives(Module& module);
/// What a map, loop or branch returns for its reverse alone.
struct Residuals {
  std::string where;            ///< "mr.map > stablehlo.while in @main"
  std::int64_t bytes = 0;       ///< of a map: of one partition
  std::int64_t partitions = 0;  ///< of a map; 0: no map
  bool is_inside = false;       ///< of another map, loop or branch, which may return them in turn
};
/// What expand_derivatives left to be known of residuals, in the program's order; a second call finds
/// nothing.
[[nodiscard]] std::vector<Residuals> take_residuals(Module& module);
/// Replaces what only says how to differentiate (mr.custom_vjp, mr.checkpoint, mr.stop_gradient) by
/// the values: for programs of which nothing is differentiated any more.
void expand_forms(Module& module);

}  // namespace partita::ir
