// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives where differences say nothing: which of equal elements has the gradient, updates of
// one element, indices outside, collectives of several processes.  Expected values by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {
namespace {

using ir::Tensor;

Tensor list(const std::vector<double>& values) {
  HostArray array(Type{.dtype = DType::f64, .dims = {std::int64_t(values.size())}});
  std::ranges::copy(values, array.data<DType::f64>());
  return std::make_shared<const HostArray>(std::move(array));
}

std::vector<double> numbers(const Tensor& t) {
  const HostArray wide = convert(*t, DType::f64);
  return {wide.data<DType::f64>(), wide.data<DType::f64>() + wide.type.count()};
}

/// The gradients of Σ w·f(operands) for f: `results` of text, arguments all lists of f64.
std::vector<std::vector<double>> gradients(std::string body, const std::vector<Tensor>& x,
                                           const std::vector<double>& w) {
  std::string arguments, names, types, out;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::string type = to_string(x[k]->type);
    arguments += cat("%x", k, ": ", type, ", ");
    names += cat("%x", k, ", ");
    types += cat(type, ", ");
    out += cat(k == 0 ? "" : ", ", type);
  }
  const std::string of_w = cat("tensor<", w.size(), "xf64>");
  std::string wrt, results;
  for (std::size_t k = 0; k < x.size(); ++k) {
    wrt += cat(k == 0 ? "" : ", ", k);
    results += cat(k == 0 ? "" : ", ", x.size() == 1 ? "%g" : cat("%g#", k));
  }
  const std::string text = cat(
      "func.func private @f(", arguments, "%w: ", of_w, ") -> tensor<f64> {\n", body,
      "\n  %s = stablehlo.dot_general %y, %w, contracting_dims = [0] x [0] : (", of_w, ", ", of_w,
      ") -> tensor<f64>\n  return %s : tensor<f64>\n}\nfunc.func @main(", arguments, "%w: ", of_w,
      ") -> (", out, ") {\n  %g", x.size() == 1 ? std::string() : cat(":", x.size()),
      " = \"mr.grad\"(", names, "%w) {callee = @f, wrt = array<i64: ", wrt, ">} : (", types, of_w,
      ") -> (", out, ")\n  return ", results, " : ", out, "\n}\n");
  const auto module = ir::parse_module(text, "gradients");
  std::vector<Tensor> operands = x;
  operands.push_back(list(w));
  std::vector<std::vector<double>> found;
  for (const Tensor& t : ir::Interpreter(*module).run(module->entry("main"), operands))
    found.push_back(numbers(t));
  return found;
}

using Lists = std::vector<std::vector<double>>;

TEST(DerivativeValues, extrema_of_equal_operands) {
  const Tensor x = list({-1, 2, 2, std::nan("")}), y = list({1, 1, 2, 0});
  const std::vector<double> w{3, 5, 8, 2};
  EXPECT_EQ(gradients("  %y = stablehlo.maximum %x0, %x1 : tensor<4xf64>", {x, y}, w),
            (Lists{{0, 5, 4, 1}, {3, 0, 4, 1}}));
  EXPECT_EQ(gradients("  %y = stablehlo.minimum %x0, %x1 : tensor<4xf64>", {x, y}, w),
            (Lists{{3, 0, 4, 1}, {0, 5, 4, 1}}));
}

// Flat at the constant, on whichever side it stands.
TEST(DerivativeValues, rectifiers) {
  const Tensor x = list({-1, 2, 3});
  for (const auto& [op, expected] : {std::pair{"maximum", std::vector<double>{0, 0, 8}},
                                     std::pair{"minimum", std::vector<double>{3, 0, 0}}})
    for (const char* operands : {"%x0, %c", "%c, %x0"})
      EXPECT_EQ(
          gradients(cat("  %two = stablehlo.constant dense<2.0> : tensor<f64>\n"
                        "  %c = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f64>) -> "
                        "tensor<3xf64>\n  %y = stablehlo.",
                        op, " ", operands, " : tensor<3xf64>"),
                    {x}, {3, 5, 8}),
          (Lists{expected}))
          << op;
}

