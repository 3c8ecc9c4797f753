// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives between simulated shards: values by hand, and the errors of groups that do not fit and
// of processes that never meet.
#include "partita/ir/collectives.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/sharding.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

std::string error_of(const std::string& text, const std::vector<Tensor>& inputs = {}) {
  try {
    static_cast<void>(run_text(text, inputs));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user) << e.what();
    return e.what();
  }
  return "no error";
}

/// A function @f of one tensor<2xi32>, and @main, which runs it as `programs` on rows of the input.
std::string parallel(const std::string& programs, int count, const std::string& body,
                     const std::string& result = "tensor<2xi32>") {
  std::string operands, types, results, names;
  for (int k = 0; k < count; ++k) {
    const char* comma = k == 0 ? "" : ", ";
    operands += cat(comma, "%a", k);
    types += cat(comma, "tensor<2xi32>");
    results += cat(comma, result);
    names += cat(comma, "%0#", k);
  }
  std::string arguments;
  for (int k = 0; k < count; ++k) arguments += cat(k == 0 ? "" : ", ", "%a", k, ": tensor<2xi32>");
  return cat("module {\n  func.func @f(%x: tensor<2xi32>) -> ", result, " {\n", body,
             "\n  }\n  func.func @main(", arguments, ") -> (", results, ") {\n    %0:", count,
             " = \"interpreter.run_parallel\"(", operands, ") {programs = ", programs, "} : (",
             types, ") -> (", results, ")\n    return ", names, " : ", results, "\n  }\n}");
}

std::vector<Tensor> rows(int count) {
  std::vector<Tensor> all;
  for (int k = 0; k < count; ++k) all.push_back(i32({2}, {double(10 * k), double(10 * k + 1)}));
  return all;
}

std::string sum(const std::string& groups, int channel, bool is_global) {
  return cat("    %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = ", groups,
             ", channel_handle = #stablehlo.channel_handle<handle = ", channel, ", type = 1>",
             is_global ? ", use_global_device_ids" : "",
             "}> ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n      %1 = stablehlo.add %a, %b "
             ": tensor<i32>\n      stablehlo.return %1 : tensor<i32>\n    }) : (tensor<2xi32>) -> "
             "tensor<2xi32>\n    return %0 : tensor<2xi32>");
}

V first_elements(const std::vector<Tensor>& tensors) {
  V values;
  for (const Tensor& t : tensors) values.push_back(values_of(t)[0]);
  return values;
}

constexpr const char* two_by_two = "[[@f, @f], [@f, @f]]";

TEST(Collectives, GroupsFollowTheFourStrategies) {
  const auto run = [&](const std::string& groups, int channel, bool is_global) {
    return first_elements(
        run_text(parallel(two_by_two, 4, sum(groups, channel, is_global)), rows(4)));
  };
  const std::string both = "dense<[[0, 1]]> : tensor<1x2xi64>",
                    each = "dense<[[0], [1]]> : tensor<2x1xi64>",
                    crossed = "dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>",
                    none = "dense<> : tensor<0x0xi64>";
  EXPECT_EQ(run(both, 0, false), V({20, 40, 20, 40})) << "cross_replica";
  EXPECT_EQ(run(both, 1, false), V({60, 60, 60, 60})) << "cross_replica_and_partition";
  EXPECT_EQ(run(each, 1, false), V({10, 10, 50, 50})) << "cross_replica_and_partition";
  EXPECT_EQ(run(crossed, 1, true), V({30, 30, 30, 30})) << "flattened_ids";
  EXPECT_EQ(run(none, 1, true), V({60, 60, 60, 60})) << "all";
  const std::string permute =
      "    %0 = \"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1]]> : "
      "tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : "
      "(tensor<2xi32>) -> tensor<2xi32>\n    return %0 : tensor<2xi32>";
  EXPECT_EQ(first_elements(run_text(parallel(two_by_two, 4, permute), rows(4))), V({0, 0, 0, 20}))
      << "cross_partition";
}

