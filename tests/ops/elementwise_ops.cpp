// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elementwise ops as ops: types, scalar operands, orders of comparison, conversions, errors; and that
// what kernels compute for an element is what the interpreter computes.
#include "partita/scalar/elementwise.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/support/samples.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// One op in generic form: operand types, then the result's.
std::string one_op(const std::string& op, const std::vector<std::string>& types,
                   const std::string& attributes = "") {
  std::string parameters, names, operands;
  for (std::size_t k = 0; k + 1 < types.size(); ++k) {
    parameters += cat(k ? ", " : "", "%a", k, ": ", types[k]);
    names += cat(k ? ", " : "", "%a", k);
    operands += cat(k ? ", " : "", types[k]);
  }
  return cat("func.func @main(", parameters, ") -> ", types.back(), " {\n  %r = \"", op, "\"(",
             names, ") ", attributes, " : (", operands, ") -> ", types.back(),
             "\n  return %r : ", types.back(), "\n}");
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_module(text));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user);
    return e.what();
  }
  return "no error";
}

TEST(ElementwiseOps, select_takes_a_scalar_or_an_array_of_predicates) {
  const std::string text =
      one_op("stablehlo.select", {"tensor<i1>", "tensor<3xf32>", "tensor<3xf32>", "tensor<3xf32>"});
  const Tensor yes = make_tensor(Type::scalar(DType::i1), {1}), a = f32({3}, {1, nan, 3}),
               b = f32({3}, {4, 5, 6});
  EXPECT_EQ(values_of(run_text(text, {yes, b, a})[0]), V({4, 5, 6}));
  const std::string array = one_op(
      "stablehlo.select", {"tensor<3xi1>", "tensor<3xf32>", "tensor<3xf32>", "tensor<3xf32>"});
  EXPECT_EQ(values_of(run_text(
                array, {make_tensor({.dtype = DType::i1, .dims = {3}}, {1, 0, 1}), a, b})[0]),
            V({1, 5, 3}));
}

TEST(ElementwiseOps, clamp_takes_scalar_limits) {
  const std::string text =
      one_op("stablehlo.clamp", {"tensor<i32>", "tensor<4xi32>", "tensor<4xi32>", "tensor<4xi32>"});
  EXPECT_EQ(
      values_of(run_text(text, {i32({}, {0}), i32({4}, {-5, 1, 7, 2}), i32({4}, {3, 3, 3, 1})})[0]),
      V({0, 1, 3, 1}));
}

TEST(ElementwiseOps, total_order_sorts_signed_zeros_and_nans) {
  // -NaN, -inf, -1, -0, 0, 1, inf, NaN are in order.
  HostArray ordered(Type{.dtype = DType::f32, .dims = {8}});
  const float values[] = {
      -std::numeric_limits<float>::quiet_NaN(), float(-inf), -1, -0.0f, 0.0f, 1, float(inf),
      std::numeric_limits<float>::quiet_NaN()};
  std::copy(std::begin(values), std::end(values), ordered.data<DType::f32>());
  HostArray left(Type{.dtype = DType::f32, .dims = {64}}), right = left;
  for (int i = 0; i < 64; ++i) {
    left.data<DType::f32>()[i] = values[i / 8];
    right.data<DType::f32>()[i] = values[i % 8];
  }
  const std::string text =
      one_op("stablehlo.compare", {"tensor<64xf32>", "tensor<64xf32>", "tensor<64xi1>"},
             "<{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = "
             "#stablehlo<comparison_type TOTALORDER>}>");
  const auto result =
      run_text(text, {std::make_shared<HostArray>(left), std::make_shared<HostArray>(right)})[0];
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(result->data<DType::i1>()[i] != 0, i / 8 < i % 8) << i / 8 << " " << i % 8;
}

