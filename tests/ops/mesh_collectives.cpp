// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs of one shard of a mesh on the interpreter: wholes cut and joined, collectives between shards by hand
// values, and the errors of groups and layouts that do not fit.
#include <numeric>

#include "partita/base/array_block.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/mesh.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

/// An argument or result of a function, as text: a local type and how the whole lies.
struct Port {
  std::string local, whole, sharding;
  [[nodiscard]] std::string text() const {
    return whole.empty() ? local
                         : cat(local, " {mr.global_type = \"", whole,
                               "\", sdy.sharding = #sdy.sharding<@mesh, ", sharding, ">}");
  }
};

std::string on_mesh(const std::string& mesh, const Port& in, const Port& out,
                    const std::string& body) {
  const std::string argument = in.text(), result = out.text();
  return cat("module attributes {mr.mesh = #sdy.mesh", mesh,
             "} {\n  func.func @main(%x: ", argument, ") -> (", result, ") {\n", body, "\n  }\n}");
}

/// On a mesh of shards "s": @main of one argument cut along its first dimension.
std::string on_line(int shards, const std::string& body, const Port& out) {
  return on_mesh(cat("<[\"s\"=", shards, "]>"),
                 {"tensor<2xf32>", cat("tensor<", 2 * shards, "xf32>"), "[{\"s\"}]"}, out, body);
}

Tensor counting(Dims dims, DType dtype = DType::f32) {
  const Type type{.dtype = dtype, .dims = std::move(dims)};
  V values(std::size_t(type.count()));
  std::iota(values.begin(), values.end(), 0);
  return make_tensor(type, values);
}

std::string error_of(const std::string& text, const std::vector<Tensor>& inputs = {}) {
  try {
    static_cast<void>(run_text(text, inputs));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user) << e.what();
    return e.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const std::string& part) {
  EXPECT_NE(error_of(text, {counting({4})}).find(part), std::string::npos)
      << error_of(text, {counting({4})});
}

/// A collective that takes %x: tensor<2xf32> to %0 of `result`.
std::string call(const std::string& op, const std::string& attrs, const std::string& result) {
  return cat("    %0 = \"mr.", op, "\"(%x) {", attrs, "} : (tensor<2xf32>) -> ", result,
             "\n    return %0 : ", result);
}

constexpr const char* both = "groups = dense<[[0, 1]]> : tensor<1x2xi64>";
constexpr const char* pairs_of_four = "groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>";

TEST(ArrayBlocks, OfAnyExtentsCoverTheWholeOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Dims whole, pieces;
    for (unsigned d = random() % 4; d > 0; --d) {
      whole.push_back(std::int64_t(random() % 7));
      pieces.push_back(1 + std::int64_t(random() % 4));
    }
    const Type type{.dtype = DType::i32, .dims = whole};
    const Tensor from = counting(whole, DType::i32);
    HostArray to(type);
    std::ranges::fill(to.bytes, std::byte(0xff));
    const Type grid{.dims = pieces};
    for (std::int64_t b = 0; b < grid.count(); ++b) {
      const ArrayBlock block(whole, pieces, grid_coordinates(pieces, b));
      HostArray part(Type{.dtype = DType::i32, .dims = block.extents});
      block.take(4, from->bytes, part.bytes);
      block.put(4, part.bytes, to.bytes);
      if (block.is_contiguous() && part.type.count() > 0) {
        EXPECT_EQ(part.data<DType::i32>()[0], block.first_element());
      }
    }
    EXPECT_EQ(to.bytes, from->bytes) << to_string(type) << " in " << to_string(grid);
  }
}

