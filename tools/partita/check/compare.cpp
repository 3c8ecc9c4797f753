// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <unordered_map>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::tool {

namespace {

template <class T>
bool is_close(T found, T expected, const Tolerance& tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (found == expected || (std::isnan(found) && std::isnan(expected))) return true;
    if (!std::isfinite(found) || !std::isfinite(expected)) return false;
    return std::abs(double(found) - double(expected)) <=
           tolerance.absolute + tolerance.relative * std::abs(double(expected));
  } else if constexpr (is_std_complex<T>) {
    const bool is_finite = std::isfinite(std::abs(found)) && std::isfinite(std::abs(expected));
    if (!is_finite)
      return is_close(found.real(), expected.real(), tolerance) &&
             is_close(found.imag(), expected.imag(), tolerance);
    return double(std::abs(found - expected)) <=
           tolerance.absolute + tolerance.relative * double(std::abs(expected));
  } else {
    return found == expected;
  }
}

template <class T>
double distance(T a, T b) {
  if constexpr (is_std_complex<T>)
    return double(std::abs(a - b));
  else
    return std::abs(double(a) - double(b));
}

template <class T>
std::string text_of(T value) {
  char text[64];
  if constexpr (is_std_complex<T>) {
    std::snprintf(text, sizeof text, "(%.9g, %.9g)", double(value.real()), double(value.imag()));
  } else if constexpr (std::is_floating_point_v<T>) {
    std::snprintf(text, sizeof text, "%.*g", std::is_same_v<T, double> ? 17 : 9, double(value));
  } else {
    return std::to_string(value);
  }
  return text;
}

// " at [0, 3]"; nothing for a scalar.
std::string place_text(std::size_t linear, const Dims& dims) {
  if (dims.empty()) return {};
  std::string text;
  for (std::size_t d = dims.size(); d-- > 0;) {
    const auto extent = std::size_t(dims[d]);
    text = cat(linear % extent, text.empty() ? "" : ", ", text);
    linear /= extent;
  }
  return " at [" + text + "]";
}

bool has_bf16(const ir::Node& node) {
  const auto is_bf16 = [](const Type& type) { return type.dtype == DType::bf16; };
  return std::ranges::any_of(node.result_types(), is_bf16) ||
         std::ranges::any_of(node.operands(),
                             [&](const ir::Value& v) { return is_bf16(v.type()); });
}

class Bf16Search {
 public:
  explicit Bf16Search(const ir::Module& module) : module_(module) {}

  /// Whether the node, its regions or functions that it names hold arithmetic in bf16.
  bool holds(const ir::Node& node) {
    if (has_bf16(node)) return true;
    for (const ir::NamedAttribute& attribute : node.attrs.items())
      if (const auto* symbol = attribute.value.get_if<ir::SymbolRef>())
        if (const ir::Function* callee = module_.find(symbol->name); callee && holds(*callee->body))
          return true;
    return std::ranges::any_of(node.regions(), [&](const auto& region) { return holds(*region); });
  }

 private:
  bool holds(const ir::Graph& graph) {
    const auto [known, is_new] = graphs_.try_emplace(&graph, false);
    if (!is_new) return known->second;
    const bool result =
        std::ranges::any_of(graph.nodes(), [&](const ir::Node* node) { return holds(*node); });
    return graphs_[&graph] = result;
  }

  const ir::Module& module_;
  std::unordered_map<const ir::Graph*, bool> graphs_;
};

}  // namespace

Tolerance tolerance_for(DType dtype, bool depends_on_bf16, const ToleranceOptions& options) {
  if (!is_float(dtype) && !is_complex(dtype)) return {};
  Tolerance tolerance;
  if (dtype == DType::bf16 || depends_on_bf16)
    tolerance = {1e-5, 1e-2};
  else if (dtype == DType::f16)
    tolerance = {1e-3, 1e-3};
  else if (dtype == DType::f64 || dtype == DType::c128)
    tolerance = {1e-10, 1e-10};
  else
    tolerance = {1e-5, 1e-4};
  tolerance.absolute = options.absolute.value_or(tolerance.absolute);
  tolerance.relative = options.relative.value_or(tolerance.relative);
  return tolerance;
}

std::optional<std::string> difference(const HostArray& found, const HostArray& expected,
                                      const Tolerance& tolerance) {
  if (found.type != expected.type)
    return cat("expected type ", to_string(expected.type), ", found ", to_string(found.type));
  const auto count = std::size_t(found.type.count());
  std::size_t differing = 0;
  double largest = 0;
  std::string first;
  visit(found.type.dtype, [&](auto constant) {
    constexpr DType dtype = constant;
    for (std::size_t i = 0; i < count; ++i) {
      const auto a = load<dtype>(found.data<dtype>(), i);
      const auto b = load<dtype>(expected.data<dtype>(), i);
      if (is_close(a, b, tolerance)) continue;
      if (differing++ == 0)
        first =
            cat("expected ", text_of(b), place_text(i, found.type.dims), ", found ", text_of(a));
      const double by = distance(a, b);
      if (by > largest) largest = by;
    }
  });
  if (differing == 0) return std::nullopt;
  if (differing == 1) return first;
  char by[32];
  std::snprintf(by, sizeof by, "%.3g", largest);
  return cat(first, " (", differing, " of ", count, " elements differ, by at most ", by, ")");
}

std::vector<bool> results_from_bf16(const ir::Module& module, const ir::Function& function) {
  Bf16Search search(module);
  std::unordered_map<const ir::Node*, bool> from_bf16;
  const auto is_from_bf16 = [&](const ir::Value& v) {
    if (v.type().dtype == DType::bf16) return true;
    const auto found = from_bf16.find(v.node);
    return found != from_bf16.end() && found->second;
  };
  for (const ir::Node* node : function.body->nodes()) {
    const std::vector<ir::Value> used = ir::captures(*node);
    from_bf16[node] = std::ranges::any_of(used, is_from_bf16) || search.holds(*node);
  }
  std::vector<bool> results;
  for (const ir::Value& v : function.body->results) results.push_back(is_from_bf16(v));
  return results;
}

}  // namespace partita::tool