// As StableHLO's own implementation has it: programs of older compilers write SIGNED for everything.
TEST(ElementwiseOps, compare_types_that_do_not_fit_say_nothing) {
  const auto less = [](const std::string& dtype, const std::string& type) {
    const std::string tensor = "tensor<2x" + dtype + ">";
    return one_op("stablehlo.compare", {tensor, tensor, "tensor<2xi1>"},
                  "<{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = "
                  "#stablehlo<comparison_type " +
                      type + ">}>");
  };
  HostArray a(Type{.dtype = DType::f32, .dims = {2}}), b(a.type);
  a.data<DType::f32>()[0] = -1;
  b.data<DType::f32>()[1] = -1;
  HostArray m(Type{.dtype = DType::i32, .dims = {2}}), n(m.type);
  m.data<DType::i32>()[0] = -1;
  n.data<DType::i32>()[1] = -1;
  for (const char* type : {"SIGNED", "UNSIGNED", "FLOAT"}) {
    const auto floats = run_text(
        less("f32", type), {std::make_shared<HostArray>(a), std::make_shared<HostArray>(b)})[0];
    const auto integers = run_text(
        less("i32", type), {std::make_shared<HostArray>(m), std::make_shared<HostArray>(n)})[0];
    for (const auto& result : {floats, integers}) {
      EXPECT_TRUE(result->data<DType::i1>()[0]) << type;
      EXPECT_FALSE(result->data<DType::i1>()[1]) << type;
    }
  }
  EXPECT_NE(error_of(one_op("stablehlo.compare",
                            {"tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>", "tensor<4xi1>"},
                            "<{comparison_direction = #stablehlo<comparison_direction LT>}>")),
            "no error");
}

TEST(ElementwiseOps, errors_name_operand_expected_and_found) {
  EXPECT_EQ(error_of(one_op("stablehlo.add", {"tensor<4xf32>", "tensor<5xf32>", "tensor<4xf32>"})),
            "stablehlo.add: expected operand 1 of type tensor<4xf32>, found tensor<5xf32>");
  std::string floats;
  for (const DType d : all_dtypes)
    if (is_float(d) || is_complex(d)) floats += cat(to_string(d), ", ");
  EXPECT_EQ(error_of(one_op("stablehlo.sine", {"tensor<4xi32>", "tensor<4xi32>"})),
            cat("stablehlo.sine: expected operands of ", floats, "found tensor<4xi32>"));
  EXPECT_EQ(error_of(one_op("stablehlo.select",
                            {"tensor<5xi1>", "tensor<4xf32>", "tensor<4xf32>", "tensor<4xf32>"})),
            "stablehlo.select: expected operand 0 of type tensor<4xi1> or tensor<i1>, found "
            "tensor<5xi1>");
  EXPECT_EQ(
      error_of(one_op("stablehlo.negate", {"tensor<4xf32>", "tensor<4xf32>", "tensor<4xf32>"})),
      "stablehlo.negate: expected 1 operand, found 2");
  EXPECT_EQ(error_of(one_op("stablehlo.abs", {"tensor<4xf32>", "tensor<4xf64>"})),
            "stablehlo.abs: expected result 0 of type tensor<4xf32>, found tensor<4xf64>");
  EXPECT_EQ(
      error_of(one_op("stablehlo.bitcast_convert", {"tensor<4xf32>", "tensor<4xf64>"})),
      "stablehlo.bitcast_convert: expected an operand with a last dimension of 2 for elements "
      "of f64, found tensor<4xf32>");
  EXPECT_EQ(
      error_of(one_op("stablehlo.convert", {"tensor<4xf32>", "tensor<3xf64>"})),
      "stablehlo.convert: expected a result of the shape of tensor<4xf32>, found tensor<3xf64>");
}

