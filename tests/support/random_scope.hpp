// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random nodes of one graph and of regions below it: control flow, and reads and writes at computed
// places, as programs that step through games, searches and simulations have them.
//
// Every value is exact: integers, truth values, and floats that are only moved, compared, converted
// to floats, or computed by operations that round once.  Nothing jumps on what may differ.  Indices
// may have any value; whatever bounds a loop is bounded here.
//
// A shape is what one call of `add` makes.  The census counts shapes by name, and again by the name of
// the shape around them and their own: "scan", "map > scan".
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"
#include "partita/ir/maker.hpp"

namespace partita::testing {

using Census = std::map<std::string, int>;

/// Placements that maps of shapes run over, and their sizes, which are those of every program.
[[nodiscard]] const std::map<std::string, std::int64_t>& shape_placements();

class Scope {
 public:
  /// What all scopes of one program share.
  struct Shared {
    std::mt19937& random;
    Census& census;
    /// A new argument of the program, for the outermost scope.
    std::function<ir::Value(const Type&)> argument;
  };
  /// Where a scope stands.
  struct Place {
    int depth = 0;        ///< how many more regions may be nested
    bool in_map = false;  ///< no further map
    std::string shape;    ///< whose region this is; empty: none
  };

  Scope(Shared& shared, ir::Graph& graph, std::vector<ir::Value> visible, Place place)
      : shared_(shared), m_{graph}, values_(std::move(visible)), place_(std::move(place)) {}

  /// Adds one shape and returns its results.
  std::vector<ir::Value> add();
  /// Whether values of the type may be visible in a scope.
  [[nodiscard]] static bool takes(const Type& type);

 private:
  using Values = std::vector<ir::Value>;
  using Value = ir::Value;

  int pick(std::size_t n) { return int(shared_.random() % n); }
  template <class T, std::size_t n>
  const T& one_of(const T (&items)[n]) {
    return items[pick(n)];
  }
  Value keep(Value v) {
    values_.push_back(v);
    return v;
  }
  void count(std::string_view shape);
  /// The place of regions of the shape.
  [[nodiscard]] Place inside(std::string_view shape) const;

  // --- Values: random_scope.cpp --------------------------------------------------------------------

  DType integer_dtype();
  DType real_dtype();
  Dims random_dims();
  /// Random numbers of small size.
  Value constant(const Type& type);
  /// A value of the type: a visible one, one made from it, a constant or an argument.
  Value value(const Type& type);
  /// A visible value; none of floats where `exact` types are asked for.
  Value any();
  Value any_integer();
  std::optional<Value> made_of_visible(const Type& type);
  Value resized(Value v, const Type& type);
  Value splat_like(Value v, double x) { return m_.splat(v.type(), x); }

  Value truth(const Dims& dims);
  /// Integers of a random type, computed so that many are within [0, extent).
  Value index(const Dims& dims, std::int64_t extent);
  Value index_of_truth(const Type& type, std::int64_t extent);
  Value index_in_range(const Type& type, std::int64_t extent);

  // --- Small shapes: random_scope.cpp ----------------------------------------------------------------

  /// A few small shapes, and others where they may be nested.
  void grow(int count);
  void arithmetic();
  void choice();
  void gather();
  void gather_points();
  void dynamic_slice();
  void dynamic_update_slice();
  void scatter();
  void arg_max();
  void reduction();
  /// Elements of the table along its first dimension.
  Value lookup(Value table, Value at);
  Value random_table();
  std::vector<Value> starts_in(const Type& type);

  // --- Shapes with regions: random_shapes.cpp -------------------------------------------------------

  struct Loop {
    Values inits;
    std::unique_ptr<ir::Graph> condition, body;
  };
  Loop begin_loop(Values inits);
  Values end_loop(Loop loop);
  Scope scope_in(ir::Graph& graph, std::string_view shape, const Values& more = {});
  Values carried();
  Values of_types(const Values& like, std::size_t first);

  void counted_loop();
  void loop_until();
  void scan();
  void search();
  Values search_step(ir::Graph& graph, Value table, Value queries, Value low, Value high,
                     int style);
  void map();
  void branch();
  void sort();
  void small_results();

  Shared& shared_;
  ir::Maker m_;
  Values values_;
  Place place_;
};

}  // namespace partita::testing
