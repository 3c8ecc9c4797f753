// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/reduction.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "partita/ir/op.hpp"

namespace partita::ir {

namespace {
constexpr std::array<std::string_view, 6> combiners{"add",     "multiply", "maximum",
                                                    "minimum", "and",      "or"};
}

std::optional<std::string> simple_combiner(const Graph& region) {
  if (region.argument_count() != 2 || region.results.size() != 1 || region.nodes().size() != 1)
    return std::nullopt;
  const Node& node = *region.nodes()[0];
  if (region.results[0] != Value{region.nodes()[0], 0} || node.operands().size() != 2)
    return std::nullopt;
  const Value x = region.argument(0), y = region.argument(1);
  const bool of_both = (node.operand(0) == x && node.operand(1) == y) ||
                       (node.operand(0) == y && node.operand(1) == x);
  if (!of_both || !node.name().starts_with("stablehlo.")) return std::nullopt;
  const std::string_view name = node.name().substr(10);
  if (std::find(combiners.begin(), combiners.end(), name) == combiners.end()) return std::nullopt;
  const bool is_extremum = name == "maximum" || name == "minimum";
  if (is_extremum && is_complex(x.type().dtype)) return std::nullopt;
  return std::string(name);
}

bool returns_update(const Graph& region) {
  const int n = region.argument_count() / 2;
  if (int(region.results.size()) != n) return false;
  for (int k = 0; k < n; ++k)
    if (region.results[std::size_t(k)] != region.argument(n + k)) return false;
  return true;
}

DenseRef combiner_identity(std::string_view combiner, const Type& type) {
  const bool is_add = combiner == "add" || combiner == "or", is_multiply = combiner == "multiply";
  const bool is_max = combiner == "maximum", is_min = combiner == "minimum";
  if (is_add) return make_splat(type, 0);
  if (is_multiply) return make_splat(type, 1);
  const Type one{.dtype = type.dtype, .dims = {1}};
  HostArray value(one);
  visit(type.dtype, [&](auto d) {
    using V = ValueType<d>;
    if constexpr (kind_of<V> == Kinds::complex) {
      throw_internal_error(cat("the combiner ", combiner, " has no identity on complex numbers"));
    } else {
      V x{};
      if (combiner == "and") {
        if constexpr (std::is_same_v<V, bool>)
          x = true;
        else if constexpr (std::is_integral_v<V>)
          x = V(~V{});
        else
          throw_internal_error("the combiner and has no identity on floats");
      } else if constexpr (std::is_floating_point_v<V>) {
        x = is_max ? -std::numeric_limits<V>::infinity() : std::numeric_limits<V>::infinity();
      } else {
        x = is_max ? std::numeric_limits<V>::lowest() : std::numeric_limits<V>::max();
      }
      if (!is_max && !is_min && combiner != "and")
        throw_internal_error(cat("the combiner ", combiner, " has no known identity"));
      store<d>(x, value.template data<d>(), 0);
    }
  });
  return std::make_shared<const Dense>(type, value.bytes, true);
}

std::unique_ptr<Graph> make_combiner(std::string_view combiner, DType dtype) {
  auto region = std::make_unique<Graph>();
  const Value x = region->add_argument(Type::scalar(dtype)),
              y = region->add_argument(Type::scalar(dtype));
  region->results = {create_value(*region, cat("stablehlo.", combiner), {x, y})};
  return region;
}

}  // namespace partita::ir