TEST(Meshes, WholesAreCutAndJoinedByTheirShardings) {
  // Rows over "b", columns over "a": the transposed block of a shard is its block of the transpose.
  const std::string text = on_mesh(
      "<[\"a\"=3, \"b\"=2]>", {"tensor<3x2xi32>", "tensor<5x4xi32>", "[{\"b\"}, {\"a\"}]"},
      {"tensor<2x3xi32>", "tensor<4x5xi32>", "[{\"a\"}, {\"b\"}]"},
      "    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32>\n"
      "    return %0 : tensor<2x3xi32>");
  V wanted;
  for (int c = 0; c < 4; ++c)
    for (int r = 0; r < 5; ++r) wanted.push_back(4 * r + c);
  EXPECT_EQ(values_of(run_text(text, {counting({5, 4}, DType::i32)})[0]), wanted);
}

TEST(Meshes, MayBeTextInQuotes) {
  const auto module =
      parse_module("module attributes {mr.mesh = \"<[\\\"x\\\"=2, \\\"y\\\"=3]>\"} {}");
  EXPECT_EQ(axis_sizes(shard_mesh(*module).value_or(Mesh{})), Dims({2, 3}));
}

TEST(Meshes, BlocksOverSeveralAxesTakeTheFirstAsMajor) {
  const std::string index =
      "    %i = \"mr.shard_index\"() {axes = [\"b\", \"a\"]} : () -> tensor<i32>\n"
      "    %0 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>\n"
      "    return %0 : tensor<1xi32>";
  const auto run = [&](const std::string& axes) {
    return values_of(run_text(on_mesh("<[\"a\"=2, \"b\"=3]>", {"tensor<i32>", "", ""},
                                      {"tensor<1xi32>", "tensor<6xi32>", axes}, index),
                              {i32({}, {0})})[0]);
  };
  EXPECT_EQ(run("[{\"b\", \"a\"}]"), V({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run("[{\"a\", \"b\"}]"), V({0, 2, 4, 1, 3, 5}));
}

TEST(Meshes, PaddingIsNoNumberAndIsNotSeen) {
  const auto run = [](const std::string& op) {
    return values_of(run_text(
        on_mesh("<[\"s\"=4]>", {"tensor<2xf32>", "tensor<5xf32>", "[{\"s\"}]"},
                {"tensor<f32>", "", ""},
                cat("    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = "
                    "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] "
                    ": (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n    %0 = ",
                    op, "\n    return %0 : tensor<f32>")),
        {counting({5})})[0]);
  };
  EXPECT_EQ(run("stablehlo.negate %r : tensor<f32>"), V({-1})) << "the first shard says it";
  const V sum = run(
      "\"mr.mesh_all_reduce\"(%r) {groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, combiner = "
      "\"sum\"} : (tensor<f32>) -> tensor<f32>");
  EXPECT_TRUE(std::isnan(sum[0])) << "a sum over padding";
}

TEST(Meshes, CollectivesMeetTheirGroups) {
  const auto run = [](int shards, const std::string& body, const Port& out) {
    return values_of(run_text(on_line(shards, body, out), {counting({2 * shards})})[0]);
  };
  const Port four{"tensor<2xf32>", "tensor<8xf32>", "[{\"s\"}]"};
  EXPECT_EQ(
      run(4, call("mesh_all_reduce", cat(pairs_of_four, ", combiner = \"sum\""), "tensor<2xf32>"),
          four),
      V({4, 6, 8, 10, 4, 6, 8, 10}));
  EXPECT_EQ(
      run(4, call("mesh_all_reduce", cat(pairs_of_four, ", combiner = \"max\""), "tensor<2xf32>"),
          four),
      V({4, 5, 6, 7, 4, 5, 6, 7}));
  EXPECT_EQ(run(4, call("mesh_all_gather", pairs_of_four, "tensor<2x2xf32>"),
                {"tensor<2x2xf32>", "tensor<8x2xf32>", "[{\"s\"}, {}]"}),
            V({4, 5, 0, 1, 2, 3, 6, 7, 4, 5, 0, 1, 2, 3, 6, 7}));
  EXPECT_EQ(run(4, call("mesh_all_to_all", pairs_of_four, "tensor<2xf32>"), four),
            V({5, 1, 2, 6, 4, 0, 3, 7}));
  EXPECT_EQ(run(4,
                call("mesh_permute", "pairs = dense<[[0, 1], [0, 2], [3, 0]]> : tensor<3x2xi64>",
                     "tensor<2xf32>"),
                four),
            V({6, 7, 0, 1, 0, 1, 0, 0}));
}

TEST(Meshes, ScattersGiveEachPositionItsSlice) {
  const std::string body =
      "    %0 = \"mr.mesh_reduce_scatter\"(%x) {groups = dense<[[1, 0]]> : tensor<1x2xi64>, "
      "combiner = \"sum\"} : (tensor<2xf32>) -> tensor<f32>\n"
      "    %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>\n"
      "    return %1 : tensor<1xf32>";
  const std::string text = on_line(2, body, {"tensor<1xf32>", "tensor<2xf32>", "[{\"s\"}]"});
  EXPECT_EQ(values_of(run_text(text, {f32({4}, {1, 2, 30, 40})})[0]), V({42, 31}));
}

TEST(Meshes, StartAndDoneAreTheCollective) {
  const std::string body = cat(
      "    %t = \"mr.mesh_start\"(%x) {kind = \"all_gather\", ", both,
      "} : (tensor<2xf32>) -> !mr.token\n"
      "    %u = \"mr.mesh_start\"(%x) {kind = \"permute\", pairs = dense<[[0, 1]]> : "
      "tensor<1x2xi64>} : (tensor<2xf32>) -> !mr.token\n"
      "    %0 = \"mr.mesh_done\"(%u) : (!mr.token) -> tensor<2xf32>\n"
      "    %1 = \"mr.mesh_done\"(%t) : (!mr.token) -> tensor<2x2xf32>\n"
      "    %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>\n"
      "    %3 = stablehlo.add %1, %2 : tensor<2x2xf32>\n    return %3 : tensor<2x2xf32>");
  const std::string text =
      on_line(2, body, {"tensor<2x2xf32>", "tensor<4x2xf32>", "[{\"s\"}, {}]"});
  EXPECT_EQ(values_of(run_text(text, {f32({4}, {1, 2, 3, 4})})[0]), V({1, 2, 3, 4, 2, 4, 4, 6}));
}

TEST(Meshes, OneProcessIsAMeshOfOne) {
  const std::string text =
      cat("func.func @main(%x: tensor<2xf32>) -> tensor<1x2xf32> {\n",
          call("mesh_all_gather", "groups = dense<0> : tensor<1x1xi64>", "tensor<1x2xf32>"), "\n}");
  EXPECT_EQ(values_of(run_text(text, {f32({2}, {1, 2})})[0]), V({1, 2}));
}

TEST(Meshes, WhatDoesNotFitIsRefused) {
  const Port whole{"tensor<2xf32>", "tensor<4xf32>", "[{\"s\"}]"};
  const auto sum = [](const std::string& groups, const std::string& combiner) {
    return call("mesh_all_reduce", cat("groups = ", groups, ", combiner = \"", combiner, "\""),
                "tensor<2xf32>");
  };
  expect_error(on_line(2, sum("dense<[[0, 2]]> : tensor<1x2xi64>", "sum"), whole),
               "groups with each shard of 0 to 1 once, found [0, 2]");
  expect_error(on_line(2, sum("dense<[[0], [0]]> : tensor<2x1xi64>", "sum"), whole), "once");
  expect_error(on_line(2, sum("dense<[[0, -1], [1, 2]]> : tensor<2x2xi64>", "sum"), whole),
               "groups of one size");
  expect_error(on_line(2, sum("dense<[0, 1]> : tensor<2xi64>", "sum"), whole), "rank 2");
  expect_error(on_line(2, sum("dense<[[0, 1]]> : tensor<1x2xi64>", "mean"), whole), "a combiner");
  expect_error(on_line(2, sum("dense<[[0, 1]]> : tensor<1x2xi64>", "or"), whole), "or combines");
  expect_error(on_line(2,
                       call("mesh_permute", "pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>",
                            "tensor<2xf32>"),
                       whole),
               "different entries");
  expect_error(
      on_line(2, call("mesh_permute", "pairs = dense<[[0, 2]]> : tensor<1x2xi64>", "tensor<2xf32>"),
              whole),
      "shards below 2, found 2");
  expect_error(
      on_line(2, "    return %x : tensor<2xf32>", {"tensor<2xf32>", "tensor<5xf32>", "[{\"s\"}]"}),
      "result 0: expected tensor<3xf32>");
  expect_error(
      on_line(2, "    return %x : tensor<2xf32>", {"tensor<2xf32>", "tensor<4xf32>", "[{\"t\"}]"}),
      "expected an axis of the mesh, found \"t\"");
  expect_error(on_mesh("<[\"s\"=4]>", {"tensor<4xf32>", "", ""},
                       {"tensor<4xf32>", "tensor<8xf32>", "[{\"s\":(1)2}]"},
                       "    return %x : tensor<4xf32>"),
               "whole axes of mr.mesh");
  expect_error(on_line(2, "    return %x : tensor<2xf32>",
                       {"tensor<2xf32>", "tensor<4xf32>", "[{\"s\", \"s\"}]"}),
               "each axis once");
  expect_error(
      on_line(2,
              "    %i = \"mr.shard_index\"() {axes = [\"t\"]} : () -> tensor<i32>\n    return %x : "
              "tensor<2xf32>",
              whole),
      "axes of mr.mesh, found \"t\"");
  const std::string alone =
      cat("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = "
          "\"mr.mesh_all_reduce\"(%x) {",
          both, ", combiner = \"sum\"} : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : ",
          "tensor<4xf32>\n}");
  expect_error(alone, "a mesh (mr.mesh) of 2 shards as its groups say, found 1");
}

/// A collective of one process on a stack of three equals that on each.
TEST(Meshes, AFurtherDimensionLiesBehindTheMembers) {
  for (
      const std::string attrs :
      {R"(mesh_all_gather"(%x) {groups = dense<0> : tensor<1x1xi64>} : (tensor<1x2xf32>) -> tensor<1x1x2xf32>)",
       R"(mesh_reduce_scatter"(%x) {groups = dense<0> : tensor<1x1xi64>, combiner = "sum"} : (tensor<1x2xf32>) -> tensor<2xf32>)",
       R"(mesh_all_to_all"(%x) {groups = dense<0> : tensor<1x1xi64>} : (tensor<1x2xf32>) -> tensor<1x2xf32>)",
       R"(mesh_permute"(%x) {pairs = dense<0> : tensor<1x2xi64>} : (tensor<1x2xf32>) -> tensor<1x2xf32>)",
       R"(mesh_all_reduce"(%x) {groups = dense<0> : tensor<1x1xi64>, combiner = "max"} : (tensor<1x2xf32>) -> tensor<1x2xf32>)"}) {
    const std::string result = attrs.substr(attrs.rfind("tensor"));
    const auto module =
        parse_module(cat("func.func @main(%x: tensor<1x2xf32>) -> ", result, " {\n  %0 = \"mr.",
                         attrs, "\n  return %0 : ", result, "\n}"));
    const Graph& body = *module->entry("main").body;
    Graph graph;
    BatchMap map;
    map[body.argument(0)] = {graph.add_argument({.dtype = DType::f32, .dims = {3, 1, 2}}), true};
    for (const BatchedValue& v : batch_body(body, map, {.into = graph, .size = 3})) {
      ASSERT_TRUE(v.batched) << attrs;
      graph.results.push_back(v.value);
    }
    const auto found = run_graph(graph, {counting({3, 1, 2})});
    EXPECT_EQ(values_of(found[0]), V({0, 1, 2, 3, 4, 5})) << attrs;
    EXPECT_EQ(found[0]->type.dims[0], 3) << attrs;
    const FactorRule rule = factor_rule(*body.nodes()[0]);
    EXPECT_EQ(rule.operands[0][1], rule.results[0].back()) << attrs;
  }
}

}  // namespace
}  // namespace partita::ir