TEST(Collectives, ProgramsMayDiffer) {
  const std::string text =
      "module {\n  func.func @f(%x: tensor<i32>) -> tensor<i32> {\n"
      "    %0 = \"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1], [1, "
      "0]]> : tensor<2x2xi64>}> : (tensor<i32>) -> tensor<i32>\n    return %0 : tensor<i32>\n  }\n"
      "  func.func @g(%x: tensor<i32>) -> tensor<i32> {\n    %y = stablehlo.negate %x : "
      "tensor<i32>\n"
      "    %0 = \"stablehlo.collective_permute\"(%y) <{source_target_pairs = dense<[[0, 1], [1, "
      "0]]> : tensor<2x2xi64>}> : (tensor<i32>) -> tensor<i32>\n    return %0 : tensor<i32>\n  }\n"
      "  func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {\n"
      "    %0:2 = \"interpreter.run_parallel\"(%a, %b) {programs = [[@f], [@g]]} : (tensor<i32>, "
      "tensor<i32>) -> (tensor<i32>, tensor<i32>)\n    return %0#0, %0#1 : tensor<i32>, "
      "tensor<i32>\n  }\n}";
  const auto results = run_text(text, {i32({}, {3}), i32({}, {5})});
  EXPECT_EQ(first_elements(results), V({-5, 3}));
}

TEST(Collectives, ProcessesThatNeverMeetAreAnError) {
  // The second process leaves before the collective: its predicate fails.
  const std::string body =
      "    %i = stablehlo.replica_id : tensor<ui32>\n    %one = stablehlo.constant dense<1> : "
      "tensor<ui32>\n    %p = stablehlo.compare LT, %i, %one : (tensor<ui32>, tensor<ui32>) -> "
      "tensor<i1>\n    %0 = \"stablehlo.if\"(%p) ({\n      %1 = "
      "\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>\n      stablehlo.return %1 : "
      "tensor<2xi32>\n    }, {\n      stablehlo.return %x : tensor<2xi32>\n    }) : (tensor<i1>) "
      "-> "
      "tensor<2xi32>\n    return %0 : tensor<2xi32>";
  EXPECT_NE(error_of(parallel("[[@f], [@f]]", 2, body), rows(2))
                .find("expected process 1 to meet process 0, found that it has ended"),
            std::string::npos);
}

TEST(Collectives, ErrorsOfOneProcessEndAll) {
  const auto module = parse_module("func.func @main() {\n  return\n}");
  Interpreter interpreter(*module);
  ProcessGrid grid(1, 4);
  const auto run = [&] {
    static_cast<void>(interpreter.run_processes(grid, [&](Interpreter& one) -> std::vector<Tensor> {
      if (one.process.id == 2) throw_user_error("the third fails");
      return {};
    }));
  };
  EXPECT_THROW(run(), Error);
  EXPECT_THROW(ProcessGrid(0, 1), Error);
  EXPECT_THROW(ProcessGrid(1 << 20, 1 << 20), Error);
}

TEST(Collectives, WrongGroupsAreRefused) {
  const auto refused = [&](const std::string& groups, int channel, bool is_global) {
    return error_of(parallel("[[@f], [@f]]", 2, sum(groups, channel, is_global)), rows(2));
  };
  EXPECT_NE(refused("dense<[[0, 0]]> : tensor<1x2xi64>", 0, false).find("different entries"),
            std::string::npos);
  EXPECT_NE(refused("dense<[[0, 5]]> : tensor<1x2xi64>", 0, false).find("within [0, 2)"),
            std::string::npos);
  EXPECT_NE(refused("dense<[[0]]> : tensor<1x1xi64>", 0, false).find("process 1"),
            std::string::npos);
  EXPECT_NE(refused("dense<[[0, 1]]> : tensor<1x2xi64>", 0, true).find("positive channel"),
            std::string::npos);
  EXPECT_NE(refused("dense<[0, 1]> : tensor<2xi64>", 0, false).find("rank 2"), std::string::npos);
  EXPECT_NE(refused("dense<[[0, -7]]> : tensor<1x2xi64>", 0, false).find("at least 0"),
            std::string::npos);
}

std::string gather(const std::string& result) {
  return cat(
      "    %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = "
      "dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> ",
      result, "\n    return %0 : ", result);
}

TEST(Collectives, TypesFollowTheGroups) {
  const auto results =
      run_text(parallel("[[@f], [@f]]", 2, gather("tensor<4xi32>"), "tensor<4xi32>"), rows(2));
  EXPECT_EQ(values_of(results[1]), V({0, 1, 10, 11}));
  EXPECT_NE(error_of(parallel("[[@f], [@f]]", 2, gather("tensor<6xi32>"), "tensor<6xi32>"), rows(2))
                .find("as the groups make it"),
            std::string::npos);
}

