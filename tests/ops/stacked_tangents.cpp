// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Forward mode takes many tangents at once: the same gradients as reverse mode gives, without a loop over
// elements, and with placements kept.
#include "tests/ops/derivative_test.hpp"

namespace partita::testing {
namespace {

/// A module with @f from `arguments` to a scalar and @main, its gradients by the first two arguments in
/// reverse mode, then in forward mode.
std::string both_modes(const std::string& f, const std::vector<std::string>& types) {
  std::string declared, names, listed;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const char* comma = k == 0 ? "" : ", ";
    declared += cat(comma, "%x", k, ": ", types[k]);
    names += cat(comma, "%x", k);
    listed += cat(comma, types[k]);
  }
  const std::string results = cat(types[0], ", ", types[1]);
  const auto grad = [&](const char* name, const char* mode) {
    return cat("  ", name, ":2 = \"mr.grad\"(", names,
               ") {callee = @f, wrt = array<i64: 0, 1>, mode = \"", mode, "\"} : (", listed,
               ") -> (", results, ")\n");
  };
  return cat("module attributes {mr.placements = {clients = 3}} {\n", f, "\nfunc.func @main(",
             declared, ") -> (", results, ", ", results, ") {\n", grad("%r", "reverse"),
             grad("%t", "forward"), "  return %r#0, %r#1, %t#0, %t#1 : ", results, ", ", results,
             "\n}\n}");
}

struct Found {
  std::int64_t loops = 0, maps = 0;  ///< in the forward mode's part, as it is after expansion
};

/// Both modes agree.
Found expect_agreement(const std::string& f, const std::vector<std::string>& types) {
  const auto module = ir::parse_module(both_modes(f, types), "stacked");
  const Function& main = module->entry("main");
  Inputs inputs(3);
  Numbers x;
  for (const Type& type : main.argument_types()) x.push_back(inputs.draw(type, 0.5, 2));
  const Numbers found = ir::Interpreter(*module).run(main, x);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto reverse = numbers(*found[k]), forward = numbers(*found[k + 2]);
    for (std::size_t i = 0; i < reverse.size(); ++i)
      EXPECT_NEAR(reverse[i], forward[i], 1e-10 * (1 + std::abs(reverse[i]))) << k << ", " << i;
  }
  const auto forward =
      ir::grad_graph(*module, *module->find("f"), {.wrt = {0, 1}, .value = false, .forward = true});
  Found counts;
  ir::walk(*forward, [&](const ir::Node& node) {
    counts.loops += node.is("stablehlo.while") ? 1 : 0;
    counts.maps += node.is("mr.map") ? 1 : 0;
  });
  return counts;
}

constexpr const char* placed_loss = R"(
func.func private @f(%w: tensor<2xf64>, %v: tensor<2x2xf64>, %d: tensor<3x2xf64>, %m: tensor<3xi1>) -> tensor<f64> {
  %ws = "mr.broadcast"(%w) {placement = "clients"} : (tensor<2xf64>) -> tensor<3x2xf64>
  %0:3 = "mr.map"(%ws, %v, %d) ({
  ^bb0(%x: tensor<2xf64>, %y: tensor<2x2xf64>, %e: tensor<2xf64>):
    %i = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
    %c = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>
    %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %2 = stablehlo.add %1, %b : tensor<2xf64>
    %3 = stablehlo.sine %2 : tensor<2xf64>
    %4 = stablehlo.multiply %3, %e : tensor<2xf64>
    %5 = stablehlo.dot_general %4, %x, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %6 = stablehlo.exponential %4 : tensor<2xf64>
    "mr.return"(%4, %5, %6) : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> ()
  }) {placement = "clients", in_axes = array<i64: 0, -1, 0>, out_axes = array<i64: 1, 0, 0>} : (tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>) -> (tensor<2x3xf64>, tensor<3xf64>, tensor<3x2xf64>)
  %7 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %8 = "mr.reduce_weighted_mean"(%7, %0#2, %m) {placement = "clients", operand_segments = array<i64: 1, 1, 1, 0>} : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3xi1>) -> tensor<2xf64>
  %9:2 = "mr.reduce_mean"(%7, %0#1) {placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> (tensor<2xf64>, tensor<f64>)
  %10 = "mr.reduce_max"(%7) {placement = "clients"} : (tensor<3x2xf64>) -> tensor<2xf64>
  %11 = "mr.reduce_weighted_mean"(%7, %0#1) {placement = "clients"} : (tensor<3x2xf64>, tensor<3xf64>) -> tensor<2xf64>
  %12 = stablehlo.add %8, %9#0 : tensor<2xf64>
  %13 = stablehlo.add %10, %11 : tensor<2xf64>
  %14 = stablehlo.dot_general %12, %13, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  %15 = stablehlo.multiply %14, %9#1 : tensor<f64>
  return %15 : tensor<f64>
})";

TEST(StackedTangents, KeepPlacements) {
  const Found found = expect_agreement(
      placed_loss, {"tensor<2xf64>", "tensor<2x2xf64>", "tensor<3x2xf64>", "tensor<3xi1>"});
  EXPECT_EQ(found.loops, 0);
  EXPECT_GT(found.maps, 1);
}

std::string loss_of(const std::string& n, const std::string& body) {
  return cat("func.func private @f(%a: tensor<", n, "xf64>, %b: tensor<f64>) -> tensor<f64> {\n",
             "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n", body,
             "  %r = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = "
             "[0] : (tensor<",
             n,
             "xf64>, tensor<f64>) -> tensor<f64>\n"
             "  %s = stablehlo.multiply %r, %b : tensor<f64>\n  return %s : tensor<f64>\n}");
}

TEST(StackedTangents, GoInBlocksWhereThereAreMany) {
  // 259 elements: two blocks of 130, of which the second begins one early.
  const Found found =
      expect_agreement(loss_of("259", "  %y = stablehlo.multiply %a, %a : tensor<259xf64>\n"),
                       {"tensor<259xf64>", "tensor<f64>"});
  EXPECT_EQ(found.loops, 1);
}

TEST(StackedTangents, GoThroughLoopsAndFormsOfDerivatives) {
  const std::string body = R"(  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%i = %i0, %c = %a) : tensor<i32>, tensor<4xf64>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %t = stablehlo.sine %c : tensor<4xf64>
    %u = stablehlo.multiply %t, %a : tensor<4xf64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %u : tensor<i32>, tensor<4xf64>
  }
  %k = "mr.checkpoint"(%w#1) {callee = @g} : (tensor<4xf64>) -> tensor<4xf64>
  %z = "mr.stop_gradient"(%k) : (tensor<4xf64>) -> tensor<4xf64>
  %y = stablehlo.multiply %k, %z : tensor<4xf64>
)";
  const Found found = expect_agreement(
      R"(func.func private @g(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.exponential %x : tensor<4xf64>
  %1 = stablehlo.multiply %0, %x : tensor<4xf64>
  return %1 : tensor<4xf64>
}
)" + loss_of("4", body),
      {"tensor<4xf64>", "tensor<f64>"});
  EXPECT_EQ(found.loops, 2);  // those of the program itself, one for each argument
}

}  // namespace
}  // namespace partita::testing
