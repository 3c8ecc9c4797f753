// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sorts, scans, reverses, scatters, largest elements and boxes at places that run time tells, along dimensions that axes of a mesh
// cut: what the shards' parts make is what the whole gives.  Few different values, NaN, infinities and both zeros among
// them, extents that are not divided and such as have less elements than there are shards, comparators that are orders
// and others, one and two axes.  PARTITA_TEST_SEEDS=FIRST:COUNT runs other programs.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <set>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sorting.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/passes/pass_case.hpp"
#include "tests/support/test_seeds.hpp"

namespace partita::testing {
namespace {

using Random = std::mt19937;

template <class T, std::size_t n>
const T& pick(Random& random, const std::array<T, n>& from) {
  return from[random() % n];
}

constexpr std::array<DType, 6> numbers{DType::f32, DType::f64, DType::bf16,
                                       DType::i32, DType::i8,  DType::ui16};

/// Few values, so that many are equal.
HostArray few_values(const Type& type, Random& random) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr std::array<double, 8> floats{
      0, -0.0, 1.5, -2, std::numeric_limits<double>::quiet_NaN(), inf, -inf, 3};
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  for (std::int64_t i = 0; i < wide.type.count(); ++i)
    wide.data<DType::f64>()[i] = is_float(type.dtype) ? pick(random, floats) : double(random() % 5);
  return convert(wide, type.dtype);
}

/// A shape whose dimension `dim` is to be cut into `shards`.
struct Shape {
  Dims dims;
  int dim = 0;
};
Shape random_shape(Random& random, bool is_last) {
  Shape shape;
  const std::size_t rank = 1 + random() % 3;
  for (std::size_t d = 0; d < rank; ++d) shape.dims.push_back(1 + std::int64_t(random() % 3));
  shape.dim = is_last ? int(rank) - 1 : int(random() % rank);
  shape.dims[std::size_t(shape.dim)] = 2 + std::int64_t(random() % 40);
  return shape;
}

std::string type_text(DType d, const Dims& dims) {
  return to_string(Type{.dtype = d, .dims = dims});
}

// --- Shardings ----------------------------------------------------------------------------------

constexpr std::array<std::string_view, 9> meshes{"\"x\"=2", "\"x\"=3",          "\"x\"=4",
                                                 "\"x\"=5", "\"x\"=6",          "\"x\"=7",
                                                 "\"x\"=8", "\"x\"=2, \"y\"=3", "\"y\"=2, \"x\"=4"};

/// Mostly cut along the dimension by x, and another one, or the same, by y.
std::string sharding(Random& random, const Shape& shape, bool has_y) {
  if (random() % 6 == 0) return "";
  std::vector<std::string> axes(shape.dims.size());
  axes[std::size_t(shape.dim)] = "\"x\"";
  if (has_y && random() % 3 != 0) {
    std::string& other = axes[random() % axes.size()];
    other = other.empty() ? "\"y\"" : random() % 2 == 0 ? "\"x\", \"y\"" : "\"y\", \"x\"";
  }
  std::string text;
  for (const std::string& a : axes) text += cat(text.empty() ? "" : ", ", "{", a, "}");
  return cat(" {sdy.sharding = #sdy.sharding<@mesh, [", text, "]>}");
}

/// One op, of arguments to results, in a program with a random mesh.
struct Program {
  std::vector<Type> arguments, results;
  std::string body;  ///< gives %r:n of %a0, …; "%r" alone where there is one
  Shape shape;
  bool are_results_whole = false;
};

std::string port_sharding(Random& random, const Program& p, const Type& type, bool has_y) {
  if (type.rank() == 0) return "";
  return sharding(random, {.dims = type.dims, .dim = p.shape.dim}, has_y);
}

std::string text_of(const Program& p, Random& random) {
  const std::string_view mesh = pick(random, meshes);
  const bool has_y = mesh.find('y') != std::string_view::npos;
  std::string arguments, results, returned, types;
  for (std::size_t k = 0; k < p.arguments.size(); ++k)
    arguments += cat(k == 0 ? "" : ", ", "%a", k, ": ", to_string(p.arguments[k]),
                     port_sharding(random, p, p.arguments[k], has_y));
  for (std::size_t k = 0; k < p.results.size(); ++k) {
    const std::string comma = k == 0 ? "" : ", ", type = to_string(p.results[k]);
    results +=
        cat(comma, type, p.are_results_whole ? "" : port_sharding(random, p, p.results[k], has_y));
    returned += cat(comma, p.results.size() == 1 ? "%r" : cat("%r#", k));
    types += cat(comma, type);
  }
  return cat("module @m {\n  sdy.mesh @mesh = <[", mesh, "]>\n  func.func public @main(", arguments,
             ") -> (", results, ") {\n", p.body, "    return ", returned, " : ", types,
             "\n  }\n}\n");
}

// --- Sorts --------------------------------------------------------------------------------------

std::string compare(Random& random, DType d, int key, std::string_view direction, bool is_order) {
  const std::string scalar = type_text(d, {});
  const std::string kind = is_float(d) ? is_order ? ", TOTALORDER" : ", FLOAT" : "";
  const bool swaps = random() % 3 == 0 && direction != "EQ";
  return cat("stablehlo.compare ", direction, ", %p", key, swaps ? "r" : "l", ", %p", key,
             swaps ? "l" : "r", kind, " : (", scalar, ", ", scalar, ") -> tensor<i1>\n");
}

Program sort_program(Random& random) {
  Program p;
  p.shape = random_shape(random, false);
  const std::size_t count = 1 + random() % 3;
  const bool is_order = random() % 4 != 0, has_iota = count > 1 && random() % 3 == 0;
  std::string operands, types, region;
  for (std::size_t k = 0; k < count; ++k) {
    const bool is_iota = has_iota && k + 1 == count;
    const Type type{.dtype = is_iota ? DType::i32 : pick(random, numbers), .dims = p.shape.dims};
    if (is_iota)
      p.body += cat("    %i = stablehlo.iota dim = ", p.shape.dim, " : ", to_string(type), "\n");
    else
      p.arguments.push_back(type);
    p.results.push_back(type);
    operands += cat(k == 0 ? "" : ", ", is_iota ? "%i" : cat("%a", k));
    types += cat(k == 0 ? "" : ", ", to_string(type));
    for (const char side : {'l', 'r'})
      region += cat(region.empty() ? "" : ", ", "%p", k, std::string(1, side), ": ",
                    type_text(type.dtype, {}));
  }
  const std::size_t last = p.arguments.size() - 1;
  const auto direction = [&] { return random() % 2 == 0 ? "LT" : "GT"; };
  std::string code =
      cat("      %c0 = ", compare(random, p.results[last].dtype, int(last), direction(), is_order));
  std::string holds = "%c0";
  if (last > 0) {
    code += cat("      %c1 = ", compare(random, p.results[0].dtype, 0, direction(), is_order),
                "      %e = ", compare(random, p.results[0].dtype, 0, "EQ", is_order));
    code += random() % 2 == 0
                ? "      %b = stablehlo.and %e, %c0 : tensor<i1>\n"
                  "      %o = stablehlo.or %c1, %b : tensor<i1>\n"
                : "      %o = stablehlo.select %e, %c0, %c1 : tensor<i1>, tensor<i1>\n";
    holds = "%o";
  }
  p.body += cat("    %r", count == 1 ? "" : cat(":", count), " = \"stablehlo.sort\"(", operands,
                ") <{dimension = ", p.shape.dim,
                " : i64, is_stable = ", random() % 2 == 0 ? "true" : "false", "}> ({\n    ^bb0(",
                region, "):\n", code, "      stablehlo.return ", holds, " : tensor<i1>\n    }) : (",
                types, ") -> ", count == 1 ? types : cat("(", types, ")"), "\n");
  return p;
}

// --- Scans --------------------------------------------------------------------------------------

/// The value of a constant: floats by their bits.
std::string scalar_text(const HostArray& value) {
  if (!is_float(value.type.dtype)) return cat(convert(value, DType::i64).data<DType::i64>()[0]);
  std::string digits = "0x";
  for (std::size_t k = value.bytes.size(); k-- > 0;)
    for (const int shift : {4, 0})
      digits += "0123456789ABCDEF"[(unsigned(value.bytes[k]) >> shift) % 16];
  return digits;
}

/// The attributes of a reduce_window that scans a dimension.
std::string scan_windows(const Type& type, std::size_t dim, bool is_reverse) {
  std::string sizes, padding;
  for (std::size_t k = 0; k < type.dims.size(); ++k) {
    const std::int64_t n = k == dim ? type.dims[k] : 1, low = is_reverse ? 0 : n - 1;
    sizes += cat(k == 0 ? "" : ", ", n);
    padding += cat(k == 0 ? "" : ", ", "[", low, ", ", n - 1 - low, "]");
  }
  return cat("window_dimensions = array<i64: ", sizes, ">, padding = dense<[", padding,
             "]> : tensor<", type.rank(), "x2xi64>");
}

Program scan_program(Random& random) {
  Program p;
  p.shape = random_shape(random, false);
  struct Row {
    std::string_view op;
    Combiner combiner;
  };
  static constexpr std::array<Row, 5> rows{
      Row{"add", Combiner::sum}, Row{"multiply", Combiner::product}, Row{"maximum", Combiner::max},
      Row{"minimum", Combiner::min}, Row{"and", Combiner::logical_and}};
  const DType d = pick(random, numbers);
  const Row row = is_float(d) ? rows[random() % 4] : pick(random, rows);
  const Type type{.dtype = d, .dims = p.shape.dims};
  p.arguments = p.results = {type};
  const auto dim = std::size_t(p.shape.dim);
  const bool starts_from_one = random() % 8 == 0;
  const std::string scalar = type_text(d, {}), array = to_string(type);
  const HostArray init = identity_of(starts_from_one ? Combiner::product : row.combiner, d);
  p.body = cat("    %init = stablehlo.constant dense<", scalar_text(init), "> : ", scalar,
               "\n    %r = \"stablehlo.reduce_window\"(%a0, %init) <{",
               scan_windows(type, dim, random() % 2 == 0), "}> ({\n    ^bb0(%x: ", scalar,
               ", %y: ", scalar, "):\n      %z = stablehlo.", row.op, " %x, %y : ", scalar,
               "\n      stablehlo.return %z : ", scalar, "\n    }) : (", array, ", ", scalar,
               ") -> ", array, "\n");
  return p;
}

/// The largest element so far, and the first place where it is.
Program extremum_scan_program(Random& random) {
  Program p;
  p.shape = random_shape(random, false);
  const DType d = random() % 2 == 0 ? DType::f32 : DType::i32;
  const Type type{.dtype = d, .dims = p.shape.dims}, places{.dtype = DType::i32, .dims = type.dims};
  p.arguments = {type};
  p.results = {type, places};
  const std::string element = type_text(d, {}), place = type_text(DType::i32, {});
  const std::string pair = cat("(", element, ", ", element, ") -> tensor<i1>"),
                    place_pair = cat("(", place, ", ", place, ") -> tensor<i1>");
  p.body = cat(
      "    %i = stablehlo.iota dim = ", p.shape.dim, " : ", to_string(places),
      "\n    %v0 = stablehlo.constant dense<", scalar_text(identity_of(Combiner::max, d)),
      "> : ", element, "\n    %i0 = stablehlo.constant dense<2147483647> : ", place,
      "\n    %r:2 = \"stablehlo.reduce_window\"(%a0, %i, %v0, %i0) <{",
      scan_windows(type, std::size_t(p.shape.dim), random() % 2 == 0),
      "}> ({\n    ^bb0(%x: ", element, ", %j: ", place, ", %y: ", element, ", %k: ", place,
      "):\n      %n = stablehlo.compare NE, %x, "
      "%x : ",
      pair, "\n      %g = stablehlo.compare GT, %x, %y : ", pair,
      "\n      %h = stablehlo.or %n, %g : tensor<i1>\n      %e = stablehlo.compare EQ, %x, %y : ",
      pair, "\n      %l = stablehlo.compare LT, %j, %k : ", place_pair,
      "\n      %f = stablehlo.and %e, %l : tensor<i1>\n      %s = stablehlo.or %h, %f : tensor<i1>"
      "\n      %z = stablehlo.select %h, %x, %y : tensor<i1>, ",
      element, "\n      %m = stablehlo.select %s, %j, %k : tensor<i1>, ", place,
      "\n      stablehlo.return %z, %m : ", element, ", ", place, "\n    }) : (", to_string(type),
      ", ", to_string(places), ", ", element, ", ", place, ") -> (", to_string(type), ", ",
      to_string(places), ")\n");
  return p;
}

// --- Reverses and boxes -------------------------------------------------------------------------

Program reverse_program(Random& random) {
  Program p;
  p.shape = random_shape(random, false);
  const Type type{.dtype = pick(random, numbers), .dims = p.shape.dims};
  p.arguments = p.results = {type};
  std::string dims = cat(p.shape.dim);
  for (std::int64_t d = 0; d < type.rank(); ++d)
    if (d != p.shape.dim && random() % 2 == 0) dims += cat(", ", d);
  p.body = cat("    %r = stablehlo.reverse %a0, dims = [", dims, "] : ", to_string(type), "\n");
  return p;
}

/// A box along the dimension, and mostly along others, that is read or written where an argument says; at times out of the
/// array.
Program box_program(Random& random) {
  Program p;
  p.shape = random_shape(random, false);
  const Type type{.dtype = pick(random, numbers), .dims = p.shape.dims},
      start{.dtype = random() % 2 == 0 ? DType::i32 : DType::i64, .dims = {}};
  Type box = type;
  for (std::size_t d = 0; d < box.dims.size(); ++d) {
    std::int64_t& extent = box.dims[d];
    const bool is_cut = int(d) == p.shape.dim;
    if (is_cut && random() % 2 == 0)
      extent = std::min<std::int64_t>(extent, 1 + random() % 3);
    else if (is_cut || random() % 3 == 0)
      extent = 1 + std::int64_t(random() % std::uint64_t(extent));
  }
  const bool is_written = random() % 2 == 0;
  p.arguments = {type, start};
  if (is_written) p.arguments.push_back(box);
  p.results = {is_written ? type : box};
  const std::string scalar = to_string(start);
  p.body = cat("    %by = stablehlo.constant dense<", 1 + random() % 11, "> : ", scalar,
               "\n    %less = stablehlo.constant dense<", random() % 9, "> : ", scalar,
               "\n    %far = stablehlo.multiply %a1, %by : ", scalar,
               "\n    %s = stablehlo.subtract %far, %less : ", scalar, "\n");
  std::string starts, types;
  for (std::size_t d = 0; d < box.dims.size(); ++d) {
    starts += cat(", ", int(d) == p.shape.dim ? "%s" : random() % 2 == 0 ? "%a1" : "%less");
    types += cat(", ", scalar);
  }
  if (is_written) {
    p.body += cat("    %r = stablehlo.dynamic_update_slice %a0, %a2", starts, " : (",
                  to_string(type), ", ", to_string(box), types, ") -> ", to_string(type), "\n");
    return p;
  }
  std::string sizes;
  for (const std::int64_t extent : box.dims) sizes += cat(sizes.empty() ? "" : ", ", extent);
  p.body += cat("    %r = stablehlo.dynamic_slice %a0", starts, ", sizes = [", sizes, "] : (",
                to_string(type), types, ") -> ", to_string(box), "\n");
  return p;
}

// --- Scatters -----------------------------------------------------------------------------------

/// Rows of updates that are combined with those of a small table, or with none, at places that are out of it at times.
Program scatter_program(Random& random) {
  Program p;
  p.shape = {.dims = {2 + std::int64_t(random() % 40)}, .dim = 0};
  const std::int64_t count = p.shape.dims[0], rows = 1 + std::int64_t(random() % 6),
                     columns = 1 + std::int64_t(random() % 3);
  const bool are_vectors =
      random() % 2 == 0;  // else index_vector_dim is behind the indices' last dimension
  static constexpr std::array<std::string_view, 4> ops{"add", "multiply", "maximum", "minimum"};
  const std::string_view op = pick(random, ops);
  static constexpr std::array<DType, 5> index_types{DType::i32, DType::i64, DType::ui32,
                                                    DType::ui64, DType::i8};
  const DType d = pick(random, numbers);
  const Type table{.dtype = d, .dims = {rows, columns}},
      updates{.dtype = d, .dims = {count, columns}};
  Type indices{.dtype = pick(random, index_types), .dims = {count}};
  if (are_vectors) indices.dims.push_back(1);
  const bool is_zero = random() % 2 == 0;
  p.arguments = {indices, updates};
  if (!is_zero) p.arguments.push_back(table);
  p.results = {table};
  if (is_zero)
    p.body = cat("    %a2 = stablehlo.constant dense<0", is_float(d) ? ".0" : "",
                 "> : ", to_string(table), "\n");
  const std::string scalar = type_text(d, {});
  p.body +=
      cat("    %r = \"stablehlo.scatter\"(%a2, %a0, %a1) <{scatter_dimension_numbers = "
          "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
          "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n    ^bb0(%x: ",
          scalar, ", %y: ", scalar, "):\n      %z = stablehlo.", op, " %x, %y : ", scalar,
          "\n      stablehlo.return %z : ", scalar, "\n    }) : (", to_string(table), ", ",
          to_string(indices), ", ", to_string(updates), ") -> ", to_string(table), "\n");
  return p;
}

// --- Largest elements ---------------------------------------------------------------------------

Program top_program(Random& random) {
  Program p;
  p.shape = random_shape(random, true);
  const Type type{.dtype = pick(random, numbers), .dims = p.shape.dims};
  Type values = type;
  values.dims.back() = std::int64_t(random() % std::uint64_t(type.dims.back() + 1));
  if (random() % 2 == 0) values.dims.back() = std::min<std::int64_t>(values.dims.back(), 4);
  const Type places{.dtype = DType::i32, .dims = values.dims};
  p.arguments = {type};
  p.results = {values, places};
  p.are_results_whole = true;
  p.body = cat("    %r:2 = chlo.top_k(%a0, k = ", values.dims.back(), ") : ", to_string(type),
               " -> (", to_string(values), ", ", to_string(places), ")\n");
  return p;
}

// --- Tests --------------------------------------------------------------------------------------

std::vector<ir::Tensor> run(const ir::Module& module, const std::vector<ir::Tensor>& inputs) {
  ir::Interpreter interpreter(module);
  return interpreter.run(module.entry("main"), inputs);
}

/// What is left of a program.
using Left = std::function<bool(const std::set<std::string_view>& ops)>;
Left has(std::string_view op) {
  return [op](const auto& ops) { return ops.contains(op); };
}

/// The number of programs of which this is left.
int expect_same_in_parts(Program (*make)(Random&), const Left& is_left, bool same_bits) {
  int found = 0;
  const Seeds seeds = test_seeds(200);
  for (unsigned seed = seeds.first;
       seed < seeds.first + seeds.count && !::testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    const Program program = make(random);
    const std::string text = text_of(program, random);
    SCOPED_TRACE(cat("seed ", seed, "\n", text));
    const auto whole = ir::parse_module(text, "program"), parts = ir::parse_module(text, "program");
    std::vector<ir::Tensor> inputs;
    for (const Type& type : program.arguments)
      inputs.push_back(std::make_shared<const HostArray>(few_values(type, random)));
    passes::PassContext context;
    const char* const calls = seed % 5 == 0 ? "" : "{call-bytes=0}";
    (void)driver::run_passes(
        *parts, driver::parse_pipeline(cat("inline simplify partition", calls, " simplify")),
        context);
    ir::verify(*parts);
    std::set<std::string_view> ops;
    ir::walk(*parts->entry("main").body, [&](ir::Node& node) { ops.insert(node.name()); });
    found += is_left(ops);
    // What is sorted of parts is so by an order that lowering tells, too.
    if (ops.contains("stablehlo.sort") && ops.contains("mr.mesh_permute"))
      ir::walk(*parts->entry("main").body, [&](ir::Node& node) {
        EXPECT_TRUE(!node.is("stablehlo.sort") || ir::is_weak_order(node.region(0)));
      });
    const auto expected = run(*whole, inputs), given = run(*parts, inputs);
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (same_bits)
        EXPECT_EQ(given[k]->bytes, expected[k]->bytes) << "result " << k << " in parts:\n"
                                                       << ir::print_module(*parts);
      else
        ir::expect_close(given[k], expected[k], cat("result ", k), 4);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << ir::print_module(*parts);
  }
  return found;
}

TEST(OrderedParts, SortsAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(sort_program, has("mr.mesh_permute"), true), 60);
}