TEST(Shardings, TextIsReadOrRefused) {
  const Sharding s = parse_sharding(
      "#sdy.sharding<@mesh, [{\"x\", \"y\":(2)4}, {?}p1, {\"z\", ?}], "
      "replicated={\"w\"}>");
  EXPECT_EQ(s.mesh, "mesh");
  ASSERT_EQ(s.dims.size(), 3u);
  EXPECT_EQ(s.dims[0].axes[1], (AxisRef{.name = "y", .pre = 2, .size = 4}));
  EXPECT_TRUE(s.dims[1].axes.empty() && s.dims[1].is_open && !s.dims[0].is_open);
  EXPECT_EQ(s.dims[1].priority, 1);
  EXPECT_TRUE(s.dims[2].is_open);
  EXPECT_TRUE(s.names("w") && s.names("z") && !s.names("v"));
  EXPECT_EQ(to_text(s),
            "#sdy.sharding<@mesh, [{\"x\", \"y\":(2)4}, {?}p1, {\"z\", ?}], "
            "replicated={\"w\"}>");
  EXPECT_EQ(parse_sharding(to_text(s)), s);
  EXPECT_EQ(parse_sharding("<mesh<[\"a\"=2]>, []>").inner.value_or(Mesh{}).size(), 2);
  for (const char* text : {"<", "<@mesh>", "<@mesh, [{x}]>", "<@mesh, [{\"x\":(2}]>",
                           "<mesh<[\"a\"=0]>, []>", "<mesh<[\"a\"=2], device_ids=[0, 0]>, []>"})
    EXPECT_THROW(static_cast<void>(parse_sharding(text)), Error) << text;
}

TEST(Shardings, AxesAndPartsOfAxesCut) {
  const Mesh mesh{.axes = {{"x", 2}, {"y", 4}}, .device_ids = {}};
  const Cut cut(parse_sharding("<@m, [{\"y\":(1)2, \"x\"}, {\"y\":(2)2}]>"), mesh, {"x", "y"});
  EXPECT_EQ(cut.pieces(), Dims({4, 2}));
  EXPECT_EQ(cut.piece_of(7), Dims({3, 1}));
  EXPECT_EQ(cut.piece_of(2), Dims({2, 0}));
  const Cut manual(parse_sharding("<@m, [{\"y\", \"x\"}]>"), mesh, {"x"});
  EXPECT_EQ(manual.pieces(), Dims({2}));
  EXPECT_EQ(manual.piece_of(4), Dims({1}));
  EXPECT_THROW(Cut(parse_sharding("<@m, [{\"z\"}]>"), mesh, {}), Error);
  EXPECT_THROW(Cut(parse_sharding("<@m, [{\"y\"}, {\"y\":(2)2}]>"), mesh, {"y"}), Error);
  EXPECT_THROW(Cut(parse_sharding("<@m, [{\"y\":(3)2}]>"), mesh, {"y"}), Error);
}

TEST(Shardings, TilesOfGspmd) {
  const Cut transposed("{devices=[2,4]<=[4,2]T(1,0)}", 2, 8);
  EXPECT_EQ(transposed.piece_of(2), Dims({0, 1}));
  EXPECT_EQ(transposed.piece_of(1), Dims({1, 0}));
  const Cut listed("{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}", 2, 4);
  EXPECT_EQ(listed.piece_of(2), Dims({0, 0}));
  EXPECT_EQ(listed.piece_of(1), Dims({1, 0}));
  EXPECT_EQ(Cut("{replicated}", 1, 4).pieces(), Dims({1}));
  EXPECT_EQ(gspmd_devices("{devices=[2,4]<=[8]}"), 8);
  for (const char* text : {"devices", "{devices=[2]0}", "{devices=[2]<=[3]}", "{devices=[2]5,1}",
                           "{devices=[2]<=[2]T(1)}"})
    EXPECT_THROW(Cut(text, 1, 4), Error) << text;
}

