// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that stand for others: their values, what they are read as, and what they refuse.
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

/// The ops of @main, in order.
std::string ops_of(const std::string& text) {
  std::string names;
  const auto module = parse_module(text);
  for (const Node* node : module->entry("main").body->nodes())
    names += cat(names.empty() ? "" : " ", node->name());
  return names;
}

std::vector<double> values(const std::string& text, const std::vector<Tensor>& inputs) {
  return values_of(run_text(text, inputs).at(0));
}

using Values = std::vector<double>;

TEST(Expansions, dynamic_forms_are_the_static_ops) {
  EXPECT_EQ(ops_of(R"(func.func @main(%a: tensor<2x3xf32>, %s: tensor<1xi64>) -> tensor<6xf32> {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
})"),
            "stablehlo.reshape");
  // Sizes may be computed from constants.
  const std::string pad = R"(func.func @main(%a: tensor<2xi32>, %v: tensor<i32>) -> tensor<5xi32> {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2xi32>) -> tensor<i32>
  %l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %z = stablehlo.subtract %l, %l : tensor<1xi32>
  %o = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %v, %l, %z, %o : (tensor<2xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
})";
  EXPECT_EQ(values(pad, {i32({2}, {1, 2}), i32({}, {9})}), (Values{9, 9, 1, 9, 2}));
  const std::string slice =
      R"(func.func @main(%a: tensor<7xi32>, %s: tensor<1xi32>, %l: tensor<1xi32>) -> tensor<3xi32> {
  %t = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %t : (tensor<7xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
})";
  EXPECT_EQ(values(slice, {i32({7}, {0, 1, 2, 3, 4, 5, 6}), i32({1}, {1}), i32({1}, {7})}),
            (Values{1, 3, 5}));
}

TEST(Expansions, dynamic_forms_refuse_what_is_not_static) {
  EXPECT_EQ(refusal_of(R"(func.func @main(%a: tensor<6xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})"),
            "stablehlo.dynamic_reshape: expected output_shape of [2, 3] as the result has, found "
            "[3, 2]");
  EXPECT_EQ(
      refusal_of(
          R"(func.func @main(%a: tensor<2xf32>, %v: tensor<f32>, %l: tensor<1xi32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_pad %a, %v, %l, %l, %l : (tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"),
      "stablehlo.dynamic_pad: expected edge_padding_low that follows from constants, found "
      "one that depends on graph.arguments");
  EXPECT_EQ(refusal_of(R"(func.func @main(%a: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})"),
            "stablehlo.set_dimension_size: expected a constant size of 2, the extent (shapes are "
            "static), found a size that is computed");
  EXPECT_EQ(refusal_of(R"(func.func @main(%a: tensor<2xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2xf32>) -> tensor<i32>
  return %0 : tensor<i32>
})"),
            "stablehlo.get_dimension_size: expected dimension within [0, 1), found [1]");
}