TEST(OrderedParts, ScansAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(scan_program, has("stablehlo.reduce"), false), 60);
}

TEST(OrderedParts, ScansByARegionOfTheirOwnAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(extremum_scan_program, has("stablehlo.reduce"), true), 60);
}

TEST(OrderedParts, ReversesAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(reverse_program, has("mr.mesh_permute"), true), 60);
}

TEST(OrderedParts, BoxesAreThoseOfTheWhole) {
  EXPECT_GT(
      expect_same_in_parts(
          box_program, [](const auto& ops) { return !ops.contains("mr.mesh_all_gather"); }, false),
      60);
  // Boxes over most of the dimension.
  EXPECT_GT(expect_same_in_parts(box_program, has("stablehlo.shift_right_logical"), false), 10);
}

TEST(OrderedParts, ScattersAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(scatter_program, has("mr.mesh_all_reduce"), false), 30);
}

TEST(OrderedParts, LargestElementsAreThoseOfTheWhole) {
  EXPECT_GT(expect_same_in_parts(top_program, has("stablehlo.gather"), true), 30);
}

TEST(OrderedParts, WhatIsAnOrderIsToldFromTheComparator) {
  const auto is_order = [](std::string_view code) {
    const auto module = ir::parse_module(
        cat("func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xf32>, "
            "tensor<4xi32>) {\n"
            "%0:2 = \"stablehlo.sort\"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({\n"
            "^bb0(%p: tensor<f32>, %q: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):\n"
            "%f = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>\n"
            "%e = stablehlo.compare EQ, %q, %p, TOTALORDER : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>\n"
            "%z = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%n = stablehlo.compare NE, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>\n"
            "%g = stablehlo.compare GT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "%l = stablehlo.compare LE, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "%s = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n",
            code, " : tensor<i1>",
            code.find("select") == std::string_view::npos ? "" : ", tensor<i1>",
            "\nstablehlo.return %h : tensor<i1>\n"
            "}) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
            "return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>\n}\n"),
        "program");
    bool is_found = false;
    ir::walk(*module->entry("main").body, [&](ir::Node& node) {
      if (node.is("stablehlo.sort")) is_found = ir::is_weak_order(node.region(0));
    });
    return is_found;
  };
  EXPECT_TRUE(is_order("%x = stablehlo.and %e, %g : tensor<i1>\n%h = stablehlo.or %f, %x"));
  EXPECT_TRUE(is_order("%x = stablehlo.and %g, %e : tensor<i1>\n%h = stablehlo.or %x, %f"));
  EXPECT_TRUE(is_order("%h = stablehlo.select %e, %g, %f"));
  EXPECT_TRUE(is_order("%h = stablehlo.select %n, %f, %g"));
  EXPECT_FALSE(is_order("%h = stablehlo.select %n, %g, %f"));
  EXPECT_FALSE(is_order("%h = stablehlo.select %z, %g, %f"));
  EXPECT_FALSE(is_order("%h = stablehlo.select %e, %l, %f"));
  EXPECT_FALSE(is_order("%h = stablehlo.select %e, %s, %f"));
  EXPECT_TRUE(is_order(
      "%y = stablehlo.compare LT, %q, %p, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%w = stablehlo.not %y : tensor<i1>\n"
      "%x = stablehlo.and %w, %g : tensor<i1>\n%h = stablehlo.or %f, %x"));
  EXPECT_TRUE(is_order(
      "%y = stablehlo.compare LE, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%x = stablehlo.and %y, %g : tensor<i1>\n%h = stablehlo.or %f, %x"));
  EXPECT_FALSE(is_order(
      "%y = stablehlo.compare GE, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%x = stablehlo.and %y, %g : tensor<i1>\n%h = stablehlo.or %f, %x"));
  EXPECT_FALSE(
      is_order("%w = stablehlo.not %f : tensor<i1>\n"
               "%x = stablehlo.and %w, %g : tensor<i1>\n%h = stablehlo.or %f, %x"));
  EXPECT_FALSE(is_order("%h = stablehlo.or %f, %g"));
  EXPECT_FALSE(is_order("%h = stablehlo.and %f, %g"));
}

}  // namespace
}  // namespace partita::testing