/// On a mesh of two: a region with the given types and shardings.
std::string manual(const std::string& in, const std::string& piece, const std::string& axes) {
  return cat(
      "module {\n  sdy.mesh @mesh = <[\"x\"=2]>\n  func.func @main(%a: tensor<4xf32>) -> "
      "tensor<4xf32> {\n    %0 = sdy.manual_computation(%a) in_shardings=[",
      in, "] out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={", axes, "} (%b: ", piece,
      ") {\n      sdy.return %b : ", piece,
      "\n    } : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}");
}

TEST(ManualComputation, TypesFollowTheShardings) {
  const Tensor x = f32({4}, {1, 2, 3, 4});
  EXPECT_EQ(values_of(run_text(manual("<@mesh, [{\"x\"}]>", "tensor<2xf32>", "\"x\""), {x})[0]),
            V({1, 2, 3, 4}));
  EXPECT_NE(error_of(manual("<@mesh, [{}]>", "tensor<2xf32>", "\"x\"")).find("operand 0 of type"),
            std::string::npos);
  EXPECT_NE(error_of(manual("<@other, [{\"x\"}]>", "tensor<2xf32>", "\"x\"")).find("mesh"),
            std::string::npos);
  EXPECT_NE(error_of(manual("<@mesh, [{\"y\"}]>", "tensor<2xf32>", "\"x\"")).find("\"y\""),
            std::string::npos);
  EXPECT_NE(error_of(manual("<@mesh, [{\"x\"}]>", "tensor<2xf32>", "\"z\"")).find("\"z\""),
            std::string::npos);
}

// --- Groups by axes, and collectives that are started ---------------------------------------------

using Lists = std::vector<I64s>;

Lists groups(const std::string& mesh, const std::string& axes) {
  return groups_along_axes(
      cat("#stablehlo.replica_group_mesh_axes<mesh = ", mesh, ", axes = [", axes, "]>"), nullptr);
}

constexpr const char *two_by_four = "#stablehlo.mesh<axes = [\"x\"=2, \"y\"=4]>",
                     *x_axis = "#stablehlo.axis_ref<name = \"x\">";