const char* const scatter_text =
    R"(  %i = stablehlo.constant dense<[[INDICES]]> : tensor<COUNTx1xi32>
  %y = "stablehlo.scatter"(%x0, %i, %x1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = UNIQUE}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    REGION
    stablehlo.return %r : tensor<f64>
  }) : (tensor<4xf64>, tensor<COUNTx1xi32>, tensor<COUNTxf64>) -> tensor<4xf64>)";

Lists of_scatter(const std::string& region, const std::vector<int>& at, bool unique,
                 const std::vector<double>& updates) {
  std::string indices;
  for (const int i : at) indices += cat(indices.empty() ? "" : "], [", i);
  std::string text = scatter_text;
  const auto put = [&](const char* name, const std::string& by) {
    text = std::regex_replace(text, std::regex(name), by);
  };
  put("INDICES", indices);
  put("COUNT", cat(at.size()));
  put("UNIQUE", unique ? "true" : "false");
  if (region == "%q")
    text = std::regex_replace(std::regex_replace(text, std::regex("    REGION\n"), ""),
                              std::regex("return %r"), "return %q");
  put("REGION", region);
  return gradients(text, {list({2, 3, 5, 7}), list(updates)}, {1, 10, 100, 1000});
}

TEST(DerivativeValues, scatter_by_region) {
  // The last of two updates stays; one outside counts nowhere.
  EXPECT_EQ(of_scatter("%q", {1, 3, 1, 9, -1}, false, {1, 1, 1, 1, 1}),
            (Lists{{1, 0, 100, 0}, {0, 1000, 10, 0, 0}}));
  EXPECT_EQ(of_scatter("%q", {1, 3}, true, {1, 1}), (Lists{{1, 0, 100, 0}, {10, 1000}}));
  EXPECT_EQ(
      of_scatter("%r = stablehlo.add %p, %q : tensor<f64>", {1, 3, 1, -1}, false, {1, 1, 1, 1}),
      (Lists{{1, 10, 100, 1000}, {10, 1000, 10, 0}}));
  // Equals share: 3 from the input and one update.
  EXPECT_EQ(
      of_scatter("%r = stablehlo.maximum %p, %q : tensor<f64>", {1, 3, 1, 2}, false, {3, 1, 2, 9}),
      (Lists{{1, 5, 0, 1000}, {5, 0, 0, 100}}));
  // Products of all others, zeros among them.
  EXPECT_EQ(of_scatter("%r = stablehlo.multiply %p, %q : tensor<f64>", {1, 1, 2, 3, 3}, false,
                       {0, 4, 6, 0, 0}),
            (Lists{{1, 0, 600, 0}, {120, 0, 500, 0, 0}}));
  EXPECT_EQ(of_scatter("%r = stablehlo.subtract %q, %p : tensor<f64>", {1, 3, 7}, true, {3, 1, 2}),
            (Lists{{1, -10, 100, -1000}, {10, 1000, 0}}));
  EXPECT_THROW(of_scatter("%r = stablehlo.subtract %q, %p : tensor<f64>", {1, 1}, false, {3, 1}),
               Error);
}

TEST(DerivativeValues, indices_outside_of_a_gather_are_moved_inside) {
  const char* text = R"(  %i = stablehlo.constant dense<[[-4], [1], [1], [90]]> : tensor<4x1xi32>
  %y = "stablehlo.gather"(%x0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf64>, tensor<4x1xi32>) -> tensor<4xf64>)";
  EXPECT_EQ(gradients(text, {list({2, 3, 5})}, {1, 10, 100, 1000}), (Lists{{1, 110, 1000}}));
}

TEST(DerivativeValues, equal_elements_keep_their_order) {
  const char* sorted = R"(  %y = "stablehlo.sort"(%x0) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %r = stablehlo.compare LT, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4xf64>) -> tensor<4xf64>)";
  EXPECT_EQ(gradients(sorted, {list({5, 2, 5, 2})}, {1, 10, 100, 1000}),
            (Lists{{100, 1, 1000, 10}}));
  const char* top =
      R"(  %y, %i = chlo.top_k(%x0, k = 2) : tensor<4xf64> -> (tensor<2xf64>, tensor<2xi32>))";
  EXPECT_EQ(gradients(top, {list({5, 2, 5, 5})}, {1, 10}), (Lists{{1, 0, 10, 0}}));
}