TEST(Expansions, chlo_ops_broadcast_their_operands) {
  const auto sum = [](const char* a, const char* b, const char* attrs, const char* result) {
    return cat("func.func @main(%a: tensor<", a, "xi32>, %b: tensor<", b, "xi32>) -> tensor<",
               result, "xi32> {\n  %0 = chlo.broadcast_add %a, %b", attrs, " : (tensor<", a,
               "xi32>, tensor<", b, "xi32>) -> tensor<", result, "xi32>\n  return %0 : tensor<",
               result, "xi32>\n}");
  };
  EXPECT_EQ(values(sum("2x1", "3", "", "2x3"), {i32({2, 1}, {10, 20}), i32({3}, {1, 2, 3})}),
            (Values{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(values(sum("2x3", "2", " {broadcast_dimensions = array<i64: 0>}", "2x3"),
                   {i32({2, 3}, {1, 2, 3, 4, 5, 6}), i32({2}, {10, 20})}),
            (Values{11, 12, 13, 24, 25, 26}));
  EXPECT_EQ(refusal_of(sum("2", "3", "", "3")),
            "chlo.broadcast_add: expected operands that broadcast to one shape, found [2] and [3]");
  EXPECT_EQ(ops_of(sum("3", "3", "", "3")), "stablehlo.add");
}

TEST(Expansions, map_runs_its_region_on_each_element) {
  const std::string loop = R"(func.func @main(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%i = %x, %s = %one) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %d = stablehlo.subtract %i, %one : tensor<i32>
      %e = stablehlo.multiply %s, %i : tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    stablehlo.return %1#1 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
})";
  EXPECT_EQ(values(loop, {i32({2, 2}, {1, 3, 5, 0})}), (Values{1, 6, 120, 1}));
  const auto map = [](const char* dims, const char* shape) {
    return cat("func.func @main(%a: tensor<", shape, "f32>) -> tensor<", shape,
               "f32> {\n  %0 = \"stablehlo.map\"(%a) ({\n  ^bb0(%x: tensor<f32>):\n    %1 = "
               "stablehlo.negate %x : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) "
               "{dimensions = array<i64",
               dims, ">} : (tensor<", shape, "f32>) -> tensor<", shape,
               "f32>\n  return %0 : tensor<", shape, "f32>\n}");
  };
  EXPECT_EQ(values(map(": 0, 1", "0x3x"), {f32({0, 3}, {})}), Values{});
  EXPECT_EQ(refusal_of(map(": 1", "2x3x")),
            "stablehlo.map: expected [0, 1] as dimensions, found [1]");
}

TEST(Expansions, ragged_dot_multiplies_each_group_by_its_own_matrix) {
  const std::string text =
      R"(func.func @main(%a: tensor<4x2xi32>, %b: tensor<3x2x1xi32>, %s: tensor<3xi32>) -> tensor<4x1xi32> {
  %0 = "chlo.ragged_dot"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xi32>, tensor<3x2x1xi32>, tensor<3xi32>) -> tensor<4x1xi32>
  return %0 : tensor<4x1xi32>
})";
  // Groups of 1, 0 and 2 rows; the last row is in none.
  EXPECT_EQ(values(text, {i32({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                          i32({3, 2, 1}, {1, 1, 10, 10, 100, 1}), i32({3}, {1, 0, 2})}),
            (Values{3, 304, 506, 0}));
}

TEST(Expansions, scan_refuses_regions_that_do_not_fit) {
  EXPECT_EQ(refusal_of(R"(func.func @main(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = chlo.scan(%a) inits(%i) dimension=0 {
  ^bb0(%x: tensor<f32>, %c: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})"),
            "chlo.scan: expected argument 1 of the region of type tensor<f32>, found tensor<i32>");
}

TEST(Expansions, einsum_sums_what_the_result_lacks) {
  const auto product = [](const char* config, const char* result) {
    return cat("func.func @main(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) -> ", result,
               " {\n  %0 = stablehlo.einsum %a, %b, config = \"", config,
               "\" : (tensor<2x2xi32>, tensor<2x2xi32>) -> ", result, "\n  return %0 : ", result,
               "\n}");
  };
  const std::vector<Tensor> inputs{i32({2, 2}, {1, 2, 3, 4}), i32({2, 2}, {5, 6, 7, 8})};
  EXPECT_EQ(values(product("ab,bc->ca", "tensor<2x2xi32>"), inputs), (Values{19, 43, 22, 50}));
  EXPECT_EQ(values(product("ab, ab -> b", "tensor<2xi32>"), inputs), (Values{26, 44}));
  EXPECT_EQ(values(product("ab,cd->", "tensor<i32>"), inputs), Values{260});
  const auto wide = [](const char* config) {
    return cat(
        "func.func @main(%x: tensor<2x2xi32>) -> tensor<2xi32> {\n"
        "  %a = stablehlo.constant dense<100> : tensor<2x2xi8>\n  %0 = stablehlo.einsum %a, %a, "
        "config = \"",
        config,
        "\" : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2xi32>\n  return %0 : tensor<2xi32>\n}");
  };
  EXPECT_EQ(values(wide("ab,ab->a"), {inputs[0]}), (Values{20000, 20000}));
  EXPECT_EQ(values(wide("ab,cd->a"), {inputs[0]}), (Values{80000, 80000}));
  EXPECT_EQ(refusal_of(product("aa,ab->b", "tensor<2xi32>")),
            "stablehlo.einsum: expected each letter once per operand and result, found aa,ab->b");
  EXPECT_EQ(refusal_of(product("ab,bc->d", "tensor<2xi32>")),
            "stablehlo.einsum: expected letters of the operands in the result, found d");
}

TEST(Promotion, elements_of_reductions_become_those_that_regions_combine) {
  const auto add = [](const std::string& type, const std::string& head, const std::string& tail) {
    return cat(head, " ({\n  ^bb0(%x: ", type, ", %y: ", type,
               "):\n    %s = stablehlo.add %x, %y : ", type, "\n    stablehlo.return %s : ", type,
               "\n  }) ", tail);
  };
  const std::string reduce =
      cat("func.func @main(%a: tensor<2xi32>, %z: tensor<i32>) -> tensor<i64> {\n",
          add("tensor<i64>", "  %0 = \"stablehlo.reduce\"(%a, %z)",
              "{dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<i32>) -> tensor<i64>"),
          "\n  return %0 : tensor<i64>\n}");
  const std::vector<Tensor> inputs{i32({2}, {2147483647, 1}), i32({}, {0})};
  EXPECT_EQ(values(reduce, inputs), Values{2147483648.0});
  const std::string scatter = cat(
      "func.func @main(%a: tensor<2xi32>, %z: tensor<i32>) -> tensor<2xi64> {\n  %i = "
      "stablehlo.constant dense<0> : tensor<1xi32>\n",
      add("tensor<i64>", "  %0 = \"stablehlo.scatter\"(%a, %i, %z)",
          "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
          "scatter_dims_to_operand_dims = [0]>} : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> "
          "tensor<2xi64>"),
      "\n  return %0 : tensor<2xi64>\n}");
  EXPECT_EQ(values(scatter, {inputs[0], i32({}, {5})}), (Values{2147483652.0, 1}));
  const std::string narrow =
      cat("func.func @main(%a: tensor<2xi32>, %z: tensor<i32>) -> tensor<i16> {\n",
          add("tensor<i16>", "  %0 = \"stablehlo.reduce\"(%a, %z)",
              "{dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<i32>) -> tensor<i16>"),
          "\n  return %0 : tensor<i16>\n}");
  EXPECT_EQ(refusal_of(narrow),
            "stablehlo.reduce: expected argument 0 of the region of type tensor<i32>, found "
            "tensor<i16>");
}

TEST(Tuples, are_their_elements) {
  const std::string text =
      R"(func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {
  %t = stablehlo.tuple %b : tuple<tensor<2xi32>>
  %u = "stablehlo.tuple"(%a, %t) : (tensor<2xi32>, tuple<tensor<2xi32>>) -> tuple<tensor<2xi32>, tuple<tensor<2xi32>>>
  %v = "stablehlo.get_tuple_element"(%u) <{index = 1 : i32}> : (tuple<tensor<2xi32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
  %x = stablehlo.get_tuple_element %v[0] : (tuple<tensor<2xi32>>) -> tensor<2xi32>
  %y = stablehlo.get_tuple_element %u[0] : (tuple<tensor<2xi32>, tuple<tensor<2xi32>>>) -> tensor<2xi32>
  %0 = stablehlo.subtract %x, %y : tensor<2xi32>
  return %0 : tensor<2xi32>
})";
  EXPECT_EQ(values(text, {i32({2}, {1, 2}), i32({2}, {10, 20})}), (Values{9, 18}));
  EXPECT_EQ(ops_of(text), "stablehlo.subtract");
  const auto wrong = [](const char* op) {
    return refusal_of(
        cat("func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {\n  %t = "
            "stablehlo.tuple %a : tuple<tensor<2xi32>>\n  ",
            op, "\n  return %a : tensor<2xi32>\n}"));
  };
  EXPECT_EQ(
      wrong("%x = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>>) -> tensor<2xi32>"),
      "stablehlo.get_tuple_element: expected an index within [0, 1), found 1");
  EXPECT_EQ(
      wrong("%x = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xi32>>) -> tensor<2xi32>"),
      "stablehlo.get_tuple_element: expected type tensor<2xi32>, found tensor<3xi32>");
  EXPECT_EQ(wrong("%x = stablehlo.get_tuple_element %a[0] : (tensor<2xi32>) -> tensor<2xi32>"),
            "stablehlo.get_tuple_element: expected a tuple, found another value");
}