TEST(ElementwiseOps, convert_saturates_floats_and_wraps_integers) {
  const V floats{2.9, -2.9, 300, -300, nan, inf, -inf, 0.5};
  const auto converted = [&](const std::string& to) {
    return values_of(
        run_text(one_op("stablehlo.convert", {"tensor<8xf32>", "tensor<8x" + to + ">"}),
                 {f32({8}, floats)})[0]);
  };
  EXPECT_EQ(converted("i8"), V({2, -2, 127, -128, 0, 127, -128, 0}));
  EXPECT_EQ(converted("ui8"), V({2, 0, 255, 0, 0, 255, 0, 0}));
  EXPECT_EQ(converted("i1"), V({1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(values_of(run_text(one_op("stablehlo.convert", {"tensor<3xi32>", "tensor<3xi8>"}),
                               {i32({3}, {200, -129, 65536})})[0]),
            V({-56, 127, 0}));
  EXPECT_EQ(
      values_of(run_text(one_op("stablehlo.convert", {"tensor<2xcomplex<f32>>", "tensor<2xf32>"}),
                         {make_tensor({.dtype = DType::c64, .dims = {2}}, {1.5, -2})})[0]),
      V({1.5, -2}));
}

TEST(ElementwiseOps, convert_of_wide_integers_to_bf16_rounds_once) {
  HostArray x(Type{.dtype = DType::i64, .dims = {3}});
  const std::int64_t tie = (std::int64_t(1) << 60) + (std::int64_t(1) << 52);
  x.data<DType::i64>()[0] = tie;      // to even, down
  x.data<DType::i64>()[1] = tie + 1;  // just above the tie
  x.data<DType::i64>()[2] = -tie - 1;
  const auto y =
      values_of(run_text(one_op("stablehlo.convert", {"tensor<3xi64>", "tensor<3xbf16>"}),
                         {std::make_shared<HostArray>(x)})[0]);
  EXPECT_EQ(y, V({0x1p60, 0x1p60 + 0x1p53, -0x1p60 - 0x1p53}));
}

TEST(ElementwiseOps, reduce_precision_rounds_to_the_format) {
  const auto reduced = [](const V& x, int exponent, int mantissa) {
    const std::string type = cat("tensor<", x.size(), "xf32>");
    return values_of(run_text(one_op("stablehlo.reduce_precision", {type, type},
                                     cat("<{exponent_bits = ", exponent,
                                         " : i32, mantissa_bits = ", mantissa, " : i32}>")),
                              {f32({std::int64_t(x.size())}, x)})[0]);
  };
  // Like f16, but without subnormals.
  EXPECT_EQ(
      reduced({1.0004882812, 1.0014648438, 65519, 65520, -70000, 6.2e-5, 5e-5, -1e-8, 0}, 5, 10),
      V({1, 1.001953125, 65504, inf, -inf, 6.198883056640625e-05, 0, 0, 0}));
  EXPECT_EQ(reduced({inf, -inf, 1.75, 1.5, 1.25}, 8, 0), V({inf, -inf, 2, 2, 1}));
  EXPECT_TRUE(std::isnan(reduced({nan}, 5, 10)[0]));
  EXPECT_EQ(reduced({0.1, 1e38}, 8, 23), V({double(0.1f), double(1e38f)}));
}

TEST(ElementwiseOps, constant_like_and_barrier) {
  EXPECT_EQ(values_of(run_text(one_op("chlo.constant_like", {"tensor<2xi32>", "tensor<2xi32>"},
                                      "<{value = 7 : i32}>"),
                               {i32({2}, {1, 2})})[0]),
            V({7, 7}));
  EXPECT_EQ(values_of(run_text(
                one_op("stablehlo.optimization_barrier", {"tensor<2xi32>", "tensor<2xi32>"}),
                {i32({2}, {1, 2})})[0]),
            V({1, 2}));
}

TEST(ElementwiseOps, empty_arrays_have_empty_results) {
  EXPECT_TRUE(values_of(run_text(one_op("stablehlo.add",
                                        {"tensor<0x3xf32>", "tensor<0x3xf32>", "tensor<0x3xf32>"}),
                                 {f32({0, 3}, {}), f32({0, 3}, {})})[0])
                  .empty());
}

// --- Lowering --------------------------------------------------------------------------------------

/// Evaluates the expressions that ops lower to, one at a time.
class Evaluator {
 public:
  Evaluator(const scalar::ExprPool& pool, const std::vector<Tensor>& operands)
      : pool_(pool), operands_(operands) {}

  HostArray element(scalar::ExprId id) const {
    const scalar::Expr& e = pool_[id];
    HostArray result(Type::scalar(e.dtype));
    switch (e.kind) {
      case scalar::ExprKind::constant:
        std::memcpy(result.bytes.data(), &e.bits, result.bytes.size());
        return result;
      case scalar::ExprKind::apply:
        return applied(e);
      case scalar::ExprKind::convert:
        return convert(element(e.operands[0]), e.dtype);
      case scalar::ExprKind::bitcast:
        return reinterpreted(element(e.operands[0]), e.dtype);
      case scalar::ExprKind::choose:
        return element(e.operands[element(e.operands[0]).data<DType::i1>()[0] != 0 ? 1 : 2]);
      case scalar::ExprKind::load: {
        const HostArray& from = *operands_[std::size_t(e.slot)];
        std::memcpy(
            result.bytes.data(),
            from.bytes.data() + std::size_t(pool_[e.operands[0]].bits) * result.bytes.size(),
            result.bytes.size());
        return result;
      }
      default:
        ADD_FAILURE() << "an expression of kind " << int(e.kind) << " in an elementwise op";
        return result;
    }
  }

 private:
  HostArray applied(const scalar::Expr& e) const {
    std::vector<HostArray> operands;
    for (const scalar::ExprId operand : e.operands) operands.push_back(element(operand));
    std::vector<const void*> pointers;
    for (const HostArray& operand : operands) pointers.push_back(operand.bytes.data());
    HostArray result(Type::scalar(e.dtype));
    elementwise_function(elementwise_row(e.name), e.source)(pointers.data(), result.bytes.data(),
                                                            1);
    return result;
  }

  const scalar::ExprPool& pool_;
  const std::vector<Tensor>& operands_;
};

void expect_lowered(const Node& node, const std::vector<Tensor>& operands, const Tensor& expected) {
  scalar::ExprPool pool;
  for (std::int64_t i = 0; i < expected->type.count(); ++i) {
    const auto index = scalar::delinearize(pool, pool.index(i), expected->type.dims);
    const LoadFn load = [&](int k, std::span<const scalar::ExprId> at) {
      const Type& type = operands[std::size_t(k)]->type;
      EXPECT_EQ(std::int64_t(at.size()), type.rank());
      return pool.load(k, type.dtype, scalar::linear_index(pool, at, type.dims));
    };
    const HostArray actual =
        Evaluator(pool, operands).element(node.op().lower(node, 0, pool, index, load));
    const auto size = std::ptrdiff_t(actual.bytes.size());
    const HostArray wanted = [&] {
      HostArray one(actual.type);
      std::copy_n(expected->bytes.begin() + i * size, size, one.bytes.begin());
      return one;
    }();
    ASSERT_EQ(partita::testing::difference(wanted, actual, {}, {}), "")
        << print_node(node) << ", element " << i;
  }
}

bool is_elementwise(const OpDef& op) {
  for (const ElementwiseRow& row : elementwise_rows())
    if (row.op == op.name) return true;
  return op.name == "stablehlo.convert" || op.name == "stablehlo.bitcast_convert" ||
         op.name == "stablehlo.reduce_precision";
}

TEST(ElementwiseOps, lowered_samples_equal_the_interpreter) {
  partita::testing::Random random(5);
  int nodes = 0;
  for_each_sample_node([&](const Node& node, const std::string&) {
    if (!is_elementwise(node.op())) return;
    ++nodes;
    std::vector<Tensor> operands;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Type& type = node.operand(k).type();
      HostArray array =
          partita::testing::samples(type.dtype, {-2, 2}, int(k), type.count(), random);
      array.type = type;
      operands.push_back(std::make_shared<HostArray>(std::move(array)));
    }
    expect_lowered(node, operands, run_graph(*isolated(node), operands)[0]);
  });
  EXPECT_GE(nodes, 80);
}

TEST(ElementwiseOps, lowered_total_order_equals_the_interpreter) {
  partita::testing::Random random(6);
  for (const char* dtype : {"f16", "bf16", "f32", "f64"})
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      const std::string type = cat("tensor<600x", dtype, ">");
      const auto module = parse_module(
          one_op("stablehlo.compare", {type, type, "tensor<600xi1>"},
                 cat("<{comparison_direction = #stablehlo<comparison_direction ", direction,
                     ">, compare_type = #stablehlo<comparison_type TOTALORDER>}>")));
      const Node& node = *module->entry("main").body->nodes()[0];
      EXPECT_EQ(row_of(node), nullptr);
      std::vector<Tensor> operands;
      for (int k = 0; k < 2; ++k)
        operands.push_back(std::make_shared<HostArray>(
            partita::testing::samples(node.operand(0).type().dtype, {-2, 2}, k, 600, random)));
      expect_lowered(node, operands, run_graph(*isolated(node), operands)[0]);
    }
}

TEST(ElementwiseOps, row_of_names_the_row_of_a_node) {
  const auto row_name = [](const std::string& text) {
    const auto module = parse_module(text);
    return std::string(row_of(*module->entry("main").body->nodes()[0])->name);
  };
  EXPECT_EQ(row_name(one_op("stablehlo.abs", {"tensor<4xf32>", "tensor<4xf32>"})), "abs");
  EXPECT_EQ(row_name(one_op("stablehlo.abs", {"tensor<4xcomplex<f32>>", "tensor<4xf32>"})),
            "complex_abs");
  EXPECT_EQ(row_name(one_op("stablehlo.compare", {"tensor<4xf32>", "tensor<4xf32>", "tensor<4xi1>"},
                            "<{comparison_direction = #stablehlo<comparison_direction GE>}>")),
            "compare_ge");
}

}  // namespace
}  // namespace partita::ir