std::string pool(const char* op, const char* init) {
  return cat(R"(  %i = stablehlo.constant dense<)", init, R"(> : tensor<f64>
  %y = "stablehlo.reduce_window"(%x0, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %r = stablehlo.)",
             op, R"( %p, %q : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<6xf64>, tensor<f64>) -> tensor<3xf64>)");
}

TEST(DerivativeValues, windows) {
  const std::vector<double> w{1, 10, 100};
  const auto x = list({3, 3, 1, 2, -1, -2});
  // The first of equals; with an initial value above, none.
  EXPECT_EQ(gradients(pool("maximum", "0xFFF0000000000000"), {x}, w),
            (Lists{{1, 0, 0, 10, 100, 0}}));
  EXPECT_EQ(gradients(pool("maximum", "0.0"), {x}, w), (Lists{{1, 0, 0, 10, 0, 0}}));
  EXPECT_EQ(gradients(pool("minimum", "0x7FF0000000000000"), {x}, w),
            (Lists{{1, 0, 10, 0, 0, 100}}));
  EXPECT_EQ(gradients(pool("multiply", "2.0"), {x}, w), (Lists{{6, 6, 40, 20, -400, -200}}));
}

TEST(DerivativeValues, a_reduction_by_a_region_of_pairs) {
  const char* text = R"(  %at = stablehlo.iota dim = 0 : tensor<5xi32>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %m:2 = "stablehlo.reduce"(%x0, %at, %low, %none) ({
  ^bb0(%x: tensor<f64>, %k: tensor<i32>, %z: tensor<f64>, %l: tensor<i32>):
    %2 = stablehlo.compare GE, %x, %z : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %7 = stablehlo.select %2, %x, %z : tensor<i1>, tensor<f64>
    %8 = stablehlo.select %2, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f64>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<5xf64>, tensor<5xi32>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<i32>)
  %y = stablehlo.reshape %m#0 : (tensor<f64>) -> tensor<1xf64>)";
  EXPECT_EQ(gradients(text, {list({1, 4, 2, 4, 3})}, {7}), (Lists{{0, 7, 0, 0, 0}}));
}

/// Two processes with x and 10·x; the gradient of the sum of both results on each.
Lists on_two(const std::string& body) {
  const std::string text = cat(R"(func.func private @f(%x: tensor<2xf64>) -> tensor<f64> {
  %w = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf64>
)",
                               body, R"(
  %s = stablehlo.dot_general %y, %w, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func public @one(%x: tensor<2xf64>) -> tensor<2xf64> {
  %g = "mr.grad"(%x) {callee = @f, wrt = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}
func.func public @main(%x: tensor<2xf64>, %y: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %0:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@one, @one]]} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<2xf64>, tensor<2xf64>
})");
  const auto module = ir::parse_module(text, "two");
  Lists found;
  for (const Tensor& t : ir::Interpreter(*module).run(
           module->entry("main"), std::vector<Tensor>{list({1, 2}), list({10, 2})}))
    found.push_back(numbers(t));
  return found;
}

std::string reduced(const char* op, const char* combiner) {
  return cat(
      "  %y = \"stablehlo.", op,
      R"("(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %r = stablehlo.)",
      combiner, R"( %a, %b : tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<2xf64>) -> tensor<2xf64>)");
}

TEST(DerivativeValues, collectives) {
  EXPECT_EQ(on_two(reduced("all_reduce", "add")), (Lists{{2, 20}, {2, 20}}));
  EXPECT_EQ(on_two(reduced("all_reduce", "maximum")), (Lists{{0, 10}, {2, 10}}));
  EXPECT_THROW(on_two(reduced("all_reduce", "multiply")), Error);
  EXPECT_EQ(
      on_two(
          R"(  %y = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf64>) -> tensor<2xf64>)"),
      (Lists{{1, 10}, {0, 0}}));
  EXPECT_EQ(
      on_two(
          R"(  %y = "stablehlo.all_to_all"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2xf64>) -> tensor<2xf64>)"),
      (Lists{{1, 1}, {10, 10}}));
  EXPECT_EQ(
      on_two(
          R"(  %h = "stablehlo.slice"(%x) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf64>) -> tensor<1xf64>
  %y = "stablehlo.all_gather"(%h) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xf64>) -> tensor<2xf64>)"),
      (Lists{{2, 0}, {20, 0}}));
}

}  // namespace
}  // namespace partita::testing