TEST(Tokens, say_nothing) {
  const std::string text = R"(func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  %2 = stablehlo.after_all %0, %1 : !stablehlo.token
  %3:2 = stablehlo.optimization_barrier %a, %2 : tensor<2xi32>, !stablehlo.token
  return %3#0 : tensor<2xi32>
})";
  EXPECT_EQ(values(text, {i32({2}, {1, 2})}), (Values{1, 2}));
  const std::string printed = print_module(*parse_module(text));
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
}

TEST(BitcastConvert, takes_elements_apart_low_bits_first) {
  const std::string narrow = R"(func.func @main(%a: tensor<2xui32>) -> tensor<2x2xui16> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xui32>) -> tensor<2x2xui16>
  return %0 : tensor<2x2xui16>
})";
  EXPECT_EQ(values(narrow, {make_tensor({.dtype = DType::ui32, .dims = {2}}, {0x10002, 7})}),
            (Values{2, 1, 7, 0}));
  const std::string bits = R"(func.func @main(%a: tensor<ui8>) -> tensor<8xi1> {
  %0 = stablehlo.bitcast_convert %a : (tensor<ui8>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
})";
  EXPECT_EQ(values(bits, {make_tensor(Type::scalar(DType::ui8), {0x15})}),
            (Values{1, 0, 1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(refusal_of(R"(func.func @main(%a: tensor<3xui16>) -> tensor<ui32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<3xui16>) -> tensor<ui32>
  return %0 : tensor<ui32>
})"),
            "stablehlo.bitcast_convert: expected an operand with a last dimension of 2 for "
            "elements of ui32, found tensor<3xui16>");
}

TEST(Scatter, combines_in_the_element_type) {
  // 2048 + 1 + 1 in f16: each sum is rounded.
  const std::string text =
      R"(func.func @main(%a: tensor<1xf16>, %i: tensor<2x1xi32>, %u: tensor<2xf16>) -> tensor<1xf16> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %1 = stablehlo.add %x, %y : tensor<f16>
    stablehlo.return %1 : tensor<f16>
  }) : (tensor<1xf16>, tensor<2x1xi32>, tensor<2xf16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
})";
  const auto f16 = [](Dims dims, const Values& v) {
    return make_tensor({.dtype = DType::f16, .dims = std::move(dims)}, v);
  };
  EXPECT_EQ(values(text, {f16({1}, {2048}), i32({2, 1}, {0, 0}), f16({2}, {1, 1})}), Values{2048});
}

}  // namespace
}  // namespace partita::ir