TEST(ReplicaAxes, DevicesThatDifferAlongThemMeet) {
  EXPECT_EQ(groups(two_by_four, x_axis), Lists({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups(two_by_four, "\"y\""), Lists({{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups(two_by_four, "\"x\", \"y\""), Lists({{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(groups(two_by_four, "\"y\", \"x\""), Lists({{0, 4, 1, 5, 2, 6, 3, 7}}));
  EXPECT_EQ(groups(two_by_four, ""), Lists({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}));
  EXPECT_EQ(groups(two_by_four, "\"y\":(1)2"), Lists({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(two_by_four, "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (2)2>"),
            Lists({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  const std::string written_out =
      "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, <name = \"y\", size = "
      "2>], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>>";
  EXPECT_EQ(groups(written_out, x_axis), Lists({{0, 1}, {2, 3}}));
}

TEST(ReplicaAxes, AreRefusedWhereTheMeshHasNone) {
  for (const auto& [mesh, axes] : std::vector<std::pair<std::string, std::string>>{
           {two_by_four, "\"z\""},
           {two_by_four, "\"x\", \"x\""},
           {two_by_four, "\"y\":(1)3"},
           {two_by_four, "0 : i64"},
           {"@mesh", "\"x\""},
           {"#stablehlo.mesh<axes = [\"x\"=0]>", "\"x\""},
           {"#stablehlo.mesh<axes = [\"x\"=4194304]>", "\"x\""},
           {"#stablehlo.mesh<axes = [\"x\"=2], device_ids = dense<0> : tensor<1xi64>>", "\"x\""}})
    EXPECT_THROW(static_cast<void>(groups(mesh, axes)), Error) << mesh << axes;
}

/// On two by two devices, each with one element of %a.
std::string on_devices(const std::string& body, const std::string& result = "tensor<1xf32>",
                       const std::string& whole = "tensor<4xf32>") {
  return cat(R"(module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%a: tensor<4xf32>) -> )",
             whole, R"( {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%b: tensor<1xf32>) {
)",
             body, "\n      sdy.return %r : ", result, "\n    } : (tensor<4xf32>) -> ", whole,
             "\n    return %0 : ", whole, "\n  }\n}\n");
}

V on_devices_of_values(const std::string& text) {
  return values_of(run_text(text, {f32({4}, {1, 2, 10, 20})})[0]);
}

TEST(ReplicaAxes, NameMeshesOfTheModule) {
  EXPECT_EQ(
      on_devices_of_values(on_devices(
          R"(      %r = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %1 = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<1xf32>) -> tensor<1xf32>)")),
      V({11, 22, 11, 22}));
}

TEST(StartedCollectives, GiveWhatTheyDoAtOnce) {
  EXPECT_EQ(on_devices_of_values(on_devices(
                R"(      %1 = "stablehlo.async_start"(%b) ({
      ^bb0(%c: tensor<1xf32>):
        %2 = "stablehlo.all_gather"(%c) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
        stablehlo.return %2 : tensor<2xf32>
      }) : (tensor<1xf32>) -> !stablehlo.future<tensor<2xf32>>
      %r = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>)",
                "tensor<2xf32>", "tensor<8xf32>")),
            V({1, 2, 1, 2, 10, 20, 10, 20}));
}

std::string started(const std::string& target, const std::string& config,
                    const std::string& result = "tensor<1xf32>") {
  const bool combines = target.find("reduce") != std::string::npos;
  std::string quoted;
  for (const char c : config) quoted += c == '"' ? std::string("\\22") : std::string(1, c);
  return cat("      %1 = stablehlo.custom_call @\"", target, "-start\"(%b) {",
             combines ? "called_computations = [@add], " : "",
             "mhlo.frontend_attributes = {async_collective_config = \"", quoted,
             "\"}} : (tensor<1xf32>) -> ", result, "\n      %r = stablehlo.custom_call @\"", target,
             "-done\"(%1) : (", result, ") -> ", result);
}

TEST(StartedCollectives, ByCallsOfJaxToo) {
  const std::string pairs =
      R"("replica_groups": [[0, 2], [1, 3]], "use_global_device_ids": true, "channel_id": 1})";
  EXPECT_EQ(on_devices_of_values(on_devices(started("all-reduce", "{" + pairs))),
            V({11, 22, 11, 22}));
  EXPECT_EQ(on_devices_of_values(on_devices(
                started("all-gather", "{\"all_gather_dimension\": 0, " + pairs, "tensor<2xf32>"),
                "tensor<2xf32>", "tensor<8xf32>")),
            V({1, 10, 2, 20, 1, 10, 2, 20}));
  EXPECT_EQ(on_devices_of_values(on_devices(started(
                "collective-permute", R"({"permutation": [[0, 3], [3, 0]], "channel_id": 1})"))),
            V({20, 0, 0, 1}));
  EXPECT_EQ(
      on_devices_of_values(on_devices(started(
          "reduce-scatter",
          R"({"scatter_dimension": 0, "replica_groups": [[0], [1], [2], [3]], "tiled": true, "use_global_device_ids": true, "channel_id": 1})"))),
      V({1, 2, 10, 20}));
  EXPECT_EQ(
      on_devices_of_values(on_devices(started(
          "all-to-all",
          R"({"split_dimension": 0, "concat_dimension": 0, "split_count": 1, "replica_groups": [[0], [1], [2], [3]], "channel_id": 1})"))),
      V({1, 2, 10, 20}));
  EXPECT_EQ(
      on_devices_of_values(on_devices(
          "      %r = stablehlo.negate %b : tensor<1xf32>\n      stablehlo.custom_call "
          "@control_dep(%r, %b) {has_side_effect = true} : (tensor<1xf32>, tensor<1xf32>) -> ()\n"
          "      stablehlo.custom_call @dce_sink(%r) {has_side_effect = true} : (tensor<1xf32>) -> "
          "()")),
      V({-1, -2, -10, -20}));
  for (const char* config : {"", "{", "3", R"({"replica_groups": 3})", R"({"replica_groups": [3]})",
                             R"({"replica_groups": [["a"]]})", R"({"channel_id": "a"})"})
    EXPECT_NE(error_of(on_devices(started("all-reduce", config))), "no error") << config;
  EXPECT_NE(error_of(on_devices("      %r = stablehlo.custom_call @\"all-reduce-done\"(%b, %b) : "
                                "(tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>")),
            "no error");
}

}  // namespace
}  // namespace partita::ir
