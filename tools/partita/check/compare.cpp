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
#include "partita/scalar/elementwise.hpp"

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

// Results of f32 keep their tolerance where f16 feeds them: programs that go by way of it are few.
constexpr int fewest_digits = 10;

CoarseFloat coarse_float(const Type& type) {
  const bool is_coarse = is_float(type.dtype) && scalar::mantissa_bits(type.dtype) < fewest_digits;
  return is_coarse ? CoarseFloat(type.dtype) : std::nullopt;
}

/// The one of fewer digits, if there is any.
CoarseFloat coarser(CoarseFloat a, CoarseFloat b) {
  if (!a || !b) return a ? a : b;
  return scalar::mantissa_bits(*b) < scalar::mantissa_bits(*a) ? b : a;
}

class CoarseSearch {
 public:
  explicit CoarseSearch(const ir::Module& module) : module_(module) {}

  /// The coarsest float in which the node, its regions or functions that it names compute.
  CoarseFloat in(const ir::Node& node) {
    CoarseFloat found;
    for (const Type& type : node.result_types()) found = coarser(found, coarse_float(type));
    for (const ir::Value& v : node.operands()) found = coarser(found, coarse_float(v.type()));
    for (const ir::NamedAttribute& attribute : node.attrs.items())
      if (const auto* symbol = attribute.value.get_if<ir::SymbolRef>())
        if (const ir::Function* callee = module_.find(symbol->name))
          found = coarser(found, in(*callee->body));
    for (const auto& region : node.regions()) found = coarser(found, in(*region));
    return found;
  }

 private:
  CoarseFloat in(const ir::Graph& graph) {
    const auto [known, is_new] = graphs_.try_emplace(&graph);
    if (!is_new) return known->second;
    CoarseFloat found;
    for (const ir::Node* node : graph.nodes()) found = coarser(found, in(*node));
    return graphs_[&graph] = found;
  }

  const ir::Module& module_;
  std::unordered_map<const ir::Graph*, CoarseFloat> graphs_;
};

}  // namespace

Tolerance tolerance_for(DType dtype, CoarseFloat fed_by, const ToleranceOptions& options) {
  if (!is_float(dtype) && !is_complex(dtype)) return {};
  if (fed_by && scalar::relative_tolerance(*fed_by) > scalar::relative_tolerance(dtype))
    dtype = *fed_by;
  Tolerance tolerance{1e-5, scalar::relative_tolerance(dtype)};
  if (scalar::has_few_exponents(dtype) || tolerance.relative < tolerance.absolute)
    tolerance.absolute = tolerance.relative;
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

std::vector<CoarseFloat> coarse_sources(const ir::Module& module, const ir::Function& function) {
  CoarseSearch search(module);
  std::unordered_map<const ir::Node*, CoarseFloat> sources;
  const auto source_of = [&](const ir::Value& v) {
    const auto found = sources.find(v.node);
    return coarser(coarse_float(v.type()), found == sources.end() ? CoarseFloat() : found->second);
  };
  for (const ir::Node* node : function.body->nodes()) {
    CoarseFloat source = search.in(*node);
    for (const ir::Value& v : ir::captures(*node)) source = coarser(source, source_of(v));
    sources[node] = source;
  }
  std::vector<CoarseFloat> results;
  for (const ir::Value& v : function.body->results) results.push_back(source_of(v));
  return results;
}

}  // namespace partita::tool
